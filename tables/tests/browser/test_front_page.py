"""The front page without JavaScript: how many, a pasted link; and every screen it is seen on."""

import pytest
from playwright.sync_api import expect

from game.tests.browser import assert_accessible
from tables.tests.browser.friends import open_table

CLEAR = """() => {
  const head = document.querySelector(".kp-rules-head");
  const edges = (what, side) => [...head.querySelectorAll(what)].map(
    (one) => one.getBoundingClientRect()[side]);
  return Math.max(...edges("a", "right")) <= Math.min(...edges(".kp-rules-art > *", "left"));
}"""

HEADER = """() => {
  const [top, ...inside] = [".kp-top", ".kp-brand", ".kp-nav > *"].flatMap(
    (what) => [...document.querySelectorAll(what)]).map((one) => one.getBoundingClientRect());
  const rows = new Set(inside.map((box) => box.top + box.height / 2));
  return [rows.size, Math.max(...inside.map((box) => box.right)) <= innerWidth, top.height];
}"""


@pytest.mark.parametrize("width", [320, 360, 640, 1280])
def test_the_header_has_all_ways_in_one_row(new_person, server, width: int) -> None:
    """To the games, to the languages at the foot, and the contrast; in every language."""
    page = new_person(base_url=server.url, viewport={"width": width, "height": 640}).new_page()
    for address in ("/", "/fi/", "/pt-br/"):
        page.goto(address)
        assert page.evaluate(HEADER) == [1, True, 68], address
    nav = page.get_by_role("navigation", name="Site")
    nav.get_by_role("link", name="Idioma").click()
    expect(page.get_by_role("button", name="Suomi")).to_be_in_viewport()
    nav.get_by_role("button", name="Alto contraste").click()
    assert page.evaluate(HEADER) == [1, True, 68]
    assert_accessible(page, "the front page in high contrast")
    nav.get_by_role("link", name="Jogos").click()
    expect(page.get_by_role("heading", level=2).first).to_be_in_viewport()


def test_it_works_without_javascript_and_fits_every_screen(new_person, server) -> None:
    host = new_person().new_page()
    invite = open_table(host)[0]

    page = new_person(
        viewport={"width": 360, "height": 640}, java_script_enabled=False, color_scheme="dark"
    ).new_page()
    page.goto("/")
    page.get_by_role("link", name="Three", exact=True).click()
    expect(page.locator(".kp-game")).to_have_count(1)
    expect(page.get_by_role("heading", name="Ristiseiska")).to_be_visible()
    page.get_by_role("link", name="Open a table for friends").click()
    expect(page.get_by_role("radio", name="3 players")).to_be_checked()

    page.goto("/")
    page.get_by_label("Invite link").fill("https://elsewhere.example/invites/x/1/y/")
    page.get_by_role("button", name="Go to the table").click()
    expect(page.get_by_role("alert")).to_contain_text("no link to a table of this site")
    page.get_by_label("Invite link").fill(f"Come! {invite}")
    page.get_by_role("button", name="Go to the table").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Aino invites you to Ristikontra")

    # A table is no dead end either: it says what is missing, leads on, and has no dead button.
    for address in ("/computer/ristikontra/", "/computer/ristikontra/lesson/"):
        page.goto(address)
        expect(page.locator(".kp-noscript")).to_contain_text("The table needs JavaScript")
        expect(page.get_by_role("button")).to_have_count(0)
        expect(page.get_by_role("link", name="To the games")).to_be_visible()
        page.get_by_role("link", name="How the game goes").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Ristikontra")
    page.goto("/tables/new/ristikontra/")
    expect(page.locator(".kp-note")).to_contain_text("The table needs JavaScript")

    for width, height in ((320, 568), (360, 640), (768, 1024), (3840, 2160)):
        page.set_viewport_size({"width": width, "height": height})
        for address in ("/", "/?players=2", "/games/cleaning/", "/join/"):
            page.goto(address)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, address
    wide = new_person(color_scheme="dark").new_page()
    for address in ("/?players=2", "/join/", "/games/cleaning/", "/games/ristikontra-house/"):
        wide.goto(address)
        assert_accessible(wide, address)
    # A game's cards stand beside its words and buttons, however long these are.
    for width in (1024, 1280, 3840):
        wide.set_viewport_size({"width": width, "height": 800})
        wide.goto("/pt-br/games/ristikontra/")
        assert wide.evaluate(CLEAR), width
