"""Friends at a table in real browsers: opening it, sitting down, playing on."""

import time
from collections.abc import Callable
from typing import Any

from playwright.sync_api import BrowserContext, Page

from game.tests.browser import AWAITED

New = Callable[..., BrowserContext]
PATIENCE = 30.0


def open_table(page: Page, name: str = "Aino", home: str = "/") -> list[str]:
    """Open a table as a person does; the three links."""
    page.goto(f"{home}games/ristikontra/")
    page.get_by_role("link", name="Open a table for friends").first.click()
    page.get_by_label("Your name").fill(name)
    page.get_by_role("button", name="Open the table").click()
    page.locator(".kp-lobby-invite .kp-input").nth(2).wait_for()
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


def seat_four(
    new_person: New, base: str, names: tuple[str, ...] = ("Aino", "Toni", "Sara", "")
) -> list[Page]:
    """Four people at a table, seats 0 to 3, the first deal dealt; the second has a phone."""
    looks: list[dict[str, Any]] = [
        {"viewport": {"width": 1280, "height": 800}},
        {"viewport": {"width": 360, "height": 640}, "has_touch": True, "is_mobile": True},
        {"viewport": {"width": 1280, "height": 800}},
        {"viewport": {"width": 1024, "height": 768}},
    ]
    pages = [new_person(base_url=base, **look).new_page() for look in looks]
    host, *guests = pages
    for guest, link, name in zip(guests, open_table(host, names[0]), names[1:], strict=True):
        sit_down(guest, link, name)
    for page in pages:
        page.locator(".kp-status-what:not(:empty)").wait_for()
    return pages


def find(pages: list[Page], wanted: str) -> int:
    """Waits until one of the pages awaits this of its person ("me" or "dialog"); which one."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        for index, page in enumerate(pages):
            if page.evaluate(AWAITED) == wanted:
                return index
    raise AssertionError(f"nobody is asked for {wanted}: {[told(page) for page in pages]}")


def told(page: Page) -> str:
    """What the status line says."""
    return page.locator(".kp-status-what").inner_text()


def trick_cards(page: Page) -> list[str]:
    """The cards of the trick as this page shows them, leader first."""
    cards: list[str] = page.eval_on_selector_all(
        ".kp-trick .kp-play", "(all) => all.map((one) => one.dataset.card)"
    )
    return cards
