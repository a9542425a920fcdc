"""House rules and Cleaning at the computer table: every option once, counted as chosen."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from bots.tests.browser.conftest import Open
from game.engine.base import replay, thaw
from game.engine.cleaning import Cleaning
from game.engine.house import FIVE_TO_ONE, House
from game.tests.browser import assert_accessible_in_every_look, assert_fits, listen
from game.tests.deals import arranged_deal, find_deal

HOUSE, CLEANING = House(), Cleaning()
HELPFUL = "This option goes with game points only, not with card points."


def house(
    open_table: Open,
    page: Page,
    worth: int | None,
    score: tuple[int, int] = (0, 0),
    held: int = 0,
    **options: str,
) -> None:
    """Show a counted deal in which the person's side has so many card points; None for a sweep."""
    page.unroute("**/start/")
    sheet = replace(HOUSE.open(4, options, 3), score=score, held=held, deals=1)
    values = FIVE_TO_ONE if options.get("values") == "five-to-one" else None
    if worth is None:
        pack, plays = arranged_deal(HOUSE, sheet)
    else:
        found = find_deal(3, worth, tuple(values.items())) if values else find_deal(3, worth)
        pack, plays = found[0], list(found[1])
    open_table(
        page,
        sheet=thaw(sheet),
        pack=list(pack),
        plays=plays,
        key="ristikontra-house",
        **options,
    )


def row(page: Page, name: str) -> list[str]:
    """A row of the count: ours, theirs."""
    table = page.get_by_role("dialog").get_by_role("table", name="What each pile held")
    line = table.get_by_role("row", name=re.compile(f"^{name}"))
    return line.get_by_role("cell").all_inner_texts()


def title(page: Page) -> str:
    return page.locator(".kp-count-title").inner_text()


# ---- choosing ------------------------------------------------------------------------------------


def test_options_are_chosen_with_what_follows_from_them(new_person) -> None:
    page = new_person().new_page()
    page.goto("/computer/ristikontra-house/")
    assert_accessible_in_every_look(page, "the choice")
    groups = {
        "What a card counts": "Ace 5, king 4, queen 3, jack 2, ten 1: 60 points a deal.",
        "How a match is won": "They are added up over the deals, to as many as a deal has.",
        "All thirteen tricks": "No points for the deal, but the others drop to zero.",
    }
    for name, consequence in groups.items():
        group = page.get_by_role("group", name=name)
        expect(group.get_by_role("radio")).to_have_count(2)
        expect(group.get_by_role("radio").first).to_be_checked()
        expect(group).to_contain_text(consequence)
    expect(page.get_by_role("group", name=re.compile("Signalling"))).to_have_count(0)

    # What does not go together is refused where it was chosen, in words, and stays chosen.
    page.get_by_role("radio", name=re.compile("^card points")).check()
    wipe = page.get_by_role("radio", name=re.compile("^wipe the others out"))
    wipe.check()
    page.get_by_role("button", name="To the table").click()
    expect(page.get_by_role("group", name="All thirteen tricks")).to_contain_text(HELPFUL)
    expect(page.get_by_text(HELPFUL)).to_have_count(1)
    expect(wipe).to_be_checked()
    expect(wipe).to_be_focused()
    expect(wipe).to_have_accessible_description(HELPFUL)
    assert_accessible_in_every_look(page, "the choice refused")
    page.get_by_role("radio", name=re.compile("^two game points")).check()
    page.get_by_role("radio", name=re.compile("^five to one")).check()
    page.get_by_role("button", name="To the table").click()
    expect(page.locator(".kp-hand .kp-card")).to_have_count(6)
    line = "What a card counts: five to one · How a match is won: card points"
    expect(page.get_by_role("complementary", name="Match sheet")).to_contain_text(line)
    page.get_by_role("button", name=re.compile("^Score: ")).click()
    expect(page.get_by_role("dialog", name="Score")).to_contain_text(line)
    expect(page.get_by_role("dialog", name="Score")).to_contain_text("The match goes to 60.")


IN_SIGHT = """(one) => {
  const { left, right, top, bottom } = one.getBoundingClientRect();
  const hit = document.elementFromPoint((left + right) / 2, bottom - 2);
  return top >= 0 && bottom <= innerHeight && left >= 0 && right <= innerWidth
    && (one.contains(hit) || hit.contains(one));
}"""
"""Whether nothing of an element is off the screen, or covered."""


