"""The face of the site: settings that hold at once and after a reload, pages that do not jump while
they load, and every component in every state without a fault."""

import itertools
import json
import re
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, Request, expect

from conftest import Server, Watch
from game.tests.browser import PLAYS, WCAG, assert_fits, open_settings
from tables.tests.browser.friends import New, at_the_board, find, open_table, sit_down

SHIFTS = """
  window.shifts = [];
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      if (!entry.hadRecentInput) window.shifts.push(entry.value);
    }
  }).observe({type: "layout-shift", buffered: true});
"""

MANY_BOARDS = {name: {"enabled": False} for name in ("landmark-unique", "region")}
"""The parts of every board are called the same; on other pages there is one board."""


def kept(page: Page) -> dict[str, Any]:
    """The preferences this device has in its storage."""
    text = page.evaluate("localStorage.getItem('korttipoyta.preferences')")
    return dict(json.loads(text or "{}"))


def back(page: Page) -> None:
    page.get_by_role("button", name="Back to the table").click()


@pytest.mark.browser
def test_a_browser_asks_for_the_modules_a_page_names(
    new_person: New, server: Server, watch: Watch
) -> None:
    """For each once, and for no others: what is rarely used comes when it is used."""
    page = new_person(base_url=server.url).new_page()
    open_table(page)
    asked: list[str] = []

    def note(request: Request) -> None:
        if request.resource_type == "script":
            asked.append(request.url)

    page.on("request", note)
    page.reload()
    page.locator(".kp-lobby-seat").last.wait_for()
    named = page.locator("link[rel=modulepreload], script[src]")
    addresses = named.evaluate_all("all => all.map((one) => one.href ?? one.src)")
    assert sorted(asked) == sorted(set(addresses))
    # Without network it cannot come; the next press tries again.
    watch.expect("ERR_INTERNET_DISCONNECTED")
    menu, people = (page.get_by_role("button", name=name) for name in ("Menu", "People and my"))
    page.context.set_offline(True)
    menu.click()
    people.click()
    expect(page.locator("#kp-alert")).to_contain_text("This could not be loaded")
    page.context.set_offline(False)
    menu.click()
    people.click()
    expect(page.get_by_role("dialog", name="People at the table")).to_be_visible()
    assert re.search(r"/js/people\.[0-9a-f]+\.js$", asked[-1])


@pytest.mark.browser
def test_settings_hold_at_once_on_this_device_only(new_person: New, server: Server) -> None:
    calm = {"base_url": server.url, "reduced_motion": "reduce"}
    phone = new_person(viewport={"width": 360, "height": 640}, **calm).new_page()
    other = new_person(**calm).new_page()
    root = phone.locator(".kp")
    (link,) = open_table(phone, key="ristiseiska", seats=2)
    sit_down(other, link, "Toni")
    at_the_board(phone)
    settings = open_settings(phone)
    settings.get_by_role("checkbox", name="A colour of its own").check()
    expect(root).to_have_class(re.compile("kp-four-colours"))
    settings.get_by_role("radio", name="Largest").check()
    settings.get_by_role("radio", name="what the others play").check()
    back(phone)
    phone.reload()
    at_the_board(phone)
    expect(root).to_have_class(re.compile("kp-four-colours.* kp-size-largest"))
    assert kept(phone) == {"suits": "four", "size": "largest", "speech": "short"}
    assert kept(other) == {}

    # What the other plays while a dialog is open is said in the dialog: all else is silent then.
    if find([phone, other], "me") == 0:
        phone.locator(PLAYS).first.dispatch_event("click")
        find([other], "me")
    settings = open_settings(phone)
    other.locator(PLAYS).first.dispatch_event("click")
    expect(settings.get_by_role("status")).to_contain_text("Toni")
    back(phone)

    # At the computer table they hold as well, but only the contrast is kept from there.
    phone.goto("/computer/ristikontra/")
    at_the_board(phone)
    expect(root).to_have_class(re.compile("kp-size-largest"))
    assert_fits(phone)
    cards = [card.bounding_box() for card in phone.locator(".kp-hand .kp-card").all()]
    lefts = [box["x"] for box in cards if box]
    assert min(right - left for left, right in itertools.pairwise(lefts)) >= 44
    assert all(box and box["x"] >= 0 and box["x"] + box["width"] <= 360 for box in cards)
    settings = open_settings(phone)
    settings.get_by_role("radio", name="Usual").check()
    settings.get_by_role("checkbox", name="High contrast").check()
    expect(root).to_have_class(re.compile("kp-contrast"))
    expect(root).not_to_have_class(re.compile("kp-size"))
    assert kept(phone)["size"] == "largest"
    assert phone.evaluate("localStorage.getItem('korttipoyta.contrast')") == "on"
    settings.get_by_role("button", name="Reset all").click()
    expect(root).not_to_have_class(re.compile("kp-contrast|kp-four"))
    assert phone.evaluate("localStorage.getItem('korttipoyta.contrast')") is None


@pytest.mark.browser
@pytest.mark.parametrize("width", [360, 1280])
def test_nothing_jumps_while_a_page_loads(new_person: New, server: Server, width: int) -> None:
    page = new_person(base_url=server.url, viewport={"width": width, "height": 760}).new_page()
    page.add_init_script(SHIFTS)
    for address in ("/", "/games/ristikontra/", "/computer/ristikontra/"):
        page.goto(address)
        if "computer" in address:
            at_the_board(page)
        page.wait_for_load_state("networkidle")
        assert sum(page.evaluate("window.shifts")) < 0.02, address


@pytest.mark.slow
@pytest.mark.browser
def test_every_component_is_accessible_in_every_look(new_person: New, server: Server) -> None:
    page = new_person(base_url=server.url, reduced_motion="reduce").new_page()
    page.goto("/design/")
    last = page.locator("[data-board]").count() - 1
    page.locator(f"[data-board='{last}'] .kp-hand .kp-card").first.wait_for()
    page.locator("[data-chat] .kp-chat-line").last.wait_for()
    for look in ("light", "dark", "contrast"):
        rules = dict(MANY_BOARDS)
        if look == "dark":
            page.emulate_media(color_scheme="dark")
        elif look == "contrast":
            page.emulate_media(color_scheme="light")
            looks = page.get_by_role("navigation", name="Looks")
            looks.get_by_role("button", name="High contrast").click()
            expect(page.locator(".kp-table").first).to_have_class(re.compile("kp-contrast"))
            rules["color-contrast-enhanced"] = {"enabled": True}
        options = {"runOnly": {"type": "tag", "values": WCAG}, "rules": rules}
        found = Axe().run(page, options=options)
        assert found.violations_count == 0, f"{look}:\n{found.generate_report()}"
