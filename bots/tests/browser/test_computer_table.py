"""The computer table in a real browser."""

import re

import pytest
from playwright.sync_api import Dialog, Page, expect

from bots.tests.browser.conftest import Open, new_sheet
from game.engine.ristikontra import DARK
from game.tests.browser import (
    assert_accessible,
    assert_fits,
    awaited,
    listen,
    open_settings,
    playable,
    set_pace,
    spoken,
)
from game.tests.deals import find_deal, stack

PHONE = {"viewport": {"width": 360, "height": 640}, "has_touch": True, "is_mobile": True}


def play_on(page: Page, deals: int, tap: bool = False) -> None:
    """Play this many deals to their counts, the first card that may be played each time."""
    for deal in range(deals):
        if deal:
            page.get_by_role("button", name="Next deal").click()
        while awaited(page) == "me":
            card = playable(page).first
            card.tap() if tap else card.click()


def match_over(page: Page) -> bool:
    return page.get_by_role("button", name="Play again").is_visible()


@pytest.mark.slow
def test_a_whole_match_by_mouse(page: Page, open_table: Open) -> None:
    page.goto("/")
    page.get_by_role("link", name="Play against the computer").first.click()
    page.locator(".kp-hand .kp-card").first.wait_for()
    set_pace(page, "instant")
    deals = 1
    play_on(page, 1)
    while not match_over(page):
        page.get_by_role("button", name="Next deal").click()
        play_on(page, 1)
        deals += 1
        assert deals < 60
    assert deals >= 4
    expect(page.locator(".kp-count-title")).to_contain_text(re.compile("won|lost"))
    rows = page.locator(".kp-sheet tbody tr")
    assert rows.count() == deals
    page.get_by_role("button", name="Play again").click()
    expect(page.locator(".kp-progress")).to_contain_text("Deal 1")
    assert page.context.cookies() == []
    assert page.evaluate("localStorage.length + sessionStorage.length") == 0


def test_a_match_on_a_phone_by_touch(new_person, open_table: Open) -> None:
    page = new_person(**PHONE).new_page()
    open_table(page, sheet=new_sheet(3, (6, 6)))
    assert_fits(page)
    play_on(page, 1, tap=True)
    while not match_over(page):  # a 60–60 deal goes on
        page.get_by_role("button", name="Next deal").tap()
        play_on(page, 1, tap=True)
    expect(page.get_by_role("dialog")).to_contain_text(re.compile(r"7 to 6|6 to 7|8 to 6|6 to 8"))
    page.get_by_role("button", name="Play again").tap()
    expect(page.locator(".kp-progress")).to_contain_text("Deal 1")
    # The other match begins from nothing: its first count is shown as any is.
    play_on(page, 1, tap=True)
    expect(page.get_by_role("dialog", name="The count")).to_be_visible()


def test_pause_holds_the_computers(page: Page, open_table: Open) -> None:
    open_table(page, pace="slow", sheet=new_sheet(3))
    playable(page).first.focus()
    page.keyboard.press("p")
    expect(page.get_by_role("button", name="Go on")).to_have_attribute("aria-pressed", "true")
    steps: list[str] = []
    page.on("request", lambda request: steps.append(request.url))
    playable(page).first.click()
    expect(page.locator(".kp-status-what")).to_contain_text("West")
    expect(page.locator(".kp-status-why")).to_have_text("The computers are paused.")
    set_pace(page, "instant")
    # A computer that was not held would have asked by the time this answer is back.
    page.evaluate("fetch('/')")
    page.evaluate("new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r)))")
    assert sum("/step/" in url for url in steps) == 1
    page.locator(".kp-hand .kp-card").first.focus()
    page.keyboard.press("p")
    assert awaited(page) == "me"
    assert sum("/step/" in url for url in steps) >= 4


def test_the_network_is_cut_and_nothing_is_lost(page: Page, open_table: Open, watch) -> None:
    watch.expect("Failed to load resource")
    open_table(page, pace="slow", sheet=new_sheet(3))
    listen(page)
    playable(page).first.click()
    expect(page.locator(".kp-trick .kp-play")).to_have_count(1)
    page.context.set_offline(True)
    set_pace(page, "instant")
    expect(page.locator("#kp-trouble")).to_be_visible()
    page.context.set_offline(False)
    assert awaited(page) == "me"
    expect(page.locator("#kp-trouble")).to_be_hidden()
    expect(page.locator(".kp-progress")).to_contain_text("trick 2")
    assert "No connection" in spoken(page)
    assert "Connected again." in spoken(page)


