"""One's own seat elsewhere: the return link, and a lost seat's new invite (CASES 1, 2, 3, 6)."""

from __future__ import annotations

import re

import pytest
from django.conf import settings as site
from django.test import Client as Pages
from django.urls import reverse
from pytest_django import Settings

from tables import live, lobby, people, presence
from tables.models import Table as TableRow
from tables.people import Link
from tables.tests.seats import (
    Client,
    Table,
    all_connected,
    connected,
    cookie,
    db,
    drop_all,
    full_table,
    open_table,
    run,
    small_table,
    won_table,
)
from tables.tests.test_lobby import everything, refusal
from tables.words import REFUSALS

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("seeded")]

NEW = "a new phone"


def pages(browser: str | None = None) -> Pages:
    """A browser of that token, or one that has never been here."""
    client = Pages()
    if browser is not None:
        client.cookies[site.SESSION_COOKIE_NAME] = cookie(browser)
    return client


def way_back(table: Table, seat: int) -> str:
    """The return link as the holder's page shows it."""
    page = pages(table.browsers[seat]).get(reverse("tables:table", args=[table.code]))
    found = re.search(rf"/returns/{table.code}/{seat}/[\w-]+/", page.content.decode())
    assert found
    return found[0]


# ---- the return link -----------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["get", "head", "options"])
@pytest.mark.parametrize(
    "agent", ["WhatsApp/2.23.20.0", "TelegramBot (like TwitterBot)", "Mozilla/5.0"]
)
def test_looking_at_a_return_link_moves_nothing_case_1(method: str, agent: str) -> None:
    table = full_table()
    link = way_back(table, 1)
    before = everything()
    phone = pages()
    answer = getattr(phone, method)(link, headers={"User-Agent": agent, "Purpose": "prefetch"})
    assert answer.status_code == (405 if method == "options" else 200)
    assert everything() == before
    assert site.SESSION_COOKIE_NAME not in phone.cookies


def test_the_page_of_a_return_link_names_the_holder_and_is_not_kept() -> None:
    table = full_table()
    answer = pages().get(way_back(table, 1))
    text = answer.content.decode()
    assert "Väinö" in text
    assert "no-store" in answer["Cache-Control"]
    assert 'name="robots" content="noindex"' in text
    assert not set(table.snapshot(1)["view"]["hand"]) & set(re.findall(r"\b\w\w\b", text))


def test_a_page_inside_another_app_is_told_so_case_3() -> None:
    table = full_table()
    link = way_back(table, 1)
    plain, inside = (
        pages().get(link, headers={"User-Agent": agent}).content
        for agent in ("Mozilla/5.0 Firefox/140.0", "Mozilla/5.0 (Linux; Android 14; wv) Chrome/1")
    )
    assert len(inside) > len(plain)


def test_the_button_moves_the_seat_once_case_3() -> None:
    """The same seat, name, hand and score in the new browser, and the old one holds nothing."""
    table = full_table()
    link, shown = way_back(table, 1), table.snapshot(1)
    phone = pages(NEW)
    answer = phone.post(link)
    assert answer.status_code == 302
    assert answer["Location"] == reverse("tables:table", args=[table.code])
    assert phone.get(answer["Location"]).status_code == 200
    now = table.at()
    assert now.seat_of(NEW) == 1
    assert now.seat_of(table.browsers[1]) is None
    assert now.seats[1].name == "Väinö"
    assert table.snapshot(1)["view"] == shown["view"]
    assert now.ply == shown["ply"]
    assert pages(table.browsers[1]).get(answer["Location"]).status_code == 403


def test_a_browser_that_was_never_here_gets_its_token_with_the_seat() -> None:
    table = full_table()
    phone = pages()
    assert phone.post(way_back(table, 2)).status_code == 302
    assert phone.get(reverse("tables:table", args=[table.code])).status_code == 200


