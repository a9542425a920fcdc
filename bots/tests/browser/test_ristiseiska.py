"""Ristiseiska at the computer table: many cards on a small screen, rows in words, all plays."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from bots.tests.browser.conftest import Open
from game.engine.base import thaw
from game.engine.ristiseiska import PANTTI, STOP, Ristiseiska, State
from game.tests.browser import (
    assert_accessible,
    assert_accessible_in_every_look,
    assert_fits,
    assert_golden,
    awaited,
    listen,
    playable,
    prompted,
    spoken,
)
from game.tests.deals import shuffled, stack

GAME = Ristiseiska()
PHONE = {"viewport": {"width": 360, "height": 640}, "has_touch": True, "is_mobile": True}
GOLDEN = Path(__file__).with_name("ristiseiska.txt")

Wanted = Callable[[State], bool]


@dataclass(frozen=True)
class Position:
    """A deal as far as it has come."""

    sheet: dict[str, Any]
    pack: tuple[str, ...]
    plays: tuple[str, ...]
    state: State

    def open(self, open_table: Open, page: Page, pace: str = "instant") -> None:
        """Show it at the computer table."""
        page.unroute("**/start/")
        seats = len(self.state.hands)
        open_table(
            page,
            pace,
            sheet=self.sheet,
            pack=list(self.pack),
            plays=list(self.plays),
            key="ristiseiska",
            seats=seats,
        )


@cache
def position(seats: int, wanted: Wanted, seed: int = 1, deals: int = 0) -> Position:
    """The first position like this in deals played at random; the person dealt last."""
    rng = random.Random(f"{seats} {seed}")
    sheet = GAME.open(seats, {}, 0)
    sheet = type(sheet)(0, sheet.score, sheet.length, sheet.pantti, sheet.tie, deals)
    for _ in range(3000):
        pack = shuffled(rng)
        state, plays = GAME.deal(sheet, pack), list[str]()
        while not wanted(state):
            if state.turn is None:
                break
            plays.append(rng.choice(GAME.legal(state)))
            state = GAME.play(state, plays[-1])
        else:
            return Position(thaw(sheet), pack, tuple(plays), state)
    raise AssertionError("no deal comes to such a position")


def mine(state: State) -> list[str]:
    """What the person may play; empty when somebody else is on turn."""
    return GAME.legal(state) if state.turn == 0 else []


def at_the_start(state: State) -> bool:
    return mine(state) == ["7C"]


def in_the_middle(state: State) -> bool:
    """Several cards fit, others wait, and something has been turned face down."""
    return len(mine(state)) > 2 and not state.extra and bool({"AC", "KC"} & state.table)


def nothing_fits(state: State) -> bool:
    return mine(state) == [PANTTI] and state.holder not in (None, 0)


def another_card(state: State) -> bool:
    """After an ace or a king, with something to add."""
    return len(mine(state)) > 1 and state.extra and len(state.hands[0]) > 4


def counted(state: State) -> bool:
    """Ten points in a hand, and the pantti on top."""
    if state.turn is not None or state.holder in (None, 0) or not state.hands[0]:
        return False
    left: dict[str, object] = GAME.view(state, 0)["left"][state.holder]
    return left == {
        "hand": state.hands[state.holder] and GAME.view(state, state.holder)["hand"],
        "cards": 10,
        "pantti": 21,
    }


def clubs_six_to_nine(state: State) -> bool:
    """With another row begun, one with a finished end and one that waits for its seven."""
    rows = {row["suit"]: row for row in GAME.view(state, 0)["rows"]}
    return (
        state.turn == 0
        and rows["C"]["cards"] == ["6C", "7C", "8C", "9C"]
        and any(not row["cards"] for row in rows.values())
    )


def one_row_finished(state: State) -> bool:
    return state.turn == 0 and any(row["closed"] for row in GAME.view(state, 0)["rows"])


def hand(page: Page) -> list[str]:
    codes: list[str] = page.eval_on_selector_all(
        ".kp-hand .kp-card", "(all) => all.map((one) => one.dataset.code)"
    )
    return codes


def command(page: Page, words: str) -> str:
    """Type into the command field; the answer."""
    field = page.get_by_label("Command", exact=True)
    field.fill(words)
    field.press("Enter")
    return page.locator("output[for=kp-command]").inner_text().strip("\u00a0\n ")


# ---- a small screen ------------------------------------------------------------------------------

STRIPS = """() => [...document.querySelectorAll(".kp-hand .kp-card")].map((card) => {
  const box = card.getBoundingClientRect();
  const y = box.top + box.height / 2;
  let width = 0;
  while (document.elementFromPoint(box.left + width + 0.5, y)?.closest(".kp-card") === card) {
    width += 0.5;
  }
  const seen = [".kp-card-rank", ".kp-card-suit"].map((part) => {
    const index = card.querySelector(part).getBoundingClientRect();
    return index.left >= box.left && index.right <= box.left + width && index.bottom <= box.bottom
      && index.width >= 7 && index.right <= innerWidth && index.bottom <= innerHeight;
  });
  return { code: card.dataset.code, x: box.left + width / 2, y, width, seen };
})"""


def strips(page: Page) -> list[dict[str, Any]]:
    """Of every card in the hand: how wide it can be seen and hit, and whether its index is."""
    found: list[dict[str, Any]] = page.evaluate(STRIPS)
    return found


def check_strips(page: Page, cards: int) -> None:
    found = strips(page)
    assert len(found) == cards
    for strip in found:
        assert strip["width"] >= 24, strip
        assert strip["seen"] == [True, True], strip
    assert_fits(page)


@pytest.mark.slow
def test_26_cards_on_a_phone_by_touch_case_31(new_person, open_table: Open) -> None:
    """A whole deal for two, tapping only what can be seen of a card."""
    page = new_person(**PHONE).new_page()
    position(2, at_the_start).open(open_table, page)
    check_strips(page, 26)
    for name in ("Take the pantti", "Fits first", "Large", "Pause"):
        box = page.get_by_role("button", name=name).bounding_box()
        assert box
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 360
        assert box["height"] >= 44
    waiting = next(one for one in strips(page) if one["code"] not in ("7C", "7D", "7H", "7S"))
    page.touchscreen.tap(waiting["x"], waiting["y"])
    expect(page.locator(".kp-status-why")).to_contain_text(re.compile("^The .* waits for the "))
    assert len(hand(page)) == 26
    plays = 0
    while awaited(page) == "me":
        if playable(page).count() == 0:
            page.locator(".kp-button--main:visible").tap()
        else:
            code = playable(page).first.get_attribute("data-code")
            strip = next(one for one in strips(page) if one["code"] == code)
            assert strip["width"] >= 24, strip
            page.touchscreen.tap(strip["x"], strip["y"])
            expect(page.locator(f".kp-hand [data-code='{code}']")).to_have_count(0)
        plays += 1
        assert plays < 100
    expect(page.get_by_role("dialog")).to_contain_text("went out")
    assert_fits(page)


@pytest.mark.parametrize(("width", "height"), [(360, 640), (640, 360), (1280, 800)])
def test_every_hand_fits_the_screen(new_person, open_table: Open, width: int, height: int) -> None:
    page = new_person(viewport={"width": width, "height": height}).new_page()
    for seats, wanted in (
        (2, at_the_start),
        (3, at_the_start),
        (4, at_the_start),
        (2, in_the_middle),
        (4, another_card),
        (4, nothing_fits),
    ):
        one = position(seats, wanted)
        one.open(open_table, page, pace="slow")
        check_strips(page, len(one.state.hands[0]))
        names = page.locator(".kp-seat-name").all()
        assert len(names) == seats
        for name in names:
            assert name.evaluate("(one) => one.scrollWidth <= one.clientWidth"), name.inner_text()


def test_large_cards_lie_side_by_side(new_person, open_table: Open) -> None:
    page = new_person(**PHONE).new_page()
    position(2, at_the_start).open(open_table, page)
    button = page.get_by_role("button", name="Large")
    button.tap()
    expect(button).to_have_attribute("aria-pressed", "true")
    boxes = [card.bounding_box() for card in page.locator(".kp-hand .kp-card").all()]
    for one, other in pairwise(boxes):
        assert one
        assert other
        assert one["width"] >= 58
        assert one["x"] + one["width"] <= other["x"]
    assert_fits(page)  # the hand scrolls, the page does not
    page.locator(".kp-hand .kp-card").last.scroll_into_view_if_needed()
    expect(page.locator(".kp-hand .kp-card").last).to_be_in_viewport()
    button.tap()
    expect(button).to_have_attribute("aria-pressed", "false")
    check_strips(page, 26)


# ---- in words ------------------------------------------------------------------------------------


def test_rows_are_a_list_in_words(page: Page, open_table: Open) -> None:
    position(3, clubs_six_to_nine).open(open_table, page, pace="slow")
    items = page.get_by_role("region", name="Table").get_by_role("listitem")
    expect(items).to_have_count(4)
    expect(items.nth(0)).to_have_text(
        re.compile("^Clubs: six to nine[.] Low end waits for the five, high end for the ten[.]")
    )
    told = [str(one.text_content()) for one in items.all()]
    assert [one.split(":")[0] for one in told] == ["Clubs", "Diamonds", "Hearts", "Spades"]
    assert any("nothing yet; waits for the seven." in one for one in told)
    assert command(page, "table") in " ".join(told) or command(page, "table").startswith(
        "Clubs: six"
    )
    # Its cards are drawn for the eye alone: a list item is a sentence and no more.
    assert page.locator(".kp-row-cells:not([aria-hidden])").count() == 0

    position(4, one_row_finished).open(open_table, page, pace="slow")
    finished = page.locator(".kp-row", has_text="end finished").first
    expect(finished).to_contain_text(re.compile("(Low|High) end finished"))
    assert finished.locator(".kp-row-slot[data-state=down]").count() == 6
    backs = finished.locator(".kp-card--back").evaluate_all("(all) => all.map((c) => c.outerHTML)")
    assert len(set(backs)) == 1


def test_each_card_says_what_it_waits_for_case_35(page: Page, open_table: Open) -> None:
    one = position(3, in_the_middle)
    one.open(open_table, page, pace="slow")
    view = GAME.view(one.state, 0)
    for code in view["hand"]:
        card = page.locator(f".kp-hand [data-code='{code}']")
        if code in view["legal"]:
            expect(card).not_to_have_attribute("aria-disabled", "true")
            assert "waits" not in str(card.get_attribute("aria-label"))
        else:
            expect(card).to_have_attribute("aria-disabled", "true")
            expect(card).to_have_accessible_name(re.compile(", waits for the .* of .*"))
    listen(page)
    waiting = page.locator(".kp-hand [aria-disabled]").first
    waiting.focus()
    page.keyboard.press("Enter")
    told = page.locator(".kp-status-why").inner_text()
    assert re.fullmatch(r"The \w+ of \w+ waits for the \w+ of \w+\.", told)
    assert told in spoken(page)
    expect(waiting).to_be_focused()
    take = page.get_by_role("button", name="Take the pantti")
    expect(take).to_have_attribute("aria-disabled", "true")
    page.keyboard.press("t")
    expect(page.locator(".kp-status-why")).to_contain_text("Whoever can play must play")
    page.keyboard.press("e")
    expect(page.locator(".kp-status-why")).to_contain_text("Only after an ace or a king")
    # Ends that wait for a card of this hand are marked, and nothing but these.
    marked = page.locator(".kp-row-slot[data-mine]")
    assert marked.count() == len(view["legal"])


def test_the_pantti_is_taken_and_seen(page: Page, open_table: Open) -> None:
    one = position(4, nothing_fits)
    one.open(open_table, page, pace="slow")
    expect(page.locator(".kp-status-what")).to_have_text("Your turn: nothing fits.")
    expect(page.locator(".kp-seat", has_text="pantti")).to_have_count(1)
    expect(page.locator(".kp-pantti")).to_contain_text("has the pantti: 21 points.")
    listen(page)
    page.get_by_role("button", name="Take the pantti").click()
    expect(page.locator(".kp-seat", has_text="pantti")).to_contain_text("You")
    expect(page.locator(".kp-pantti")).to_contain_text("You have the pantti: 21 points")
    page.wait_for_function("() => window.spoken.join(' ').includes('You take the pantti.')")


def test_after_an_ace_or_a_king_one_more_card_or_stop(page: Page, open_table: Open) -> None:
    one = position(4, another_card)
    one.open(open_table, page, pace="slow")
    stop = page.get_by_role("button", name="Stop")
    expect(page.locator(".kp-status-what")).to_have_text("Your turn: one more card, or stop.")
    expect(page.get_by_role("button", name="Take the pantti")).to_be_hidden()
    cards = [code for code in mine(one.state) if code != STOP]
    assert playable(page).count() == len(cards)
    page.locator(".kp-board").focus()
    page.keyboard.press("t")
    expect(page.locator(".kp-status-why")).to_contain_text("there is no pantti")
    held = len(hand(page))
    stop.click()
    expect(stop).to_be_hidden()
    expect(page.locator(".kp-status-why")).to_contain_text("You stop.")
    assert len(hand(page)) == held

    one.open(open_table, page, pace="slow")
    playable(page).first.click()
    expect(page.locator(".kp-hand .kp-card")).to_have_count(held - 1)


def test_fitting_cards_come_first_when_asked_for(page: Page, open_table: Open) -> None:
    one = position(3, in_the_middle)
    one.open(open_table, page, pace="slow")
    by_suit = hand(page)
    page.get_by_role("button", name="Fits first").click()
    expect(page.get_by_role("button", name="Fits first")).to_have_attribute("aria-pressed", "true")
    fitting = [code for code in by_suit if code in mine(one.state)]
    assert hand(page) == fitting + [code for code in by_suit if code not in fitting]
    page.locator(".kp-board").focus()
    page.keyboard.press("f")
    expect(page.get_by_role("button", name="Fits first")).to_have_attribute("aria-pressed", "false")
    assert hand(page) == by_suit


@pytest.mark.parametrize("wanted", [in_the_middle, nothing_fits], ids=lambda one: one.__name__)
def test_the_command_field_knows_this_game(page: Page, open_table: Open, wanted: Wanted) -> None:
    one = position(4, wanted)
    one.open(open_table, page, pace="slow")
    view = GAME.view(one.state, 0)
    assert command(page, "fitting").count(",") == max(len(view["legal"]) - 1, 0)
    assert command(page, "table").startswith("Clubs: ")
    assert "pantti" in command(page, "holder")
    assert command(page, "score").startswith("Points: You 0")
    assert command(page, "turn").startswith("Your turn")
    assert command(page, "stop") == "Only after an ace or a king may one stop."
    assert command(page, "hand").count(",") == len(view["hand"]) - 1
    told = command(page, "dark")  # a word of another game
    assert told == (
        "There is no command “dark”. Try a card (7c), or one of these: pantti, stop, table,"
        " fitting, holder, hand, score, turn, pause, settings, help."
    )
    command(page, "help")
    help_box = page.get_by_role("dialog", name="Keys and commands")
    expect(help_box).to_contain_text("these words: pantti, stop, table, fitting")
    expect(help_box).to_contain_text("take the pantti")
    expect(help_box).not_to_contain_text("dark")
    help_box.get_by_role("button", name="Close").click()
    if wanted is nothing_fits:
        assert command(page, "fitting") == "Nothing fits."
        command(page, "pantti")
        expect(page.locator(".kp-pantti")).to_contain_text("You have the pantti")
    else:
        assert command(page, "pantti").startswith("Whoever can play must play")
        code = next(code for code in view["legal"] if code in view["hand"])
        command(page, code.replace("T", "10").lower())
        expect(page.locator(f".kp-hand [data-code='{code}']")).to_have_count(0)


# ---- without a mouse, without eyes ---------------------------------------------------------------


@pytest.mark.slow
def test_a_deal_by_keyboard_alone(page: Page, open_table: Open) -> None:
    position(3, at_the_start).open(open_table, page)
    for _ in range(12):
        if page.evaluate("document.activeElement.closest('.kp-hand') !== null"):
            break
        page.keyboard.press("Tab")
    page.keyboard.press("f")
    expect(page.get_by_role("button", name="Fits first")).to_have_attribute("aria-pressed", "true")
    used = set()
    while awaited(page) == "me":
        assert page.evaluate("document.activeElement.closest('.kp-board') !== null")
        if playable(page).count() == 0:
            key = "e" if page.get_by_role("button", name="Stop").is_visible() else "t"
        else:
            page.keyboard.press("Home")
            key = "Enter"
        used.add(key)
        page.keyboard.press(key)
    assert {"Enter", "t"} <= used
    expect(page.get_by_role("button", name="Next deal")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".kp-progress")).to_have_text("Deal 2 of 3")
    assert awaited(page) == "me"
    assert page.evaluate("document.activeElement !== document.body")


def test_announcements_of_a_whole_deal(page: Page, open_table: Open, update_golden: bool) -> None:
    rng = random.Random(11)
    position(3, at_the_start, seed=4).open(open_table, page)
    listen(page)
    page.get_by_label("Command", exact=True).focus()
    said: int | None = None
    while awaited(page) == "me":
        said = prompted(page, said)
        codes = [one.get_attribute("data-code") for one in playable(page).all()]
        if codes and (rng.random() < 0.8 or page.get_by_role("button", name="Stop").is_hidden()):
            page.locator(f".kp-hand [data-code='{rng.choice(codes)}']").click()
        else:
            page.locator(".kp-button--main:visible").click()
    dialog = page.get_by_role("dialog", name="The count")
    expect(dialog.locator(".kp-speech").first).not_to_be_empty()  # what led to it is heard in it
    described = str(dialog.get_attribute("aria-describedby")).split()
    texts = [page.locator(f"#{one}").text_content() or "" for one in described]
    text = " ".join([spoken(page), *texts]).replace("\u00a0", "")
    text = text[text.index("You: ") :]  # the opening may be said before it is listened to
    assert_golden(GOLDEN, re.sub(r"(?<=[.!]) (?=\S)", "\n", text) + "\n", update_golden)


# ---- the count -----------------------------------------------------------------------------------


def test_the_count_shows_what_was_left_and_the_pantti_apart_s8(
    page: Page, open_table: Open
) -> None:
    one = position(4, counted)
    one.open(open_table, page)
    dialog = page.get_by_role("dialog", name="The count")
    view = GAME.view(one.state, 0)
    names = ["You", "West", "North", "East"]
    table = dialog.get_by_role("table", name="What was left")
    for seat, left in enumerate(view["left"]):
        row = table.get_by_role("row", name=re.compile(f"^{names[seat]} "))
        paid = "10 + 21" if seat == view["holder"] else str(left["cards"])
        expect(row.get_by_role("cell").nth(1)).to_have_text(paid)
        expect(row.get_by_role("img")).to_have_count(len(left["hand"]))
        expect(row.get_by_role("cell").last).to_have_text(str(view["count"]["totals"][seat]))
    rows = table.get_by_role("row").all_inner_texts()
    assert rows[1].startswith(names[view["count"]["winner"]])
    assert "out" in rows[1]
    described = str(dialog.get_attribute("aria-describedby")).split()
    words = " ".join(page.locator(f"#{one}").text_content() or "" for one in described)
    assert f"{names[view['holder']]}: 10 + 21, in all 31." in words
    dialog.get_by_role("button", name="Look at the table").click()
    sheet = page.get_by_role("complementary", name="Match sheet")
    expect(sheet.get_by_role("row", name=re.compile("^1 "))).to_contain_text("31")
    expect(sheet).to_contain_text("Deals: 3 · The pantti costs: 21 points")
    page.get_by_role("button", name="Show the count").click()
    expect(dialog).to_be_visible()


def test_a_match_ends_with_the_lowest_total_and_goes_on_with_another(
    page: Page, open_table: Open
) -> None:
    position(2, lambda state: state.turn is None, deals=2).open(open_table, page)
    dialog = page.get_by_role("dialog", name="The result")
    expect(dialog).to_contain_text(re.compile("(You have|North has) won the match with 0 points"))
    assert_accessible(page, "the result")
    page.unroute("**/start/")
    dialog.get_by_role("button", name="Play again").click()
    expect(page.locator(".kp-progress")).to_have_text("Deal 1 of 3")
    # Nothing has been played in it, so a new match asks for nothing.
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("button", name="New match").click()
    expect(page.locator("dialog[open]")).to_have_count(0)
    assert page.locator(".kp-hand .kp-card").count() in (25, 26)


# ---- every look ----------------------------------------------------------------------------------


@pytest.mark.slow
def test_every_state_in_every_look_is_accessible(new_person, open_table: Open) -> None:
    page = new_person().new_page()
    for address in ("/games/ristiseiska/", "/computer/ristiseiska/"):
        page.goto(address)
        assert_accessible_in_every_look(page, address)
    states: list[tuple[int, Wanted]] = [
        (3, in_the_middle),
        (4, nothing_fits),
        (4, another_card),
        (4, counted),
    ]
    for seats, wanted in states:
        position(seats, wanted).open(open_table, page, pace="slow")
        assert_accessible_in_every_look(page, wanted.__name__)
    page.get_by_role("button", name="Look at the table").click()
    page.get_by_role("button", name="Large").click()
    assert_accessible_in_every_look(page, "large, after the count")
    page.get_by_role("button", name=re.compile("^Score: ")).click()
    assert_accessible_in_every_look(page, "the score")


def test_nothing_hidden_is_in_the_page_case_25(page: Page, open_table: Open) -> None:
    one = position(4, in_the_middle)
    one.open(open_table, page, pace="slow")
    page.evaluate("document.querySelectorAll('script[type]').forEach((one) => one.remove())")
    codes = set(re.findall(r"\b[A2-9TJQK][CDHS]\b", page.content()))
    rows = GAME.view(one.state, 0)["rows"]
    shown = {card for row in rows for card in row["cards"]} | set(one.state.hands[0])
    assert codes <= shown


def test_choosing_seats_and_options(page: Page) -> None:
    """As a person does it, from the front page to the table."""
    page.goto("/")
    card = page.get_by_role("listitem").filter(has=page.get_by_role("heading", name="Ristiseiska"))
    card.get_by_role("link", name="Play against the computer").click()
    expect(page.get_by_role("group", name="How many play")).to_be_visible()
    page.get_by_role("radio", name="2 players").check()
    page.get_by_label("Deals", exact=True).select_option("1")
    page.get_by_role("radio", name="25 points").check()
    page.get_by_role("radio", name="one more deal Deals are added until").check()
    page.get_by_role("button", name="To the table").click()
    expect(page.locator(".kp-hand .kp-card").first).to_be_visible()
    expect(page.locator(".kp-seat-name")).to_have_text(["You", "North"])
    expect(page.locator(".kp-progress")).to_have_text("Deal 1 of 1")
    expect(page.locator(".kp-pantti")).to_contain_text("25 points")
    line = "Deals: 1 · The pantti costs: 25 points · If the lowest total is shared: one more deal"
    expect(page.get_by_role("complementary", name="Match sheet")).to_contain_text(line)
    page.keyboard.press("s")
    expect(page.get_by_role("dialog", name="Score")).to_contain_text(line)


def test_a_deck_made_to_order_opens(page: Page, open_table: Open) -> None:
    """Three sevens wait for the seven of clubs, and say so."""
    pack = stack({0: "7D 7H 7S", 1: "7C"}, dealer=0, seats=2, each=26)
    open_table(page, pace="slow", sheet={"dealer": 0}, pack=list(pack), key="ristiseiska", seats=2)
    page.get_by_role("button", name="Pause").wait_for()
    card = page.locator(".kp-hand [data-code='7D']")
    expect(card).to_be_visible()