def test_a_ticket_that_cannot_be_read_offers_a_new_match(
    page: Page, open_table: Open, watch
) -> None:
    watch.expect("Failed to load resource")
    page.route(
        "**/step/",
        lambda route: route.fulfill(
            status=409, json={"refused": {"reason": "unknown-version", "facts": {}}}
        ),
    )
    open_table(page, sheet=new_sheet(3))
    playable(page).first.click()
    lost = page.get_by_role("dialog", name="This match cannot go on")
    expect(lost).to_have_accessible_description("The rules of this game have changed since.")
    page.unroute("**/step/")
    page.get_by_role("button", name="Start a new match").click()
    assert awaited(page) == "me"


def test_leaving_asks_first_once_something_was_played(page: Page, open_table: Open) -> None:
    open_table(page, sheet=new_sheet(3))
    asked: list[str] = []

    def answer(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.dismiss()

    page.on("dialog", answer)
    playable(page).first.click()
    assert awaited(page) == "me"
    with page.expect_event("dialog"):
        page.close(run_before_unload=True)
    assert asked == ["beforeunload"]


def test_a_new_match_is_asked_for_and_drops_what_is_in_flight(page: Page, open_table: Open) -> None:
    open_table(page, pace="slow", sheet=new_sheet(3))
    page.route("**/step/", lambda route: None)  # an answer that never comes
    playable(page).first.click()
    page.unroute("**/start/")
    menu = page.get_by_role("dialog", name="Menu")
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("button", name="New match").click()
    expect(menu).to_be_hidden()
    # Nothing has come back from the play, so nothing is lost by a new match.
    expect(page.locator(".kp-hand .kp-card")).to_have_count(6)
    page.unroute("**/step/")
    set_pace(page, "instant")
    assert awaited(page) == "me"
    playable(page).first.click()
    assert awaited(page) == "me"
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("button", name="New match").click()
    page.get_by_role("button", name="Go on playing").click()
    expect(page.locator(".kp-progress")).to_contain_text("trick 2")
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("button", name="New match").click()
    page.get_by_role("button", name="Start a new match").click()
    expect(page.locator(".kp-progress")).to_contain_text("trick 1")
    assert awaited(page) == "me"


def test_the_computers_wait_while_a_dialog_is_open(page: Page, open_table: Open) -> None:
    open_table(page, pace="slow", sheet=new_sheet(3))
    page.keyboard.press("Escape")
    playable(page).first.click()
    expect(page.locator(".kp-status-what")).to_contain_text("West")
    settings = open_settings(page)
    steps: list[str] = []
    page.on("request", lambda request: steps.append(request.url))
    settings.get_by_role("radio", name="Instant").check()
    page.evaluate("fetch('/')")
    page.evaluate("new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r)))")
    assert not any("/step/" in url for url in steps)
    settings.get_by_role("button", name="Back to the table").click()
    assert awaited(page) == "me"


def test_a_finished_trick_lies_until_tapped(page: Page, open_table: Open) -> None:
    pack = list(stack({0: "5C 5D 6C 6D 8C 8D", 1: "7C", 2: "9C", 3: "9D"}, dealer=0))
    open_table(page, pace="normal", sheet=new_sheet(0), pack=pack, plays=["7C", "9C", "9D"])
    playable(page).first.click()
    expect(page.locator(".kp-trick .kp-play")).to_have_count(4)
    expect(page.locator(".kp-status-what")).to_contain_text("West")
    page.locator(".kp-felt").click(position={"x": 5, "y": 5})
    expect(page.locator(".kp-trick .kp-play")).not_to_have_count(4, timeout=800)


def test_reduced_motion_shows_the_state_at_once(new_person, open_table: Open) -> None:
    """Nothing moves; the finished trick still lies, all four cards of it, until tapped."""
    page = new_person(reduced_motion="reduce").new_page()
    pack = list(stack({0: "5C 5D 6C 6D 8C 8D", 1: "7C", 2: "9C", 3: "9D"}, dealer=0))
    open_table(page, pace="slow", sheet=new_sheet(0), pack=pack, plays=["7C", "9C", "9D"])
    playable(page).first.click()
    expect(page.locator(".kp-trick .kp-play")).to_have_count(4)
    assert page.evaluate("document.getAnimations().length") == 0
    page.locator(".kp-stock").click()
    expect(page.locator(".kp-trick .kp-play")).to_have_count(0)


BARRED = {
    0: "7C 7D 7H 7S KC KD",
    1: "2C 3C 4C 5C 6C 8C",
    2: "2D 3D 4D 5D 6D 8D",
    3: "2H 3H 4H 5H 6H 8H",
}
BARRED_PLAYS = ["7C", "2C", "2D", "2H", "7D", "3C", "3D", "3H", "7H", "4C", "4D", "4H"]


def test_a_barred_card_stays_reachable_and_says_why(page: Page, open_table: Open) -> None:
    open_table(page, sheet=new_sheet(3), pack=list(stack(BARRED)), plays=BARRED_PLAYS)
    card = page.get_by_role("button", name="seven of spades, may not be led now")
    expect(card).to_have_attribute("aria-disabled", "true")
    dark = page.get_by_role("button", name="Play in the dark")
    expect(dark).to_have_attribute("aria-disabled", "true")
    listen(page)
    card.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".kp-status-why")).to_contain_text("Sevens may not be led now")
    dark.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".kp-status-why")).to_contain_text("No dark lead while sevens are barred")
    assert page.locator(".kp-trick .kp-play").count() == 0
    assert "Sevens may not be led now" in spoken(page)