def test_a_return_link_is_used_up_by_using_it_case_2() -> None:
    table = full_table()
    link = way_back(table, 1)
    assert pages(NEW).post(link).status_code == 302
    before = everything()
    for browser in ("somebody", table.browsers[1], None):
        for method in ("get", "post"):
            answer = getattr(pages(browser), method)(link)
            assert answer.status_code == 410
            assert str(REFUSALS["returned"]) in answer.content.decode()
    assert refusal(lobby.move, table.code, 1, link.rstrip("/").rsplit("/", 1)[1], "x")[0] == (
        "returned"
    )
    assert everything() == before
    table.browsers[1] = NEW
    assert way_back(table, 1) != link
    assert pages("a newer phone").post(way_back(table, 1)).status_code == 302


def test_ones_own_link_in_ones_own_browser_leads_to_the_table() -> None:
    table = full_table()
    link, before = way_back(table, 1), everything()
    for method in ("get", "post"):
        answer = getattr(pages(table.browsers[1]), method)(link)
        assert answer.status_code == 302
    assert everything() == before


def test_who_has_a_seat_already_does_not_take_anothers() -> None:
    table = full_table()
    link, before = way_back(table, 1), everything()
    for method in ("get", "post"):
        assert getattr(pages(table.browsers[2]), method)(link).status_code == 409
    signature = table.back_link(1)
    for seat in (0, 1, 2, 3):
        browser = table.browsers[seat]
        assert refusal(lobby.move, table.code, 1, signature, browser)[0] == "seated"
    assert everything() == before


@pytest.mark.parametrize("made", ["invite", "another seat", "another table", "before", "made up"])
def test_nothing_else_opens_a_seat_that_is_held_case_3(made: str) -> None:
    """Nobody, the host included, gets at a claimed seat's hand alone."""
    table, other = full_table(), full_table()
    signatures = {
        "invite": people.sign(Link.INVITE, table.code, 1, 0),
        "another seat": table.back_link(2),
        "another table": other.back_link(1),
        "before": people.sign(Link.RETURN, table.code, 1, 99),
        "made up": "x" * 43,
    }
    assert refusal(lobby.move, table.code, 1, signatures[made], NEW)[0] == "returned"
    link = reverse("tables:return", args=[table.code, 1, signatures[made]])
    before = everything()
    assert pages(NEW).post(link).status_code == 410
    assert everything() == before


def test_a_return_link_is_no_invite() -> None:
    table = open_table()
    table.claim(1)
    link = reverse("tables:invite", args=[table.code, 2, table.back_link(1)])
    assert pages(NEW).post(link, {"name": ""}).status_code == 410
    empty = people.sign(Link.RETURN, table.code, 2, 0)
    assert refusal(lobby.move, table.code, 2, empty, NEW)[0] == "returned"  # nobody's to take


def test_a_return_link_is_in_its_holders_page_alone_case_3() -> None:
    table = full_table()
    links = {seat: way_back(table, seat) for seat in range(4)}
    assert len(set(links.values())) == 4
    for seat in range(4):
        page = pages(table.browsers[seat]).get(reverse("tables:table", args=[table.code]))
        assert re.findall(r"/returns/[^\"?]*", page.content.decode()) == [links[seat]]
        told = str(table.snapshot(seat))
        assert not any(link.split("/")[-2] in told for link in links.values())
    assert table.back_link(1) not in repr(everything())


def test_a_return_link_dies_with_its_table() -> None:
    table = full_table()
    link, code = way_back(table, 1), table.code
    TableRow.objects.filter(code=code).delete()
    for method in ("get", "post"):
        assert getattr(pages(NEW), method)(link).status_code == 404
    assert refusal(lobby.move, code, 1, link.rstrip("/").rsplit("/", 1)[1], NEW)[0] == "gone"
    assert refusal(lobby.move, full_table().code, 9, "x", NEW)[0] == "gone"


