"""Friends' tables of the other games: two and three seats, house rules, conceding."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from conftest import Server
from game.tests.browser import assert_accessible_in_every_look, assert_fits
from tables.tests.browser.friends import (
    New,
    finish_deal,
    from_menu,
    open_table,
    seat_four,
    sit_down,
)

NAMES = ("Aino", "", "Sara")


def numbers(page: Page) -> list[int]:
    """The totals of the match sheet, the reader's first column first."""
    cells = page.locator(".kp-sheet tbody tr").last.locator("td").all_inner_texts()
    return [int(cell) for cell in cells]


def play_three_deals(pages: list[Page]) -> None:
    """To the result on every screen, the first card that fits each time; anybody deals on."""
    for deal in range(3):
        finish_deal(pages)
        if deal < 2:
            dealer = pages[deal % len(pages)]
            dealer.get_by_role("button", name="Next deal").click()
            for page in pages:
                if page is not dealer:
                    page.get_by_role("button", name="To the table").click()


@pytest.mark.slow
@pytest.mark.timeout(400)
@pytest.mark.parametrize("seats", [2, 3])
def test_friends_play_three_deals_of_ristiseiska_to_a_winner(
    new_person: New, server: Server, seats: int
) -> None:
    pages = seat_four(
        new_person,
        server.url,
        NAMES[:seats],
        key="ristiseiska",
        choice={"seats": seats, "tie": "extra-deal"},
    )
    host, phone = pages[:2]
    for page in pages:
        expect(page.locator(".kp-seat")).to_have_count(seats)
    expect(phone.locator(".kp-seat-name")).to_contain_text(
        ["You", *(["Sara"] if seats == 3 else [])]
    )
    expect(host.locator(".kp-seat-name").nth(1)).to_have_text("Guest 1")
    assert_fits(phone)
    # A line of the chat has a name and no side.
    host.get_by_label("Write to everybody at the table").fill("Good luck!")
    host.keyboard.press("Enter")
    expect(host.locator(".kp-chat-text")).to_have_text("Good luck!")
    expect(host.locator(".kp-chat-name")).to_have_text("Aino")
    assert (host.locator(".kp-chat-side").all_inner_texts() or [""]) == [""]

    play_three_deals(pages)
    while host.get_by_role("dialog", name="The result").count() == 0:  # an extra deal
        host.get_by_role("button", name="Next deal").click()
        for page in pages[1:]:
            page.get_by_role("button", name="To the table").click()
        finish_deal(pages)
    titles = [page.locator(".kp-count-title").inner_text() for page in pages]
    assert sum(title.startswith("You have won the match with") for title in titles) == 1
    assert len({re.sub("^.* won", "", title).rstrip(".!") for title in titles}) == 1
    for page in pages:
        page.get_by_role("button", name="Look at the table").click()
    totals = numbers(host)
    winner = next(seat for seat, title in enumerate(titles) if title.startswith("You"))
    assert totals[winner] == min(totals)
    assert_accessible_in_every_look(host, "after a match without sides")
    assert_fits(phone)
    for page in pages:
        page.get_by_role("button", name="Again with the same seats").click()
    for page in pages:
        expect(page.locator(".kp-progress")).to_have_text("Deal 1 of 3")


