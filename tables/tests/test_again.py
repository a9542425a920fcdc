"""After the match: another one with the same seats (R3, CASES 6, 7, 20)."""

from __future__ import annotations

import random
from typing import Any

import pytest
from django.db import IntegrityError, transaction

from game import matches
from game.models import Deal, Match
from tables import live, lobby, people, presence
from tables.models import Sitting
from tables.models import Table as TableRow
from tables.tests.seats import (
    BROWSERS,
    Table,
    all_connected,
    connected,
    db,
    drop_all,
    full_table,
    open_table,
    run,
    small_table,
    won_table,
)
from tables.tests.test_lobby import MOMENTS, everything, left, refusal

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("seeded")]


def here(table: Table, *seats: int) -> None:
    """Some process has live sockets of these seats and of no others."""
    for seat in range(4):
        if seat in seats:
            presence.arrive("process", table.code, seat)
        else:
            presence.depart("process", table.code, seat)


def again() -> Table:
    """A second match, just dealt."""
    table = won_table()
    table.agree("again", 0, 1, 2, 3)
    return table


def waits() -> Table:
    """A second match that waits for seat 3, whose holder went and was freed."""
    table = won_table()
    table.agree("again", 0, 1, 2)
    table.turn_over(3, by=1)
    return table


def win(table: Table) -> None:
    table.set_score(6, 6)
    table.finish_deal(random.Random(1))
    assert table.row.status == "over"


# ---- everybody says yes --------------------------------------------------------------------------


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (3, 1, 0, 2)])
def test_another_match_opens_when_every_seat_has_said_yes(order: tuple[int, ...]) -> None:
    table = won_table()
    before = table.at()
    for seat in order[:3]:
        table.agree("again", seat)
        now = table.at()
        assert (now.match, now.status, now.sitting) == (before.match, "over", 1)
        assert now.seats[seat].agrees == "again"
        assert table.snapshot(0)["seats"][seat]["agrees"] == "again"
    table.agree("again", order[3])
    now = table.at()
    assert now.match != before.match
    assert (now.status, now.sitting, now.outcome) == ("playing", 2, None)
    assert [seat.agrees for seat in now.seats] == [""] * 4
    assert [seat.holder for seat in now.seats] == [seat.holder for seat in before.seats]
    assert [seat.name for seat in now.seats] == [seat.name for seat in before.seats]
    view = table.snapshot(0)["view"]
    assert (view["deal"], view["score"], len(view["hand"])) == (1, [0, 0], 6)
    assert table.snapshot(0)["deals"] == {}