def test_a_freed_seats_return_link_is_worthless() -> None:
    table = open_table()
    table.claim(1)
    link, signature = way_back(table, 1), table.back_link(1)
    table.turn_over(1)
    assert refusal(lobby.move, table.code, 1, signature, NEW)[0] == "returned"
    table.claim(1)
    assert pages(NEW).post(link).status_code == 410


def test_a_seat_moves_before_during_and_after_a_match() -> None:
    for number, table in enumerate((open_table(), full_table(), won_table())):
        table.move(0, f"phone {number}")
        assert table.at().seat_of(f"phone {number}") == 0
    table.agree("again", 0, 1, 2, 3)
    assert table.at().sitting == 2
    table.move(0, "yet another")
    assert table.snapshot(0)["view"]["hand"]


def test_a_seat_that_moved_keeps_its_name_word_and_lines() -> None:
    table = won_table()
    table.say(1, "Well played", client="mine")
    table.agree("again", 1)
    table.move(1, NEW)
    assert table.at().seats[1].agrees == "again"
    table.say(1, "Well played", client="mine")  # sent again by the new page
    assert len(table.lines()) == 1
    table.agree("again", 0, 2, 3)
    assert table.at().sitting == 2


def test_the_old_page_is_told_and_plays_no_more_case_3() -> None:
    table = full_table()
    old_place = table.place(0)

    async def scenario() -> None:
        clients = await all_connected(table)
        second_tab = await connected(table, 0)
        await db(table.move)(0, NEW)
        for page in (clients[0], second_tab):
            assert await page.ending() == ("moved", 4409)
            assert "hand" not in page.received()[-1]
        phone = await connected(table, 0)
        await phone.play("dark", 1)
        for client in (phone, *clients[1:]):
            assert (await client.until("snapshot", ply=2))["view"]["trick"][0]["dark"]
        await drop_all([phone, *clients[1:]])

    run(scenario)
    for command in (
        lambda: lobby.play(old_place, 2, "dark"),
        lambda: lobby.next_deal(old_place, 2),
        lambda: lobby.say(old_place, "1", "Still me"),
        lambda: lobby.rename(old_place, "Still me"),
        lambda: lobby.agree(old_place, ""),
    ):
        assert refusal(command)[0] in ("stale", "not-your-turn", "unfinished")
    lobby.pause(old_place, True)
    assert "pause" not in presence.told([table.code])[table.code]


def test_an_old_page_that_comes_back_is_at_no_seat_case_3() -> None:
    table = full_table()
    old = cookie(table.browsers[1])
    table.move(1, NEW)

    async def scenario() -> None:
        client = Client(table.code, old)
        assert await client.connect()
        assert await client.ending() == ("not-seated", 4401)
        assert len(client.frames) == 1

    run(scenario)