def test_on_phones_the_rules_and_all_of_the_count_are_in_sight(
    new_person, open_table: Open
) -> None:
    lying, standing = {"width": 640, "height": 360}, {"width": 360, "height": 640}
    page = new_person(viewport=lying, has_touch=True, is_mobile=True).new_page()
    house(open_table, page, 31, score=(2, 1), held=1, values="five-to-one", sweep="wipe")
    for row in page.get_by_role("dialog").locator("tr").all():
        assert row.evaluate(IN_SIGHT), row.inner_text()
    page.get_by_role("button", name="Look at the table").tap()
    short = page.locator(".kp-rules-short")
    for size in (lying, standing):
        page.set_viewport_size(size)
        expect(short).to_contain_text("five to one · to seven · a sweep wipes")
        assert short.evaluate(IN_SIGHT)
        assert_fits(page)


# ---- counting ------------------------------------------------------------------------------------


def test_five_to_one_is_shown_and_counted_h1(page: Page, open_table: Open) -> None:
    house(open_table, page, 30, score=(2, 1), values="five-to-one")
    assert title(page) == "30–30: nobody scores, and 1 game point is held for the next winner."
    assert row(page, "Card points") == ["30", "30"]
    assert row(page, "Score") == ["2", "1"]
    counts = {name: row(page, name) for name in ("Aces", "Tens", "Kings", "Queens", "Jacks")}
    worth = {"Aces": 5, "Kings": 4, "Queens": 3, "Jacks": 2, "Tens": 1}
    for side in (0, 1):
        assert sum(worth[name] * int(both[side]) for name, both in counts.items()) == 30
    page.get_by_role("button", name="Look at the table").click()
    values = page.locator(".kp-values li").all_inner_texts()
    assert [re.sub(r"\s+", " ", one) for one in values] == [
        "Ace 5",
        "Ten 1",
        "King 4",
        "Queen 3",
        "Jack 2",
    ]
    house(open_table, page, 31, score=(2, 1), held=1, values="five-to-one")
    assert title(page) == "Your side wins the deal: 2 game points."
    assert row(page, "Game points") == ["+2", "0"]
    assert row(page, "Score") == ["4", "1"]
    page.unroute("**/start/")
    page.goto("/computer/ristikontra-house/?values=five-to-one&goal=game-points&sweep=two-points")
    page.locator(".kp-hand .kp-card").first.wait_for()
    for card in page.locator(".kp-hand .kp-card").all():
        code = str(card.get_attribute("data-code"))
        badge = card.locator(".kp-card-badge")
        assert badge.all_inner_texts() == [
            str(FIVE_TO_ONE[code[0]]) for _ in range(code[0] in FIVE_TO_ONE)
        ]


def test_card_points_are_added_up_towards_the_target_h2(page: Page, open_table: Open) -> None:
    house(open_table, page, 75, score=(30, 40), goal="card-points")
    assert title(page) == "Card points of this deal: you 75, they 45."
    assert row(page, "Score, of 120") == ["105", "85"]
    assert row(page, "Game points") == []
    page.get_by_role("button", name="Look at the table").click()
    score = page.get_by_role("button", name=re.compile("^Score: "))
    expect(score).to_have_accessible_name("Score: We 105 They 85")  # as it is seen
    expect(score).to_have_accessible_description("Score: you 105, they 85. The match goes to 120.")
    expect(page.locator(".kp-sheet tbody tr")).to_have_text(re.compile("2.*75.*45.*105–85"))
    house(open_table, page, 75, score=(60, 110), goal="card-points")
    assert title(page) == "You have lost the match, 135 to 155."  # both are past it: the higher
    house(open_table, page, 75, score=(80, 110), goal="card-points")
    assert title(page) == "Card points of this deal: you 75, they 45."  # equal: another deal
    expect(page.get_by_role("button", name="Next deal")).to_be_visible()