def test_the_deal_moves_on_to_the_next_dealer_r3(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also over several matches, and over the end of the circle; dice are thrown once."""
    table = won_table()
    assert table.deal.sheet["dealer"] == 3
    dice = getattr(matches, "secrets")  # noqa: B009
    monkeypatch.setattr(dice, "randbelow", lambda below: pytest.fail("the dealer was drawn"))
    dealers = []
    for _ in range(5):
        table.agree("again", 0, 1, 2, 3)
        dealers.append(table.deal.sheet["dealer"])
        assert table.turn == (dealers[-1] + 1) % 4
        win(table)
    assert dealers == [0, 1, 2, 3, 0]


def test_the_deal_moves_on_from_the_last_deal_that_was_dealt_r3() -> None:
    """Three deals were dealt, the third was left in the middle: its dealer was its dealer."""
    table = full_table()
    for _ in range(2):
        table.finish_deal(random.Random(1))
        table.next_deal()
    assert table.deal.sheet["dealer"] == 1
    table.play(table.legal()[0])
    table.leave(2)
    table.agree("again", 0, 1, 2, 3)
    assert table.deal.sheet["dealer"] == 2


def test_version_ply_and_said_go_on() -> None:
    table = won_table()
    table.say(0, "Again?")
    before = table.at()
    table.agree("again", 0, 1, 2, 3)
    now = table.at()
    assert now.version > before.version
    assert (now.ply, now.said) == (before.ply + 1, before.said)
    table.play(table.legal()[0], ply=now.ply)
    assert table.row.ply == now.ply + 1


def test_a_play_of_the_match_before_is_stale_in_the_next_case_16() -> None:
    table = won_table()
    now = table.at()
    place, ply = table.place(0), now.ply
    table.agree("again", 0, 1, 2, 3)
    for code in ("dark", "7H"):
        assert refusal(lobby.play, place, ply, code)[0] in ("stale", "deal-over")
        assert refusal(lobby.play, table.place(0), ply, code)[0] == "stale"
    assert refusal(lobby.next_deal, place, ply)[0] == "stale"
    assert refusal(lobby.agree, place, "again")[0] == "stale"
    assert refusal(lobby.agree, place, "")[0] == "stale"


def test_earlier_outcomes_stay_listed() -> None:
    table = won_table()
    first = table.at().outcome
    assert "earlier" not in table.snapshot(0)
    table.agree("again", 0, 1, 2, 3)
    assert table.snapshot(1)["earlier"] == [first]
    table.play(table.legal()[0])
    table.leave(1)
    second = table.at().outcome
    assert second
    assert second["outcome"] == "draw"
    assert table.snapshot(2)["earlier"] == [first]
    table.agree("again", 0, 1, 2, 3)
    assert table.snapshot(3)["earlier"] == [first, second]
    assert table.snapshot(3)["sitting"] == 3
    assert [row.number for row in Sitting.objects.order_by("pk")] == [1, 2, 3]
    assert Match.objects.count() == 3


def test_nothing_of_an_earlier_match_is_changed() -> None:
    table = won_table()
    match = table.match
    table.agree("again", 0, 1, 2)
    row = Match.objects.get(pk=match)
    deals = list(Deal.objects.filter(match=match).values())
    table.agree("again", 3)
    table.play(table.legal()[0])
    kept = Match.objects.get(pk=match)
    assert list(Deal.objects.filter(match=match).values()) == deals
    assert (kept.outcome, kept.sheet, kept.ply, kept.said) == (
        row.outcome,
        row.sheet,
        row.ply,
        row.said,
    )


def test_a_drawn_match_can_be_played_again_r14() -> None:
    """Also by whoever has left it: the seat is still theirs."""
    table = left()
    assert table.row.outcome
    assert table.row.outcome["outcome"] == "draw"
    table.agree("again", 0, 1, 2, 3)
    assert (table.at().status, table.at().sitting) == ("playing", 2)


def test_a_table_closed_before_its_match_cannot_be_played_again_r14() -> None:
    table = MOMENTS["closed"]()
    for seat in (0, 1):
        assert refusal(table.agree, "again", seat)[0] == "over"


@pytest.mark.parametrize("moment", ["waiting", "trick", "between"])
def test_nobody_asks_for_another_match_before_this_one_is_over(moment: str) -> None:
    table = MOMENTS[moment]()
    assert refusal(table.agree, "again", 0)[0] == "stale"


def test_a_word_is_taken_back() -> None:
    table = won_table()
    table.agree("again", 0, 1, 2)
    table.agree("", 1)
    table.agree("again", 3)
    assert table.at().sitting == 1
    table.agree("again", 1)
    assert table.at().sitting == 2


def test_a_word_given_twice_is_one_word() -> None:
    table = won_table()
    for _ in range(4):
        table.agree("again", 0)
    assert table.at().sitting == 1


def test_a_word_of_the_match_before_is_none_in_the_next() -> None:
    table = again()
    win(table)
    table.agree("again", 0, 1, 2)
    assert table.at().sitting == 2
    table.agree("again", 3)
    assert table.at().sitting == 3


def test_who_agreed_to_a_new_invite_has_not_agreed_to_another_match() -> None:
    table = full_table()
    here(table, 0, 1, 3)
    table.agree("reissue:2", 0)
    win(table)
    table.agree("again", 1, 2, 3)
    assert table.at().sitting == 1
    table.agree("again", 0)
    assert table.at().sitting == 2


@pytest.mark.parametrize("holder", ["", "0" * 64])
def test_nobody_says_yes_for_another(holder: str) -> None:
    table = won_table()
    for seat in range(4):
        place = lobby.Place(table.code, table.match, seat, holder)
        assert refusal(lobby.agree, place, "again")[0] == "stale"
    other = lobby.Place(table.code, table.match, 0, table.at().seats[1].holder)
    assert refusal(lobby.agree, other, "again")[0] == "stale"


def test_a_table_plays_match_after_match() -> None:
    table = won_table()
    for number in range(2, 6):
        table.agree("again", 3, 2, 1, 0)
        assert table.at().sitting == number
        win(table)
        assert len(table.snapshot(0)["earlier"]) == number - 1


def test_a_restart_in_a_second_match_changes_nothing_case_13() -> None:
    table = again()
    table.play_random(random.Random(3), 9)
    before = [table.snapshot(seat) for seat in range(4)]
    matches.forget()
    assert [table.snapshot(seat) for seat in range(4)] == before


@pytest.mark.parametrize("seats", [2, 3])
def test_tables_of_two_and_three_play_again_too(seats: int) -> None:
    """The deal goes round as many seats as there are, and the rules are the ones agreed on."""
    table = small_table(seats)
    dealer = table.deal.sheet["dealer"]
    options = table.at().options
    assert options["deals"] == 1
    for number in range(2, 5):
        play_out(table)
        for seat in range(seats):
            assert table.at().sitting == number - 1
            table.agree("again", seat)
        now = table.at()
        assert (now.sitting, now.status, now.options) == (number, "playing", options)
        dealer = (dealer + 1) % seats
        assert table.deal.sheet["dealer"] == dealer
        assert len(table.snapshot(0)["seats"]) == seats


def test_the_one_left_at_a_table_of_two_plays_again_with_somebody_else() -> None:
    table = small_table(2)
    play_out(table)
    table.turn_over(0, by=1)
    table.agree("again", 1)
    assert (table.at().status, table.at().keeper) == ("waiting", 1)
    table.browsers[0] = "a friend"
    table.claim(0, "Kyllikki")
    assert table.at().status == "playing"


def play_out(table: Table) -> None:
    """Play at random until the match is over."""
    rng = random.Random(1)
    while table.row.status == "playing":
        if table.turn is None:
            table.next_deal()
        else:
            table.play(rng.choice(table.legal()))


# ---- somebody is missing -------------------------------------------------------------------------


@pytest.mark.parametrize("by", [0, 1, 2])
def test_anybody_frees_the_seat_of_somebody_away_after_the_end_case_6(by: int) -> None:
    table = won_table()
    here(table, 0, 1, 2)
    table.turn_over(3, by=by)
    now = table.at()
    assert (now.seats[3].holder, now.seats[3].name) == ("", "")
    assert (now.sitting, now.status) == (1, "over")
    assert now.seat_of(table.browsers[3]) is None


def test_the_hosts_own_seat_is_freed_in_the_same_way_case_6() -> None:
    table = won_table()
    here(table, 1, 2, 3)
    table.turn_over(0, by=2)
    table.agree("again", 1, 2, 3)
    now = table.at()
    assert (now.sitting, now.status, now.keeper) == (2, "waiting", 1)
    assert list(table.snapshot(1)["invites"]) == ["0"]
    assert all("invites" not in table.snapshot(seat) for seat in (2, 3))
    table.browsers[0] = "a friend"
    table.claim(0, "Kyllikki")
    assert table.at().status == "playing"


def test_nobody_frees_the_seat_of_somebody_who_is_there() -> None:
    table = won_table()
    here(table, 0, 1, 2, 3)
    for by in (0, 1, 2):
        assert refusal(table.turn_over, 3, by=by)[0] == "present"
    assert refusal(table.turn_over, 3, by=3)[0] == "host-seat"
    for browser in ("stranger", ""):
        assert refusal(table.turn_over, 3, by=browser)[0] == "not-seated"


def test_a_seat_that_is_free_already_is_not_freed_again() -> None:
    table = won_table()
    table.turn_over(3)
    assert refusal(table.turn_over, 3)[0] == "present"
    assert refusal(table.turn_over, 3, turnover=0)[0] == "changed"


def test_freeing_the_last_who_has_not_said_yes_opens_the_match() -> None:
    table = won_table()
    here(table, 0, 1, 2)
    table.agree("again", 0, 1, 2)
    assert table.at().sitting == 1
    table.turn_over(3, by=1)
    now = table.at()
    assert (now.sitting, now.status) == (2, "waiting")
    assert now.ply == Match.objects.get(sitting__number=1).ply


def test_a_second_match_waits_for_a_missing_seat_with_a_new_invite_case_7() -> None:
    table = won_table()
    old = people.sign(people.Link.INVITE, table.code, 3, 0)
    dealer = table.deal.sheet["dealer"]
    table.turn_over(3)
    table.agree("again", 0, 1, 2)
    now = table.at()
    assert (now.sitting, now.status, now.begun) == (2, "waiting", False)
    shown = table.snapshot(0)
    assert "view" not in shown
    assert shown["invites"] == {"3": table.invite(3)}
    assert len(shown["earlier"]) == 1
    assert refusal(lobby.claim, table.code, 3, old, "x", "")[0] == "renewed"
    table.browsers[3] = "a friend"
    table.claim(3, "Kyllikki")
    now = table.at()
    assert (now.status, now.sitting) == ("playing", 2)
    assert table.deal.sheet["dealer"] == (dealer + 1) % 4
    assert table.snapshot(3)["view"]["hand"]


def test_an_invite_is_of_no_use_until_the_next_match_waits_case_7() -> None:
    table = won_table()
    table.turn_over(3)
    assert refusal(lobby.claim, table.code, 3, table.invite(3), "x", "")[0] == "over"
    assert all("invites" not in table.snapshot(seat) for seat in (0, 1, 2))


def test_who_was_freed_may_come_back_by_the_new_invite() -> None:
    table = waits()
    table.claim(3, "Louhi")
    assert table.at().seat_of(BROWSERS[3]) == 3
    assert table.at().status == "playing"


@pytest.mark.parametrize("free", [(1, 2), (0, 1), (1, 2, 3)])
def test_it_waits_for_as_many_as_are_missing(free: tuple[int, ...]) -> None:
    table = won_table()
    stays = [seat for seat in range(4) if seat not in free]
    for seat in free:
        table.turn_over(seat, by=stays[0])
    table.agree("again", *stays)
    now = table.at()
    assert (now.status, now.keeper) == ("waiting", stays[0])
    assert set(table.snapshot(stays[0])["invites"]) == set(map(str, free))
    for number, seat in enumerate(free):
        assert table.at().status == "waiting"
        table.browsers[seat] = f"friend {number}"
        table.claim(seat, f"Friend {'ABC'[number]}")
    assert table.at().status == "playing"


# ---- leaving while it waits ----------------------------------------------------------------------


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_whoever_leaves_a_second_waiting_frees_the_seat_alone_r14(seat: int) -> None:
    """Also the host: the others wait on, and the next keeps the invites."""
    table = waits()
    assert table.leave(seat) == "freed"
    now = table.at()
    assert (now.status, now.sitting, now.outcome) == ("waiting", 2, None)
    assert not now.seats[seat].holder
    keeper = 1 if seat == 0 else 0
    assert now.keeper == keeper
    assert set(table.snapshot(keeper)["invites"]) == {"3", str(seat)}


def test_the_last_to_wait_closes_the_table_r14() -> None:
    table = waits()
    assert [table.leave(seat) for seat in (0, 2)] == ["freed", "freed"]
    assert table.leave(1) == "closed"
    now = table.at()
    assert now.status == "over"
    assert now.outcome == {"outcome": "closed", "reason": "host", "seat": 1}
    assert refusal(table.agree, "again", 1)[0] == "over"
    assert table.leave(1) == "over"
    assert refusal(lobby.claim, table.code, 3, table.invite(3), "x", "")[0] == "over"


def test_the_keeper_frees_and_renews_in_a_second_waiting() -> None:
    """As the host does in the first: only with seats in another's keeping."""
    table = waits()
    old = table.invite(3)
    table.leave(0)
    assert refusal(table.turn_over, 3, by=2)[0] == "not-host"
    table.turn_over(3, by=1)
    assert refusal(lobby.claim, table.code, 3, old, "x", "")[0] == "renewed"
    table.turn_over(2, by=1)
    assert not table.at().seats[2].holder
    assert refusal(table.turn_over, 1, by=1)[0] == "host-seat"


def test_leaving_the_second_match_draws_it_alone_r14() -> None:
    table = again()
    table.play_random(random.Random(1), 5)
    first = Match.objects.get(sitting__number=1).outcome
    assert table.leave(2) == "drawn"
    assert Match.objects.get(sitting__number=1).outcome == first
    outcome = table.at().outcome
    assert outcome
    assert (outcome["reason"], outcome["score"]) == ("left", [0, 0])


def test_leaving_after_the_end_keeps_the_seat_and_the_word() -> None:
    table = won_table()
    table.agree("again", 0, 1, 2)
    before = everything()
    assert table.leave(3) == "over"
    assert everything() == before


# ---- over the sockets ----------------------------------------------------------------------------


def test_four_open_pages_go_on_into_the_next_match() -> None:
    """The same sockets: nobody connects anew, and each sees its own hand."""
    table = won_table()

    async def scenario() -> None:
        clients = await all_connected(table)
        for seat in (2, 0, 3):
            await clients[seat].say(type="agree", to="again")
        await clients[1].say(type="agree", to="again")
        for client in clients:
            shown = await client.until("snapshot", status="playing")
            assert (shown["sitting"], len(shown["earlier"])) == (2, 1)
            assert shown["view"]["hand"]
        for _ in range(3):
            now = await db(table.position)()
            await clients[now.state.turn or 0].play(now.game.legal(now.state)[0], now.ply)
            for client in clients:
                await client.until("snapshot", ply=now.ply + 1)
        await clients[1].say(type="say", id="1", text="Good luck")
        for client in clients:
            await client.hears(1)
        await drop_all(clients)

    run(scenario)


def test_a_page_that_asks_twice_is_told_that_the_table_has_moved_on() -> None:
    table = won_table()
    table.agree("again", 0, 1, 2)

    async def scenario() -> None:
        client = await connected(table, 3)
        for _ in range(2):
            await client.say(type="agree", to="again")
        shown = await client.until("snapshot", status="playing")
        refused = await client.until("refused")
        assert (refused["of"], refused["code"]) == ("agree", "stale")
        assert (await client.until("snapshot"))["version"] == shown["version"]
        await client.drop()

    run(scenario)
    assert table.at().sitting == 2


def test_a_freed_page_is_told_after_the_end() -> None:
    table = won_table()

    async def scenario() -> None:
        clients = {seat: await connected(table, seat) for seat in (0, 3)}
        refused: Any = await db(refusal)(table.turn_over, 3)
        assert refused[0] == "present"
        await clients[3].drop()
        await db(presence.depart)(live.PROCESS, table.code, 3)  # its grace is over
        await db(table.turn_over)(3)
        assert not (await clients[0].expect("snapshot"))["seats"][3]["taken"]
        await clients[0].drop()

    run(scenario)


# ---- the database --------------------------------------------------------------------------------


def test_the_database_refuses_two_sittings_of_one_number_or_match() -> None:
    table = again()
    row = TableRow.objects.get(code=table.code)
    first = Match.objects.get(sitting__number=1)
    other = open_table().row
    for number, match in ((2, other), (3, first)):
        with pytest.raises(IntegrityError), transaction.atomic():
            Sitting.objects.create(table=row, number=number, match=match)
