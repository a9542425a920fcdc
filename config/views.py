"""What browsers and search engines ask a site for at its root."""

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.templatetags.static import static
from django.urls import reverse
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

DAY = 24 * 60 * 60
ICONS = (("icon-192.png", 192, "any"), ("icon-512.png", 512, "any"))
MASKABLE = ("icon-maskable.png", 512, "maskable")


@require_safe
@cache_control(public=True, max_age=DAY)
def robots(request: HttpRequest) -> HttpResponse:
    """All may be read. What must not be listed says so itself, which only a reader can see."""
    sitemap = request.build_absolute_uri(reverse("sitemap"))
    return HttpResponse(
        f"User-agent: *\nDisallow:\n\nSitemap: {sitemap}\n", content_type="text/plain"
    )


@require_safe
@cache_control(public=True, max_age=DAY)
def favicon(request: HttpRequest) -> HttpResponse:
    """For those who ask without having looked at a page."""
    return redirect(static("korttipoyta/img/favicon.ico"))


@require_safe
def manifest(request: HttpRequest) -> JsonResponse:
    """What a phone needs to put the site among its apps. It still plays over the network only."""
    home = reverse("game:home")
    icons = [
        {
            "src": static(f"korttipoyta/img/{name}"),
            "sizes": f"{size}x{size}",
            "type": "image/png",
            "purpose": purpose,
        }
        for name, size, purpose in (*ICONS, MASKABLE)
    ]
    vector = {"src": static("korttipoyta/img/icon.svg"), "sizes": "any", "type": "image/svg+xml"}
    return JsonResponse(
        {
            "name": "Korttipöytä",
            "short_name": "Korttipöytä",
            "description": _("Card games with friends or against the computer."),
            "lang": get_language() or "en",
            "id": home,
            "start_url": home,
            "scope": "/",
            "display": "standalone",
            "background_color": "#14392c",
            "theme_color": "#14392c",
            "icons": [*icons, vector],
        },
        content_type="application/manifest+json",
    )