def test_a_sweep_wipes_h3(page: Page, open_table: Open) -> None:
    house(open_table, page, None, score=(3, 5), held=1, sweep="wipe")
    assert row(page, "Card points") == ["120", "0"]
    assert row(page, "Score") == ["4", "0"]
    # What was held is paid to the sweepers; the deal itself pays nothing.
    assert row(page, "Game points") == ["+1", "0"]
    assert title(page) == (
        "All thirteen tricks for your side: the others drop to zero."
        " 1 game point that was held is paid."
    )
    house(open_table, page, None, score=(3, 5), sweep="wipe")
    assert row(page, "Score") == ["3", "0"]
    assert title(page) == "All thirteen tricks for your side: the others drop to zero."
    house(open_table, page, None, score=(3, 5))
    assert title(page) == "Your side wins the deal: 2 game points."
    assert row(page, "Score") == ["5", "5"]


# ---- Cleaning ------------------------------------------------------------------------------------


def cleaning(
    open_table: Open,
    page: Page,
    tricks: Mapping[int, str],
    score: tuple[int, int],
    plays: int = 52,
    pace: str = "slow",
) -> Any:
    """Show a deal of Cleaning with these tricks after so many plays; its state."""
    page.unroute("**/start/")
    sheet = replace(CLEANING.open(4, {}, 3), score=score, deals=2)
    pack, made = arranged_deal(CLEANING, sheet, tricks)
    open_table(page, pace, sheet=thaw(sheet), pack=list(pack), plays=made[:plays], key="cleaning")
    return replay(CLEANING, sheet, pack, made[:plays])


DIRTY_THEN_CLEAN = {2: "2C QC 3D 4S", 10: "5C KC 6D 7S"}
"""Seat 0 takes a queen in trick two and a king in trick ten."""


def test_dirt_is_marked_while_it_is_there_c7(new_person, open_table: Open) -> None:
    page = new_person().new_page()
    marks = page.locator(".kp-pile-dirt")
    cleaning(open_table, page, DIRTY_THEN_CLEAN, (100, 200), plays=4)
    expect(marks).to_have_text(["clean", "clean"])
    cleaning(open_table, page, DIRTY_THEN_CLEAN, (100, 200), plays=8)
    expect(marks).to_have_text(["dirty", "clean"])
    expect(page.get_by_role("region", name="Piles").get_by_role("listitem").first).to_contain_text(
        "Our pile"
    )
    # In words and by shape, and no more than that.
    assert "trick 2" not in page.locator(".kp-board").inner_text()
    assert_accessible_in_every_look(page, "a dirty side")
    cleaning(open_table, page, DIRTY_THEN_CLEAN, (100, 200), plays=40)
    expect(marks).to_have_text(["clean", "clean"])
    expect(page.locator(".kp-hand .kp-card")).to_have_count(3)


def test_the_count_explains_every_step_c2_c3_c5(new_person, open_table: Open) -> None:
    page = new_person().new_page()
    cleaning(open_table, page, DIRTY_THEN_CLEAN, (100, 200))
    assert title(page) == (
        "Card points of this deal: you 120, they 0."
        " Your side got dirty in trick 2. Your side was cleaned in trick 10."
        " The other side has ten points or fewer in its pile: its score drops to zero."
    )
    assert row(page, "Score, of 500") == ["220", "0"]
    assert_accessible_in_every_look(page, "the count of a cleaned side")
    listen(page)
    page.get_by_role("button", name="Look at the table").click()

    state = cleaning(open_table, page, {2: "2C QC 3D 4S"}, (400, 200))
    dirty = CLEANING.count(state)["dirty"]
    assert title(page).startswith("Card points of this deal: you 120, they 0.")
    if dirty[0]:
        assert "Your side was not cleaned and earns nothing." in title(page)
        assert row(page, "Score, of 500") == ["400", "0"]


def test_the_match_goes_to_500_c6(page: Page, open_table: Open) -> None:
    cleaning(open_table, page, DIRTY_THEN_CLEAN, (400, 200))
    assert title(page) == "You have won the match, 520 to 0!"
    expect(page.locator(".kp-count-more")).to_contain_text("Your side was cleaned in trick 10.")


@pytest.mark.parametrize("key", ["ristikontra-house", "cleaning"])
def test_the_rules_pages_in_every_look(new_person, key: str) -> None:
    page = new_person().new_page()
    page.goto(f"/games/{key}/")
    assert_accessible_in_every_look(page, key)
