"""The pictures of notices."""

import hashlib

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from notices.models import Notice, kind_of


@require_safe
def picture(request: HttpRequest, pk: int, name: str) -> HttpResponse:
    """A picture by its notice and its content; anything else is not there."""
    notice = Notice.objects.filter(pk=pk).first()
    content = bytes(notice.picture) if notice else b""
    kind = kind_of(content)
    if kind is None or hashlib.sha256(content).hexdigest()[:16] != name:
        raise Http404
    answer = HttpResponse(content, content_type=kind)
    answer["Cache-Control"] = "public, max-age=31536000, immutable"
    return answer