def test_a_table_for_two_is_opened_and_names_its_rules(new_person: New, server: Server) -> None:
    host, guest = new_person().new_page(), new_person().new_page()
    host.goto("/tables/new/ristiseiska/")
    assert_accessible_in_every_look(host, "opening")
    (link,) = open_table(host, key="ristiseiska", seats=2, deals=1, pantti=25)
    line = "Deals: 1 · The pantti costs: 25 points · If the lowest total is shared: a draw"
    expect(host.locator(".kp-lobby")).to_contain_text(line)
    expect(host.locator(".kp-lobby-seat")).to_have_count(2)
    assert "side" not in host.locator(".kp-lobby-seats").inner_text()
    guest.goto(link)
    expect(guest.locator("main")).to_contain_text(line)
    expect(guest.locator(".kp-lead")).to_have_text("Your seat: guest 1.")
    assert_accessible_in_every_look(guest, "an invite")
    sit_down(guest, link)
    for page, other in ((host, "Guest 1"), (guest, "Aino")):
        expect(page.locator(".kp-seat-name")).to_have_text(["You", other])
        expect(page.locator(".kp-hand .kp-card")).to_have_count(26)
        expect(page.get_by_role("complementary", name="Match sheet")).to_contain_text(line)
    # Leaving ends it as a draw (S11).
    from_menu(guest, "Leave the table")
    guest.get_by_role("dialog", name="Leave the table?").get_by_role("button", name="Leave").click()
    box = host.get_by_role("dialog", name="The match is a draw")
    expect(box).to_contain_text("Guest 1 left the table.")


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_a_side_owns_up_to_signalling_h4(new_person: New, server: Server) -> None:
    """From opening the table with the option to the line everybody reads, and once a deal."""
    choice = {"values": "five-to-one", "signalling": "on"}
    pages = seat_four(new_person, server.url, key="ristikontra-house", choice=choice)
    host, phone, third, fourth = pages
    line = "Signalling to one's partner: may be conceded"
    for page in (host, third):
        expect(page.get_by_role("complementary", name="Match sheet")).to_contain_text(line)
    button = host.get_by_role("button", name="We signalled")
    expect(button).to_be_hidden()
    finish_deal(pages)

    def scores(page: Page) -> list[int]:
        return [int(one) for one in page.locator(".kp-chip-number").all_inner_texts()]

    before = scores(host)
    counts = [page.locator(".kp-count").get_by_role("row").last for page in pages]
    host.get_by_role("button", name="Look at the table").click()
    expect(button).to_be_visible()
    button.click()
    box = host.get_by_role("dialog", name="Own up to signalling?")
    expect(box).to_contain_text("loses two game points")
    assert_accessible_in_every_look(host, "conceding")
    box.get_by_role("button", name="No").click()
    expect(box).to_be_hidden()
    assert scores(host) == before
    button.click()
    box.get_by_role("button", name="We signalled: minus two").click()

    ours = max(0, before[0] - 2)
    expect(button).to_be_hidden()
    expect(host.locator(".kp-chip-number").first).to_have_text(str(ours))
    for page in pages:
        expect(page.locator(".kp-chat-line").last).to_contain_text("Aino's side owns up to")
    # Who still reads the count reads the new score; the other side may concede too.
    expect(counts[2].get_by_role("cell").first).to_have_text(str(ours))
    expect(counts[1].get_by_role("cell").last).to_have_text(str(ours))
    host.get_by_role("button", name="Show the count").click()
    expect(counts[0].get_by_role("cell").first).to_have_text(str(ours))
    expect(host.locator(".kp-sheet tbody tr").last).to_contain_text(f"{ours}–{before[1]}")

    host.get_by_role("button", name="Next deal").click()
    for page in (phone, third, fourth):
        page.get_by_role("button", name="To the table").click()
    expect(third.get_by_role("button", name="We signalled")).to_be_hidden()
    late = fourth.get_by_role("button", name="We signalled")
    expect(late).to_be_visible()
    assert_fits(phone)  # the other partner's phone has the button too
    late.click()
    fourth.get_by_role("button", name="We signalled: minus two").click()
    theirs = max(0, before[1] - 2)
    expect(fourth.locator(".kp-chip-number").first).to_have_text(str(theirs))
    for page in pages:
        expect(page.locator(".kp-chat-line").last).to_contain_text("Guest 3's side owns up to")
    host.reload()
    expect(host.locator(".kp-chip-number").first).to_have_text(str(ours))
    expect(host.locator(".kp-chip-number").nth(1)).to_have_text(str(theirs))


def test_what_does_not_go_together_is_refused_where_it_is_chosen(
    new_person: New, server: Server
) -> None:
    page = new_person().new_page()
    page.goto("/tables/new/ristikontra-house/")
    page.get_by_label("Your name").fill("Aino")
    page.get_by_role("radio", name=re.compile("^card points")).check()
    page.get_by_role("radio", name=re.compile("^may be conceded")).check()
    page.get_by_role("button", name="Open the table").click()
    group = page.get_by_role("group", name=re.compile("^Signalling"))
    expect(group).to_contain_text("This option goes with game points only")
    expect(page.get_by_label("Your name")).to_have_value("Aino")
    assert_accessible_in_every_look(page, "refused options")
    page.get_by_role("radio", name=re.compile("^not counted")).check()
    page.get_by_role("button", name="Open the table").click()
    expect(page.locator(".kp-lobby")).to_contain_text("How a match is won: card points")
