"""Friends at a table in real browsers: opening it, sitting down, playing on."""

import contextlib
import re
import time
from collections.abc import Callable, Mapping
from typing import Any

from playwright.sync_api import BrowserContext, Error, Page, WebSocketRoute, expect

from game.tests.browser import AWAITED, PLAYS, playable

New = Callable[..., BrowserContext]
Prepare = Callable[[Page], None]
PATIENCE = 60.0

AUTOPLAY = f"""() => {{
  clearInterval(window.autoplay);
  window.autoplay = setInterval(() => {{
    if (document.querySelector("dialog[open]")) {{
      clearInterval(window.autoplay);
      return;
    }}
    document.querySelector(`{PLAYS}`)?.click();
  }}, 40);
}}"""

MOVED = """(before) => {
  if (document.querySelector("dialog[open]")) return "counted";
  const now = [".kp-progress", ".kp-status-what", ".kp-felt"]
    .map((part) => document.querySelector(part).textContent).join();
  return now !== before && now;
}"""


def open_table(
    page: Page, name: str = "Aino", home: str = "/", key: str = "ristikontra", **choice: str | int
) -> list[str]:
    """Open a table as a person does, choosing seats and options; the links, one per empty seat."""
    page.goto(f"{home}games/{key}/")
    page.get_by_role("link", name="Open a table for friends").first.click()
    page.get_by_label("Your name").fill(name)
    for field, value in choice.items():
        if page.locator(f"select[name='{field}']").count():
            page.locator(f"select[name='{field}']").select_option(str(value))
        else:
            page.locator(f"[name='{field}'][value='{value}']").check()
    page.get_by_role("button", name="Open the table").click()
    page.locator(".kp-lobby-seat").nth(int(choice.get("seats", 4)) - 1).wait_for()
    return links(page)


def links(page: Page) -> list[str]:
    """The invite links the host's page shows now."""
    return [field.input_value() for field in page.locator(".kp-lobby-invite .kp-input").all()]


def sit_down(page: Page, link: str, name: str = "") -> None:
    """Follow an invite and claim its seat."""
    page.goto(link)
    page.get_by_label("Your name").fill(name)
    page.get_by_role("button", name="Sit down").click()
    page.wait_for_url("**/tables/*/")


def new_pages(
    new_person: New,
    base: str,
    prepare: Prepare = lambda page: None,
    number: int = 4,
    **options: Any,
) -> list[Page]:
    """Four people's pages, nobody at a table yet; the second has a phone. Fewer, if so many are
    wanted."""
    looks: list[dict[str, Any]] = [
        {"viewport": {"width": 1280, "height": 800}},
        {"viewport": {"width": 360, "height": 640}, "has_touch": True, "is_mobile": True},
        {"viewport": {"width": 1280, "height": 800}},
        {"viewport": {"width": 1024, "height": 768}},
    ]
    pages = [new_person(base_url=base, **look, **options).new_page() for look in looks[:number]]
    for page in pages:
        prepare(page)
    return pages


def seat_four(
    new_person: New,
    base: str,
    names: tuple[str, ...] = ("Aino", "Toni", "Sara", ""),
    prepare: Prepare = lambda page: None,
    key: str = "ristikontra",
    choice: Mapping[str, Any] | None = None,
    **options: Any,
) -> list[Page]:
    """People at a table, as a rule four, the first deal dealt; the second has a phone."""
    host, *guests = pages = new_pages(new_person, base, prepare, len(names), **options)
    invites = open_table(host, names[0], key=key, **(choice or {}))
    for guest, link, name in zip(guests, invites, names[1:], strict=True):
        sit_down(guest, link, name)
    for page in pages:
        at_the_board(page)
    return pages


def at_the_board(page: Page) -> None:
    """Waits until the page shows a deal."""
    page.locator(".kp-status-what:not(:empty)").wait_for()


def find(pages: list[Page], wanted: str) -> int:
    """Waits until one of the pages awaits this of its person ("me" or "dialog"); which one."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        for index, page in enumerate(pages):
            if page.evaluate(AWAITED) == wanted:
                return index
    raise AssertionError(f"nobody is asked for {wanted}: {[told(page) for page in pages]}")


def play_one(pages: list[Page]) -> int:
    """Whoever is on turn plays the first card that may be played; which seat it was."""
    seat = find(pages, "me")
    playable(pages[seat]).first.click()
    return seat


def finish_deal(pages: list[Page]) -> None:
    """Everybody plays, the first card that may be played, until the count is on every screen."""
    for page in pages:
        page.evaluate(AUTOPLAY)
    for page in pages:
        stands = None
        while stands != "counted":  # however slow the machine is: something goes on
            stands = page.wait_for_function(MOVED, arg=stands, timeout=1000 * PATIENCE).json_value()


def finish_match(pages: list[Page]) -> None:
    """Play until the result is on every screen: a deal of 60–60 is followed by another."""
    finish_deal(pages)
    while pages[0].get_by_role("dialog", name="The result").count() == 0:
        pages[0].get_by_role("button", name="Next deal").click()
        for page in pages[1:]:
            page.get_by_role("button", name="To the table").click()
        finish_deal(pages)


def told(page: Page) -> str:
    """What the status line says."""
    return page.locator(".kp-status-what").inner_text()


def hand(page: Page) -> list[str]:
    """The cards of the hand, sorted."""
    cards: list[str] = page.eval_on_selector_all(
        ".kp-hand .kp-card", "(all) => all.map((one) => one.dataset.code).sort()"
    )
    return cards


def trick_cards(page: Page) -> list[str]:
    """The cards of the trick as this page shows them, leader first."""
    cards: list[str] = page.eval_on_selector_all(
        ".kp-trick .kp-play", "(all) => all.map((one) => one.dataset.card)"
    )
    return cards


def from_menu(page: Page, name: str) -> None:
    """Press a button of the menu."""
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("dialog", name="Menu").get_by_role("button", name=name).click()


def leave(page: Page) -> None:
    """Leave the table as a person does."""
    from_menu(page, "Leave the table")
    page.get_by_role("dialog", name="Leave the table?").get_by_role("button", name="Leave").click()
    page.wait_for_url("**/left/**")


def focused(page: Page) -> str:
    """The accessible name of what has the focus; empty when nothing has."""
    return str(
        page.evaluate(
            "document.activeElement === document.body ? '' :"
            " document.activeElement.getAttribute('aria-label')"
            " ?? document.activeElement.textContent"
        )
    )


class Cable:
    """The network between a page and the table's socket, which can be cut."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.is_cut = False
        self.ends: list[WebSocketRoute] = []
        page.route_web_socket(re.compile("/socket/"), self._connect)

    def _connect(self, route: WebSocketRoute) -> None:
        if self.is_cut:
            route.close(code=1011)
        else:
            self.ends += [route, route.connect_to_server()]

    def cut(self) -> None:
        """What is open breaks, and nothing new gets through."""
        self.is_cut = True
        for end in self.ends:
            with contextlib.suppress(Error):  # closed already
                end.close(code=1011)
        self.ends.clear()
        expect(self.page.locator("#kp-trouble")).to_be_visible()

    def mend(self) -> None:
        """The network is back."""
        self.is_cut = False
        expect(self.page.locator("#kp-trouble")).to_be_hidden()