def test_every_state_is_accessible(page: Page, open_table: Open) -> None:
    for address in ("/", "/games/ristikontra/"):
        page.goto(address)
        assert_accessible(page, address)
    page.emulate_media(reduced_motion="reduce")
    open_table(page, sheet=new_sheet(3), pack=list(stack(BARRED)), plays=BARRED_PLAYS)
    assert_accessible(page, "on the lead, a rank barred")
    page.get_by_role("button", name="Last trick").click()
    assert_accessible(page, "last trick open")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Menu").click()
    assert_accessible(page, "menu")
    page.get_by_role("dialog").get_by_role("button", name="Keys and commands").click()
    assert_accessible(page, "help")
    page.get_by_role("button", name="Close").click()
    page.get_by_role("button", name="Back to the table").click()
    page.get_by_role("button", name="king of clubs").click()
    assert awaited(page) == "me"
    assert_accessible(page, "following")
    pack, plays = find_deal(3, 60)
    open_table(page, sheet=new_sheet(3), pack=list(pack), plays=list(plays))
    assert_accessible(page, "the count of 60–60")
    pack, plays = find_deal(3, 75)
    open_table(page, sheet=new_sheet(3, (6, 6)), pack=list(pack), plays=list(plays))
    expect(page.locator(".kp-count-title")).to_have_text("You have won the match, 7 to 6!")
    assert_accessible(page, "the end of the match")


def test_a_dark_play_is_marked_and_keeps_the_hand(page: Page, open_table: Open) -> None:
    open_table(page, sheet=new_sheet(3), pace="slow")
    before = playable(page).all_inner_texts(), page.locator(".kp-hand .kp-card").count()
    codes = page.eval_on_selector_all(
        ".kp-hand .kp-card", "(all) => all.map((c) => c.dataset.code)"
    )
    page.get_by_role("button", name="Play in the dark").click()
    expect(page.locator(".kp-trick .kp-caption").first).to_have_text("led · from the stock")
    after = page.eval_on_selector_all(
        ".kp-hand .kp-card", "(all) => all.map((c) => c.dataset.code)"
    )
    assert before[1] == 6
    assert after == codes
    assert DARK not in codes


def test_nothing_hidden_is_in_the_page(page: Page, open_table: Open) -> None:
    """No card outside the hand, the trick and the last trick: in elements, attributes or memory."""
    open_table(page, sheet=new_sheet(3))
    for _ in range(9):
        assert awaited(page) == "me"
        playable(page).first.click()
    assert awaited(page) == "me"
    shown = page.eval_on_selector_all("[data-code]", "(all) => all.map((c) => c.dataset.code)")
    assert len(shown) <= 6 + 4 + 4
    words = set(page.evaluate("JSON.parse(document.getElementById('kp-words').textContent).cards"))
    page.evaluate("document.querySelectorAll('script[type]').forEach((s) => s.remove())")
    html = page.content()
    codes = set(re.findall(r"\b[A2-9TJQK][CDHS]\b", html))
    assert codes <= set(shown) & words
    backs = page.eval_on_selector_all(".kp-card--back", "(all) => all.map((c) => c.outerHTML)")
    assert len(set(backs)) == 1


def test_the_contrast_switch_is_remembered(page: Page, open_table: Open) -> None:
    page.goto("/")
    switch = page.get_by_role("button", name="High contrast")
    switch.click()
    expect(switch).to_have_attribute("aria-pressed", "true")
    open_table(page)
    expect(page.locator(".kp")).to_have_class(re.compile("kp-contrast"))
    assert page.evaluate("Object.keys(localStorage)") == ["korttipoyta.contrast"]