def test_what_an_old_page_still_sends_is_not_carried_out_case_3(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its play is under way as the seat moves, and nothing has told it yet."""
    table = full_table()
    monkeypatch.setattr(live, "ring", lambda code: None)

    async def scenario() -> None:
        old = await connected(table, 0)
        await db(table.move)(0, NEW)
        await old.play("dark", 1)
        assert (await old.expect("refused"))["code"] == "stale"
        assert await old.ending() == ("moved", 4409)

    run(scenario)
    assert table.deal.plays == ""


# ---- QR codes ------------------------------------------------------------------------------------


def test_the_picture_of_a_return_link_is_for_its_holder_alone() -> None:
    table = full_table()
    for seat in range(4):
        path = reverse("tables:return-qr", args=[table.code, seat])
        assert table.back_link(seat) not in path
        for holder in range(4):
            answer = pages(table.browsers[holder]).get(path)
            assert answer.status_code == (200 if holder == seat else 404)
        for browser in (None, "stranger", ""):
            assert pages(browser).get(path).status_code == 404
    picture = pages(table.browsers[1]).get(reverse("tables:return-qr", args=[table.code, 1]))
    assert picture["Content-Type"] == "image/svg+xml"
    assert "no-store" in picture["Cache-Control"]
    assert pages("x").get(reverse("tables:return-qr", args=["nowhere", 1])).status_code == 404


def test_the_picture_follows_the_seat() -> None:
    table = full_table()
    path = reverse("tables:return-qr", args=[table.code, 1])
    before = pages(table.browsers[1]).get(path).content
    old = table.browsers[1]
    table.move(1, NEW)
    assert pages(old).get(path).status_code == 404
    assert pages(NEW).get(path).content != before


@pytest.mark.parametrize("method", ["post", "put", "delete"])
def test_pictures_are_only_looked_at(method: str) -> None:
    table = full_table()
    path = reverse("tables:return-qr", args=[table.code, 1])
    assert getattr(pages(table.browsers[1]), method)(path).status_code == 405


# ---- a new invite for a lost seat ----------------------------------------------------------------


def seated(table: Table, *seats: int) -> None:
    """Some process has live sockets of these seats and of no others."""
    for seat in range(4):
        if seat in seats:
            lobby.arrive("process", table.place(seat))
        else:
            presence.depart("process", table.code, seat)


def lost() -> Table:
    """A match in which seat 2's holder has disappeared; the others are there."""
    table = full_table()
    seated(table, 0, 1, 3)
    return table


def holder(table: Table, seat: int) -> str:
    return table.at().seats[seat].holder


def test_a_lost_seat_is_given_up_when_all_others_agree_case_3() -> None:
    table = lost()
    held, old = holder(table, 2), table.back_link(2)
    for seat in (0, 1):
        table.agree("reissue:2", seat)
        assert holder(table, 2) == held
        assert table.snapshot(3)["seats"][seat]["agrees"] == "reissue:2"
    table.agree("reissue:2", 3)
    now = table.at()
    assert (now.seats[2].holder, now.seats[2].name) == ("", "")
    assert [seat.agrees for seat in now.seats] == [""] * 4
    assert (now.status, now.ply) == ("playing", 1)
    assert now.seat_of(table.browsers[2]) is None
    assert refusal(lobby.move, table.code, 2, old, NEW)[0] == "returned"
    [line] = table.lines()
    assert (line["kind"], line["seat"], line["name"]) == ("reissued", 2, "Ilmari")
    assert line["facts"] == {"keeper": 0}  # who has the new link


def test_who_comes_in_for_a_lost_seat_plays_its_hand_case_3() -> None:
    table = lost()
    before = table.snapshot(2)["view"]
    table.agree("reissue:2", 0, 1, 3)
    assert list(table.snapshot(0)["invites"]) == ["2"]
    assert "invites" not in table.snapshot(1)  # the keeper's alone
    table.browsers[2] = "a friend"
    table.claim(2, "Kyllikki")
    now = table.at()
    assert now.seat_of("a friend") == 2
    assert (now.status, now.ply) == ("playing", 1)
    assert table.snapshot(2)["view"] == before
    assert "invites" not in table.snapshot(0)
    assert [(line.get("kind"), line["name"]) for line in table.lines()] == [
        ("reissued", "Ilmari"),
        ("taken", "Kyllikki"),
    ]
    for _ in range(3):
        table.play(table.legal()[-1])


def test_whoever_held_a_lost_seat_is_at_no_seat_any_more() -> None:
    table = lost()
    old_place, old = table.place(2), cookie(table.browsers[2])
    table.agree("reissue:2", 0, 1, 3)
    for command in (
        lambda: lobby.say(old_place, "1", "I am back"),
        lambda: lobby.rename(old_place, "Me"),
        lambda: lobby.agree(old_place, ""),
        lambda: table.leave(2),
    ):
        assert refusal(command)[0] in ("stale", "not-seated")
    table.play("dark")
    for code in ("dark", "7H"):
        assert refusal(lobby.play, old_place, 2, code)[0] in ("stale", "not-your-turn")

    async def scenario() -> None:
        client = Client(table.code, old)
        assert await client.connect()
        assert await client.ending() == ("not-seated", 4401)

    run(scenario)


def test_the_used_and_the_first_invite_of_a_lost_seat_are_worthless_case_2() -> None:
    table = lost()
    first = people.sign(Link.INVITE, table.code, 2, 0)
    table.agree("reissue:2", 0, 1, 3)
    assert refusal(lobby.claim, table.code, 2, first, NEW, "")[0] == "renewed"
    second = table.invite(2)
    table.turn_over(2)  # the keeper may renew it, as the seat is empty
    assert refusal(lobby.claim, table.code, 2, second, NEW, "")[0] == "renewed"
    lobby.claim(table.code, 2, table.invite(2), NEW, "")
    assert refusal(table.turn_over, 2)[0] == "started"  # and it is held now


def test_only_the_keeper_renews_a_lost_seats_invite() -> None:
    table = lost()
    table.agree("reissue:2", 0, 1, 3)
    for seat in (1, 3):
        assert refusal(table.turn_over, 2, by=seat)[0] == "not-host"


def test_nobody_gives_a_seat_away_whose_holder_is_there_case_3() -> None:
    table = full_table()
    seated(table, 0, 1, 2, 3)
    for seat in (0, 1, 3):
        assert refusal(table.agree, "reissue:2", seat)[0] == "present"


def test_nobody_gives_a_seat_away_alone_case_3() -> None:
    """Neither the host nor anybody: two at least, whoever else is there."""
    table = full_table()
    seated(table, 0)
    held = holder(table, 2)
    table.agree("reissue:2", 0)
    table.agree("reissue:2", 0)
    assert holder(table, 2) == held
    table.agree("reissue:2", 1)  # away by now, but has said so
    assert holder(table, 2) == ""


def test_every_other_seat_that_is_there_must_agree_case_3() -> None:
    table = full_table()
    seated(table, 0, 1, 3)
    held = holder(table, 2)
    table.agree("reissue:2", 0, 1)
    assert holder(table, 2) == held
    seated(table, 0, 1)  # the one who has not agreed goes too
    table.agree("reissue:2", 1)
    assert holder(table, 2) == ""


def test_it_holds_when_the_one_who_has_not_agreed_goes_case_3() -> None:
    table = full_table()
    seated(table, 0, 1, 3)
    held = holder(table, 2)
    table.agree("reissue:2", 0, 1)
    lobby.give_up_lost([table.code])
    assert holder(table, 2) == held
    seated(table, 0, 1)
    version = table.row.version
    lobby.give_up_lost(["elsewhere"])
    assert holder(table, 2) == held
    lobby.give_up_lost([table.code])
    assert holder(table, 2) == ""
    assert table.row.version > version
    assert len(table.lines()) == 1
    version = table.row.version
    lobby.give_up_lost([table.code])  # once is enough, and nobody is told anew
    assert table.row.version == version


def test_it_never_holds_by_one_alone_nor_when_the_match_is_over_case_3() -> None:
    table = full_table()
    seated(table, 0, 1, 3)
    table.agree("reissue:2", 0)
    seated(table, 0)
    lobby.give_up_lost([table.code])
    assert holder(table, 2)
    seated(table, 0, 1, 3)
    table.agree("reissue:2", 1)
    seated(table, 0, 1)
    table.leave(3)
    lobby.give_up_lost([table.code])
    assert holder(table, 2)


def test_two_lost_seats_are_two_questions() -> None:
    table = full_table()
    seated(table, 0, 1)
    table.agree("reissue:2", 0)
    table.agree("reissue:3", 1)
    assert all(holder(table, seat) for seat in range(4))
    table.agree("reissue:3", 0)
    assert (bool(holder(table, 2)), bool(holder(table, 3))) == (True, False)
    table.agree("reissue:2", 0, 1)
    assert not holder(table, 2)
    assert set(table.snapshot(0)["invites"]) == {"2", "3"}


def test_a_word_taken_back_counts_no_more() -> None:
    table = lost()
    table.agree("reissue:2", 0, 1)
    table.agree("", 0)
    table.agree("reissue:2", 3)
    assert holder(table, 2)
    table.agree("reissue:2", 0)
    assert not holder(table, 2)


def test_what_was_agreed_is_void_when_the_person_comes_back_case_3() -> None:
    table = lost()
    table.agree("reissue:2", 0, 1)
    version = table.row.version
    lobby.arrive("process", table.place(2))
    assert [seat.agrees for seat in table.at().seats] == [""] * 4
    assert table.row.version == version + 1  # which the others are told
    assert refusal(table.agree, "reissue:2", 3)[0] == "present"
    seated(table, 0, 1, 3)  # gone again
    table.agree("reissue:2", 3)
    assert holder(table, 2)


def test_who_comes_back_does_not_void_what_is_agreed_about_another() -> None:
    table = full_table()
    seated(table, 0)
    table.agree("reissue:2", 0)
    lobby.arrive("process", table.place(1))
    assert table.at().seats[0].agrees == "reissue:2"
    table.agree("reissue:2", 1)
    assert not holder(table, 2)


def test_the_hosts_own_seat_may_be_lost_and_the_next_keeps_the_invites_case_6() -> None:
    table = full_table()
    seated(table, 1, 2, 3)
    table.agree("reissue:0", 1, 2, 3)
    assert table.at().keeper == 1
    assert list(table.snapshot(1)["invites"]) == ["0"]
    answer = pages(table.browsers[1]).get(reverse("tables:qr", args=[table.code, 0]))
    assert answer.status_code == 200
    for seat in (0, 2):
        browser = table.browsers[seat]
        assert pages(browser).get(reverse("tables:qr", args=[table.code, 0])).status_code == 404
    table.browsers[0] = "a friend"
    table.claim(0, "Kyllikki")
    assert table.at().keeper == 0


@pytest.mark.parametrize("moment", ["waiting", "over"])
def test_seats_are_given_up_so_during_a_match_alone(moment: str) -> None:
    table = open_table() if moment == "waiting" else won_table()
    if moment == "waiting":
        table.claim(1)
    for seat in (0, 1):
        assert refusal(table.agree, "reissue:3", seat)[0] == "stale"


@pytest.mark.parametrize("to", ["reissue:0", "reissue:4", "reissue:9"])
def test_ones_own_seat_and_seats_that_are_not_there_are_not_lost(to: str) -> None:
    table = lost()
    assert refusal(table.agree, to, 0)[0] == "stale"


def test_an_empty_seat_is_not_lost_again() -> None:
    table = lost()
    table.agree("reissue:2", 0, 1, 3)
    assert refusal(table.agree, "reissue:2", 0)[0] == "stale"


def test_at_a_table_of_two_no_seat_is_given_away_case_3() -> None:
    """One other would decide alone, and see the hand."""
    table = small_table(2)
    presence.arrive("process", table.code, 0)
    assert refusal(table.agree, "reissue:1", 0) == ("two-seats", {})
    assert holder(table, 1)
    assert "two" in str(REFUSALS["two-seats"])


def test_at_a_table_of_three_both_others_must_agree_case_3() -> None:
    table = small_table(3)
    for seat in (0, 2):
        presence.arrive("process", table.code, seat)
    table.agree("reissue:1", 0)
    presence.depart("process", table.code, 2)  # yet one alone is not enough
    table.agree("reissue:1", 0)
    assert holder(table, 1)
    table.agree("reissue:1", 2)
    assert not holder(table, 1)


def test_a_match_is_left_while_a_seat_is_empty_r14() -> None:
    table = lost()
    table.agree("reissue:2", 0, 1, 3)
    assert table.leave(1) == "drawn"
    assert refusal(lobby.claim, table.code, 2, table.invite(2), NEW, "")[0] == "over"


def test_an_empty_seats_turn_waits_for_whoever_comes() -> None:
    table = lost()
    for _ in range(2):
        table.play(table.legal()[-1])
    assert table.turn == 2
    table.agree("reissue:2", 0, 1, 3)
    for seat in (0, 1, 3):
        assert refusal(table.play, "dark", seat)[0] == "not-your-turn"
    table.browsers[2] = "a friend"
    table.claim(2, "")
    table.play(table.legal()[-1])
    assert table.turn == 3


def test_all_is_told_over_the_sockets_case_3() -> None:
    """The notice to all, the invite to the keeper, the newcomer's hand, the old page refused."""
    table = full_table()
    hand = table.snapshot(2)["view"]["hand"]
    old = cookie(table.browsers[2])

    async def scenario() -> None:
        clients = {seat: await connected(table, seat) for seat in (0, 1, 3)}
        for seat in (0, 1, 3):
            await clients[seat].say(type="agree", to="reissue:2")
        shown = await clients[0].until("snapshot", status="playing")
        while shown["seats"][2]["taken"]:
            shown = await clients[0].until("snapshot")
        assert list(shown["invites"]) == ["2"]
        for client in clients.values():
            await client.hears(1)
            assert client.lines[0]["kind"] == "reissued"
        table.browsers[2] = "a friend"
        await db(table.claim)(2, "Kyllikki")
        friend = await connected(table, 2)
        shown = await db(table.snapshot)(2)
        assert shown["view"]["hand"] == hand
        await friend.hears(2)
        lost_one = Client(table.code, old)
        assert await lost_one.connect()
        assert await lost_one.ending() == ("not-seated", 4401)
        await drop_all([*clients.values(), friend])

    run(scenario)


@pytest.mark.parametrize("by", ["parting", "pulse"])
def test_the_last_who_had_not_agreed_goes_and_all_are_told_case_3(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, by: str
) -> None:
    """As the socket parts; or by the pulse, if the process died that had it."""
    settings.TABLES_GRACE = 0.0
    settings.TABLES_PULSE = 0.02 if by == "pulse" else 60.0
    table = full_table()

    async def scenario() -> None:
        clients = {seat: await connected(table, seat) for seat in (0, 1, 3)}
        for seat in (0, 1):
            await clients[seat].say(type="agree", to="reissue:2")
        shown = await clients[3].until("snapshot")
        while [one.get("agrees") for one in shown["seats"]].count("reissue:2") < 2:
            shown = await clients[3].until("snapshot")
        if by == "pulse":
            monkeypatch.setattr(live, "_depart", _nothing)  # which nobody does
            await clients[3].drop()
            await db(presence.depart)(live.PROCESS, table.code, 3)
        else:
            await clients[3].drop()
        shown = await clients[0].until("snapshot")
        while shown["seats"][2]["taken"]:
            shown = await clients[0].until("snapshot")
        assert list(shown["invites"]) == ["2"]
        await drop_all([clients[0], clients[1]])

    run(scenario)
    assert not holder(table, 2)


async def _nothing(code: str, seat: int) -> None:
    """A process that has died does nothing any more."""


def test_coming_back_over_the_socket_voids_it_case_3() -> None:
    table = full_table()

    async def scenario() -> None:
        clients = {seat: await connected(table, seat) for seat in (0, 1, 3)}
        for seat in (0, 1):
            await clients[seat].say(type="agree", to="reissue:2")
        agreed = ["reissue:2", "reissue:2", None, None]
        while [
            one.get("agrees") for one in (await clients[3].until("snapshot"))["seats"]
        ] != agreed:
            pass
        back = await connected(table, 2)
        shown = await clients[3].until("snapshot")
        assert not any("agrees" in one for one in shown["seats"])
        await clients[3].say(type="agree", to="reissue:2")
        assert (await clients[3].until("refused"))["code"] == "present"
        await drop_all([*clients.values(), back])

    run(scenario)
    assert holder(table, 2)
