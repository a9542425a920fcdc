"""Every function of the lobby at every moment, and every refusal (R14, CASES 2–7, 16–22).

The moments: ``waiting`` for guests, in a ``trick``, ``between`` deals; the match ``won``, ended
because somebody ``left`` or ``closed`` before it began; the table ``gone``.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.db.models import Model, ProtectedError

from game import matches
from game.engine.base import Illegal
from game.engine.cards import PACK
from game.models import Deal, Match
from game.tests.deals import stack
from tables import lobby, people, reading
from tables.models import Line, Seat, Sitting
from tables.models import Table as TableRow
from tables.reading import at
from tables.tests.seats import (
    BROWSERS,
    NAMES,
    Table,
    full_table,
    open_table,
    rig,
    snapshots,
    won_table,
)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("seeded")]


def waiting() -> Table:
    table = open_table()
    table.claim(1)
    return table


def trick() -> Table:
    table = full_table()
    table.play_random(random.Random(1), 6)
    return table


def between() -> Table:
    table = full_table()
    table.finish_deal(random.Random(1))
    return table


def left() -> Table:
    table = trick()
    assert table.leave(1) == "drawn"
    return table


def closed() -> Table:
    table = waiting()
    assert table.leave(0) == "closed"
    return table


def gone() -> Table:
    table = trick()
    TableRow.objects.filter(code=table.code).delete()
    return table


MOMENTS: dict[str, Callable[[], Table]] = {
    "waiting": waiting,
    "trick": trick,
    "between": between,
    "won": won_table,
    "left": left,
    "closed": closed,
    "gone": gone,
}


def everything() -> list[Any]:
    """Every row there is, to say that nothing has changed."""
    models: tuple[type[Model], ...] = (Match, Deal, TableRow, Sitting, Seat, Line)
    return [list(model._default_manager.order_by("pk").values()) for model in models]


def refusal(
    command: Callable[..., object], *arguments: object, **named: object
) -> tuple[str, dict[str, Any]]:
    """Why a command is refused; and nothing has changed by it (CASE 21)."""
    before = everything()
    with pytest.raises(lobby.Refused) as refused:
        command(*arguments, **named)
    assert everything() == before
    return refused.value.code, refused.value.facts


# ---- opening -------------------------------------------------------------------------------------


def test_opening_seats_the_host_and_nobody_else() -> None:
    table = open_table("  Aino\x00 ")
    now = table.at()
    assert [seat.name for seat in now.seats] == ["Aino", "", "", ""]
    assert [bool(seat.holder) for seat in now.seats] == [True, False, False, False]
    assert now.seat_of(BROWSERS[0]) == 0
    assert now.seat_of(BROWSERS[1]) is now.seat_of("") is now.seat_of(None) is None
    assert (now.game, now.options, now.voice) == ("ristikontra", {}, False)
    assert (now.status, now.version, now.ply, now.outcome) == ("waiting", 1, 0, None)
    assert not Deal.objects.exists()


def test_opening_keeps_nothing_secret() -> None:
    """The database holds neither a browser's token nor an invite."""
    table = open_table()
    kept = repr(everything())
    assert BROWSERS[0] not in kept
    assert table.invite(1) not in kept


def test_tables_have_codes_of_their_own() -> None:
    assert len({open_table().code for _ in range(20)}) == 20


@pytest.mark.parametrize(
    ("key", "seats", "options", "reason"),
    [
        ("whist", 4, {}, "unknown-game"),
        ("ristikontra", 3, {}, "seats"),
        ("ristikontra", 4, {"goal": 3}, "option"),
        ("ristikontra-house", 4, {"goal": "card-points", "sweep": "wipe"}, "game-points-only"),
    ],
)
def test_opening_what_the_game_is_not(
    key: str, seats: int, options: dict[str, str | int], reason: str
) -> None:
    with pytest.raises(Illegal) as illegal:
        lobby.open_table(key, seats, options, BROWSERS[0], "Aino", voice=False)
    assert illegal.value.reason == reason
    assert not Match.objects.exists()
    assert not TableRow.objects.exists()


# ---- claiming ------------------------------------------------------------------------------------


def test_a_claim_seats_a_guest() -> None:
    table = open_table()
    table.claim(2)
    now = table.at()
    assert now.seat_of(BROWSERS[2]) == 2
    assert [seat.name for seat in now.seats] == ["Aino", "", "Ilmari", ""]
    assert (now.status, now.version, now.ply) == ("waiting", 2, 0)


@pytest.mark.parametrize("order", [(1, 2, 3), (3, 1, 2), (2, 3, 1)])
def test_the_last_claim_deals_the_first_deal_r14(order: tuple[int, int, int]) -> None:
    table = open_table()
    for seat in order[:2]:
        table.claim(seat)
        assert not Deal.objects.exists()
    table.claim(order[2])
    now, deal = table.at(), table.deal
    assert (now.status, now.version, now.ply) == ("playing", 4, 1)
    assert deal.number == 1
    assert sorted(deal.pack.split()) == sorted(PACK)
    assert deal.plays == ""
    assert table.turn == 0  # the dice said that seat 3 deals (R3)


def test_anybody_may_be_the_first_dealer_r3(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    dealers = {full_table().deal.sheet["dealer"] for _ in range(40)}
    assert dealers == {0, 1, 2, 3}


def test_an_invite_that_has_been_used_seats_nobody_else_case_2() -> None:
    table = open_table()
    used = table.invite(1)
    table.claim(1)
    assert refusal(lobby.claim, table.code, 1, used, "stranger", "Kyllikki")[0] == "taken"
    assert refusal(lobby.claim, table.code, 1, used, BROWSERS[1], "Väinö")[0] == "seated"


@pytest.mark.parametrize("seat", [0, 1])
def test_a_browser_has_one_seat_at_a_table(seat: int) -> None:
    table = waiting()
    assert (
        refusal(lobby.claim, table.code, 2, table.invite(2), BROWSERS[seat], "Again")[0] == "seated"
    )


def test_a_browser_may_sit_at_two_tables() -> None:
    one, two = open_table(), open_table()
    two.browsers[1] = BROWSERS[0]
    assert refusal(two.claim, 1)[0] == "seated"
    one.browsers[1] = two.browsers[1] = BROWSERS[1]
    one.claim(1)
    two.claim(1)
    assert one.at().seats[1].holder != two.at().seats[1].holder


@pytest.mark.parametrize(
    ("index", "code"), [(1, "renewed"), (0, "taken"), (4, "gone"), (99, "gone"), (-1, "gone")]
)
def test_a_wrong_signature_opens_no_seat(index: int, code: str) -> None:
    table = open_table()
    signature = table.invite(2)
    assert refusal(lobby.claim, table.code, index, signature, "x", "")[0] == code


@pytest.mark.parametrize("signature", ["", "x", ":", "Ä", "' OR 1=1 --"])
def test_a_made_up_signature_opens_no_seat(signature: str) -> None:
    table = open_table()
    assert refusal(lobby.claim, table.code, 1, signature, "x", "")[0] == "renewed"


def test_the_invite_of_another_table_opens_no_seat() -> None:
    signature = open_table().invite(1)
    table = open_table()
    assert refusal(lobby.claim, table.code, 1, signature, "x", "")[0] == "renewed"


@pytest.mark.parametrize("name", ["aino", "Áínö", "ＡＩＮＯ", "A\u200bino", " A i n o ", "Aino."])
def test_a_name_that_looks_like_anothers_is_refused_case_5(name: str) -> None:
    table = open_table()
    assert refusal(table.claim, 1, name)[0] == "name"
    table.claim(1, "Aina")


@pytest.mark.parametrize("name", ["", "  ", "\u200b", "\u202e"])
def test_any_number_may_go_without_a_name(name: str) -> None:
    table = open_table(name)
    for seat in (1, 2, 3):
        table.claim(seat, name)
    assert [seat.name for seat in table.at().seats] == [""] * 4
    assert table.at().status == "playing"


def test_a_name_without_letters_is_a_name() -> None:
    table = open_table("")
    table.claim(1, "🦊")
    table.claim(2, "🐻")
    assert refusal(table.claim, 3, " 🦊 ")[0] == "name"
    table.claim(3, "!")
    assert [seat.name for seat in table.at().seats] == ["", "🦊", "🐻", "!"]


def test_a_name_that_a_refused_claim_brought_is_free() -> None:
    table = open_table()
    refusal(lobby.claim, table.code, 1, "wrong", "x", "Väinö")
    table.claim(2, "Väinö")


@pytest.mark.parametrize(
    ("moment", "code"),
    [
        ("trick", "taken"),
        ("between", "taken"),
        ("won", "over"),
        ("left", "over"),
        ("closed", "over"),
        ("gone", "gone"),
    ],
)
def test_a_claim_after_the_start_says_why_not_case_7(moment: str, code: str) -> None:
    table = MOMENTS[moment]()
    for seat in range(4):
        signature = people.sign(people.Link.INVITE, table.code, seat, 0)
        assert refusal(lobby.claim, table.code, seat, signature, "stranger", "Kyllikki")[0] == code


def test_of_forty_who_claim_one_seat_one_gets_it_case_4() -> None:
    table = open_table()
    signature = table.invite(1)
    outcomes = []
    for number in range(40):
        try:
            lobby.claim(table.code, 1, signature, f"browser {number}", f"Guest {number}")
            outcomes.append("seated")
        except lobby.Refused as refused:
            outcomes.append(refused.code)
    assert outcomes == ["seated"] + ["taken"] * 39
    assert table.at().seat_of("browser 0") == 1
    assert table.row.version == 2


# ---- renewing invites and freeing seats ----------------------------------------------------------


def test_a_renewed_invite_makes_the_old_one_worthless() -> None:
    table = open_table()
    old = table.invite(1)
    table.turn_over(1)
    assert refusal(lobby.claim, table.code, 1, old, BROWSERS[1], "Väinö")[0] == "renewed"
    table.claim(1)
    assert table.row.version == 3


def test_the_host_frees_a_claimed_seat_for_somebody_else() -> None:
    table = waiting()
    old = people.sign(people.Link.INVITE, table.code, 1, 0)
    table.turn_over(1)
    seat = table.at().seats[1]
    assert (seat.holder, seat.name, seat.turnover) == ("", "", 1)
    assert table.at().seat_of(BROWSERS[1]) is None
    assert refusal(lobby.claim, table.code, 1, old, BROWSERS[1], "Väinö")[0] == "renewed"
    table.browsers[1] = "somebody else"
    table.claim(1, "Väinö")  # the name is free again
    assert table.at().seat_of("somebody else") == 1


@pytest.mark.parametrize("seat", [1, 2])
def test_only_the_host_turns_over(seat: int) -> None:
    table = waiting()
    code = "not-host" if seat == 1 else "not-seated"
    for index in (0, 3 - seat, 3):
        assert refusal(table.turn_over, index, by=seat)[0] == code


def test_nobody_turns_over_the_seat_under_himself() -> None:
    table = waiting()
    for seat in (0, 1):
        assert refusal(table.turn_over, seat, by=seat)[0] == "host-seat"


@pytest.mark.parametrize(
    ("browser", "code"),
    [
        (BROWSERS[0], "host-seat"),
        (BROWSERS[1], "not-host"),
        ("stranger", "not-seated"),
        ("", "not-seated"),
    ],
)
def test_the_hosts_seat_is_never_freed_before_the_match(browser: str, code: str) -> None:
    """Not even by the host; and a seat that waits for guests is nobody else's to free."""
    table = waiting()
    assert refusal(table.turn_over, 0, by=browser)[0] == code


@pytest.mark.parametrize("index", [4, 99])
def test_a_seat_that_is_not_there_is_not_turned_over(index: int) -> None:
    table = waiting()
    assert refusal(table.turn_over, index)[0] == "gone"


@pytest.mark.parametrize("moment", ["trick", "between", "gone"])
def test_seats_stay_as_they_are_after_the_start_case_6(moment: str) -> None:
    table = MOMENTS[moment]()
    for index in (1, 2, 3):
        assert refusal(table.turn_over, index)[0] == ("gone" if moment == "gone" else "started")


def test_what_a_page_does_not_show_any_more_is_not_turned_over() -> None:
    """The invite was renewed or the seat claimed meanwhile: nobody is freed by mistake."""
    table = open_table()
    table.turn_over(1)
    assert refusal(table.turn_over, 1, turnover=0)[0] == "changed"
    table.claim(1)
    assert refusal(table.turn_over, 1, taken=False)[0] == "changed"
    table.turn_over(1)
    assert refusal(table.turn_over, 1, turnover=1)[0] == "changed"


# ---- leaving (R14) -------------------------------------------------------------------------------


def test_a_guest_who_leaves_before_the_start_frees_the_seat_r14() -> None:
    table = waiting()
    old = people.sign(people.Link.INVITE, table.code, 1, 0)
    assert table.leave(1) == "freed"
    now = table.at()
    assert (now.status, now.outcome, now.version) == ("waiting", None, 3)
    assert (now.seats[1].holder, now.seats[1].name) == ("", "")
    assert refusal(lobby.claim, table.code, 1, old, "x", "")[0] == "renewed"
    assert refusal(table.leave, 1)[0] == "not-seated"
    table.claim(1)
    for seat in (2, 3):
        table.claim(seat)
    assert table.at().status == "playing"


def test_the_host_who_leaves_before_the_start_closes_the_table_r14() -> None:
    table = waiting()
    assert table.leave(0) == "closed"
    now = table.at()
    assert now.status == "over"
    assert now.outcome == {"outcome": "closed", "reason": "host", "seat": 0}
    assert "invites" not in table.snapshot(0)
    assert table.snapshot(1)["outcome"] == now.outcome  # the guests are told


@pytest.mark.parametrize("seat", range(4))
@pytest.mark.parametrize("moment", ["trick", "between"])
def test_leaving_during_a_match_draws_it_r14(moment: str, seat: int) -> None:
    table = MOMENTS[moment]()
    before = table.at()
    score = list(table.snapshot(0)["view"]["score"])
    assert table.leave(seat) == "drawn"
    now = table.at()
    assert now.status == "over"
    assert now.outcome == {"outcome": "draw", "reason": "left", "score": score, "seat": seat}
    assert now.version > before.version
    assert (now.ply, now.seats) == (before.ply, before.seats)


def test_leaving_draws_whatever_the_score_r14() -> None:
    table = full_table()
    table.set_score(6, 0)
    assert table.leave(1) == "drawn"
    outcome = table.at().outcome
    assert outcome
    assert (outcome["outcome"], outcome["score"]) == ("draw", [6, 0])
    assert "winner" not in outcome


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("moment", ["won", "left", "closed"])
def test_leaving_after_the_end_changes_nothing_r14(moment: str, seat: int) -> None:
    table = MOMENTS[moment]()
    before = everything()
    assert table.leave(seat) == "over"
    assert everything() == before


@pytest.mark.parametrize("moment", MOMENTS)
def test_only_who_sits_there_leaves(moment: str) -> None:
    table = MOMENTS[moment]()
    for browser in ("stranger", ""):
        for shown in ("waiting", "playing", "over", ""):
            assert refusal(lobby.leave, table.code, browser, shown)[0] == (
                "gone" if moment == "gone" else "not-seated"
            )


@pytest.mark.parametrize("moment", ["waiting", "trick", "between", "won", "left", "closed"])
def test_leaving_does_what_was_shown_or_nothing(moment: str) -> None:
    """Who was told that leaving frees the seat does not end a match by it."""
    table = MOMENTS[moment]()
    for shown in {"waiting", "playing", "over", "strange"} - {table.row.status}:
        assert refusal(table.leave, 1, shown) == ("changed", {})


def test_a_leave_against_the_winning_play_the_first_stands_case_20(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whoever read the table before the other's commit comes too late with what was read."""
    table = full_table()
    table.set_score(6, 6)
    table.play_random(random.Random(1), 51)
    early, last = table.at(), table.legal()[0]

    table.play(last)
    assert table.at().status == "over"
    won = everything()
    monkeypatch.setattr(lobby, "at", lambda code: early)
    assert refusal(table.leave, 2, "playing")[0] == "changed"
    assert everything() == won


def test_a_winning_play_against_a_leave_the_first_stands_case_20(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = full_table()
    table.set_score(6, 6)
    table.play_random(random.Random(1), 51)
    early, last, seat = table.position(), table.legal()[0], table.turn

    assert table.leave(2) == "drawn"
    drawn = everything()
    monkeypatch.setattr(matches, "position", lambda match, ply=None: early)
    assert refusal(table.play, last, seat)[0] == "stale"
    assert everything() == drawn


def test_a_guest_who_leaves_while_the_last_seat_is_claimed_does_not_end_the_match(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The claim came first: the match has begun, which the leaving guest has not seen (R14)."""
    table = open_table()
    table.claim(1)
    table.claim(2)
    early = table.at()
    table.claim(3)
    monkeypatch.setattr(lobby, "at", lambda code: early)
    assert refusal(table.leave, 1, "waiting")[0] == "changed"
    assert table.at().status == "playing"
    assert table.at().seats[1].name == "Väinö"


def test_the_score_of_a_draw_is_that_of_its_moment_case_20(monkeypatch: pytest.MonkeyPatch) -> None:
    """The play that ends a deal is committed while somebody is leaving: the draw counts it."""
    table = full_table()
    table.play_random(random.Random(1), 51)
    early, last = table.at(), table.legal()[0]
    taken = matches.touch

    def overtaken(*arguments: Any, **changes: Any) -> bool:
        monkeypatch.setattr(matches, "touch", taken)
        monkeypatch.setattr(lobby, "at", at)
        table.play(last)
        return taken(*arguments, **changes)

    monkeypatch.setattr(lobby, "at", lambda code: early)
    monkeypatch.setattr(matches, "touch", overtaken)
    assert table.leave(2, "playing") == "drawn"
    outcome = table.at().outcome
    assert outcome
    assert sum(outcome["score"]) == 1
    assert outcome["score"] == table.snapshot(0)["view"]["score"]


# ---- playing -------------------------------------------------------------------------------------


def test_a_play_is_kept_and_moves_version_and_ply_by_one() -> None:
    table = full_table()
    before = table.at()
    code = table.legal()[0]
    table.play(code)
    now = table.at()
    assert (now.version, now.ply) == (before.version + 1, before.ply + 1)
    assert table.deal.plays.split() == [code]
    assert table.turn == 1


def test_the_same_play_sent_twice_is_played_once_case_16() -> None:
    table = full_table()
    seat, ply, code = table.turn, table.row.ply, table.legal()[0]
    table.play(code, seat, ply)
    for _ in range(3):
        assert refusal(table.play, code, seat, ply) == ("stale", {})
    assert table.deal.plays.split() == [code]


def test_a_play_sent_again_after_a_restart_is_played_once_case_14() -> None:
    table = full_table()
    seat, ply, code = table.turn, table.row.ply, table.legal()[0]
    table.play(code, seat, ply)
    matches.forget()
    assert refusal(table.play, code, seat, ply) == ("stale", {})


@pytest.mark.parametrize("ply", [0, -1, 2, 10**14])
def test_a_play_that_answers_another_ply_is_stale(ply: int) -> None:
    table = full_table()
    assert refusal(table.play, table.legal()[0], ply=ply) == ("stale", {})


def test_of_four_who_play_at_once_one_is_heard_case_19() -> None:
    table = full_table()
    ply = table.row.ply
    hands = [table.snapshot(seat)["view"]["hand"] for seat in range(4)]
    for seat in (1, 2, 3):
        assert refusal(table.play, hands[seat][0], seat, ply) == ("not-your-turn", {})
    table.play(hands[0][0], 0, ply)
    for seat in (1, 2, 3):
        assert refusal(table.play, hands[seat][0], seat, ply) == ("stale", {})


def test_illegal_plays_are_refused_with_their_reason_case_21(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    hand = "2C 2D 2H 3C 4C 2S"
    rig(monkeypatch, stack({0: hand, 1: "AC AD AH AS KC KD"}, "5C"), dealer=3)
    table = full_table()
    assert refusal(table.play, "AC") == ("not-held", {"code": "AC"})
    assert refusal(table.play, "joker") == ("unknown-code", {"code": "joker"})
    assert refusal(table.play, "") == ("unknown-code", {"code": ""})
    for lead in ("2C", "2D", "2H"):
        table.play(lead)
        while table.turn != 0:
            table.play(next(code for code in table.legal() if code[0] not in "2d"))
    assert refusal(table.play, "2S") == ("barred", {"rank": "2"})
    assert refusal(table.play, "dark") == ("dark-barred", {"rank": "2"})
    table.play("3C")


def test_there_is_no_dark_play_without_a_stock_r4() -> None:
    table = full_table()
    table.play_random(random.Random(1), 28)
    assert refusal(table.play, "dark") == ("stock-empty", {})


@pytest.mark.parametrize("moment", ["waiting", "won", "closed", "gone"])
def test_there_is_no_play_outside_a_match_case_20(moment: str) -> None:
    table = MOMENTS[moment]()
    match = 0 if moment == "gone" else table.match
    ply = 5 if moment == "gone" else table.row.ply
    for code in ("AC", "dark"):
        assert refusal(lobby.play, lobby.Place(table.code, match, 0, "holder"), ply, code)[0] in (
            "stale",
            "deal-over",
        )


def test_there_is_no_play_after_somebody_left_case_20() -> None:
    table = left()
    assert refusal(table.play, table.legal()[0]) == ("stale", {})


def test_there_is_no_play_between_two_deals() -> None:
    table = between()
    for seat in range(4):
        assert refusal(table.play, "dark", seat) == ("deal-over", {})


@pytest.mark.parametrize("holder", ["", "0" * 64])
def test_only_the_holder_plays_and_deals(holder: str) -> None:
    """The holder stands in the condition of every command (CASES 2, 3)."""
    table = full_table()
    seat, code = table.turn, table.legal()[0]
    assert seat is not None
    assert refusal(
        lobby.play, lobby.Place(table.code, table.match, seat, holder), table.row.ply, code
    ) == (
        "stale",
        {},
    )
    table.finish_deal(random.Random(1))
    assert refusal(
        lobby.next_deal, lobby.Place(table.code, table.match, 0, holder), table.row.ply
    ) == (
        "stale",
        {},
    )


def test_a_seat_plays_with_its_own_holder_alone() -> None:
    """Each seat's holder is good for that seat: nobody plays for the next one."""
    table = full_table()
    now, code = table.at(), table.legal()[0]
    assert refusal(
        lobby.play, lobby.Place(table.code, now.match, 0, now.seats[1].holder), now.ply, code
    ) == (
        "stale",
        {},
    )


# ---- the next deal -------------------------------------------------------------------------------


@pytest.mark.parametrize("seat", range(4))
def test_anyone_seated_starts_the_next_deal_case_6(seat: int) -> None:
    table = between()
    before, old = table.at(), table.deal
    table.next_deal(seat)
    now, deal = table.at(), table.deal
    assert (now.version, now.ply) == (before.version + 1, before.ply + 1)
    assert (old.number, deal.number) == (1, 2)
    assert (old.sheet["dealer"], deal.sheet["dealer"]) == (3, 0)  # clockwise (R3)
    assert table.turn == 1
    assert sorted(deal.pack.split()) == sorted(PACK)
    assert deal.pack != old.pack


def test_the_next_deal_asked_for_twice_is_dealt_once() -> None:
    table = between()
    ply = table.row.ply
    table.next_deal(0, ply)
    for seat in range(4):
        assert refusal(table.next_deal, seat, ply) == ("stale", {})
    assert Deal.objects.count() == 2


def test_the_next_deal_asked_for_by_two_at_once_is_dealt_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Both had read the table before either commit."""
    table = between()
    ply, early = table.row.ply, table.position()
    table.next_deal(0, ply)
    monkeypatch.setattr(matches, "position", lambda match, ply=None: early)
    assert refusal(table.next_deal, 1, ply) == ("stale", {})


def test_no_deal_is_dealt_into_another() -> None:
    table = trick()
    for seat in range(4):
        assert refusal(table.next_deal, seat) == ("unfinished", {})


@pytest.mark.parametrize("moment", ["waiting", "won", "closed", "gone"])
def test_there_is_no_deal_outside_a_match(moment: str) -> None:
    table = MOMENTS[moment]()
    match = 0 if moment == "gone" else table.match
    ply = 5 if moment == "gone" else table.row.ply
    holder = "" if moment == "gone" else table.at().seats[0].holder
    assert refusal(lobby.next_deal, lobby.Place(table.code, match, 0, holder), ply) == ("stale", {})


def test_there_is_no_deal_after_somebody_left_r14() -> None:
    table = between()
    table.leave(1)
    assert refusal(table.next_deal) == ("stale", {})
    table = trick()
    table.leave(1)
    assert refusal(table.next_deal)[0] in ("stale", "unfinished")


# ---- all of it -----------------------------------------------------------------------------------


def test_versions_and_plies_only_grow() -> None:
    rng = random.Random(2)
    table = open_table()
    seen = [(table.row.version, table.row.ply)]

    def then(command: Callable[[], object]) -> None:
        command()
        seen.append((table.row.version, table.row.ply))

    then(lambda: table.claim(1))
    then(lambda: table.turn_over(2))
    then(lambda: table.leave(1))
    for seat in (1, 2, 3):
        then(lambda s=seat: table.claim(s))  # type: ignore[misc]
    for _ in range(2):
        while table.turn is not None:
            then(lambda: table.play(rng.choice(table.legal())))
        then(table.next_deal)
    then(lambda: table.leave(3))
    assert all(one[0] < two[0] for one, two in pairwise(seen))
    assert all(0 <= two[1] - one[1] <= 1 for one, two in pairwise(seen))
    assert seen[-1][1] == 2 * 53 + 1


def test_a_match_is_played_to_its_end_r12() -> None:
    rng = random.Random(3)
    table = full_table()
    deals = 0
    while table.row.status == Match.Status.PLAYING:
        if deals:
            table.next_deal(rng.randrange(4))
        table.finish_deal(rng)
        deals += 1
        assert Deal.objects.filter(count__isnull=False).count() == deals
    outcome = table.at().outcome
    assert outcome
    assert outcome["outcome"] == "win"
    assert max(outcome["score"]) >= 7
    assert outcome["score"][outcome["winner"]] == max(outcome["score"])
    assert table.row.sheet
    assert table.row.sheet["score"] == outcome["score"]
    assert table.snapshot(0)["deals"]["score"][-1] == outcome["score"]
    assert len(table.snapshot(0)["deals"]["points"]) == deals


def test_a_restart_in_a_trick_changes_nothing_case_13() -> None:
    table = trick()
    before = snapshots(table.code)
    legal = table.legal()
    matches.forget()
    assert snapshots(table.code) == before
    table.play(legal[0])


def test_what_is_rolled_back_is_not_remembered() -> None:
    table = full_table()
    before, code = table.snapshot(0), table.legal()[0]
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        table.play(code)
        raise ZeroDivisionError
    assert table.snapshot(0) == before
    table.play(code)


def test_a_position_that_is_forgotten_for_others_is_read_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(matches, "REMEMBERED", 2)
    tables = [full_table() for _ in range(4)]
    assert len(matches._positions) == 2
    for table in tables:
        table.play(table.legal()[0])
    assert [table.row.ply for table in tables] == [2] * 4


def test_a_snapshot_is_read_again_when_the_table_moves_on_under_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The version is read first, so that a snapshot is never newer than its content."""
    table = full_table()
    early = table.at()
    table.play(table.legal()[0])
    readings = iter([early, early, table.at()])
    monkeypatch.setattr(reading, "at", lambda code: next(readings))
    assert table.snapshot(0)["version"] == early.version + 1


def test_there_is_no_snapshot_of_a_table_that_is_gone_nor_for_a_free_seat() -> None:
    assert snapshots("nowhere") == {}
    assert at("nowhere") is None
    assert set(snapshots(waiting().code)) == {0, 1}


def test_only_the_host_is_sent_the_invites_and_only_for_free_seats() -> None:
    table = waiting()
    assert table.snapshot(0)["invites"] == {"2": table.invite(2), "3": table.invite(3)}
    assert "invites" not in table.snapshot(1)
    assert "invites" not in full_table().snapshot(0)


# ---- constraints of the database -----------------------------------------------------------------


def test_the_database_refuses_what_must_not_be() -> None:
    table = trick()
    row, deal, seat = table.row, table.deal, Seat.objects.get(table__code=table.code, index=1)
    outcome = {"outcome": "draw"}
    wrongs: list[Callable[[], object]] = [
        lambda: Match.objects.filter(pk=row.pk).update(status="over"),
        lambda: Match.objects.filter(pk=row.pk).update(outcome=outcome),
        lambda: Match.objects.filter(pk=row.pk).update(status="waiting", outcome=outcome),
        lambda: Match.objects.filter(pk=row.pk).update(status="strange"),
        lambda: Deal.objects.create(
            match=row, number=deal.number, sheet={}, pack="", salt="", commitment=""
        ),
        lambda: Seat.objects.create(table=seat.table, index=1),
        lambda: Seat.objects.filter(pk=seat.pk).update(index=2),
        lambda: Seat.objects.filter(pk=seat.pk).update(holder=""),
        lambda: Seat.objects.filter(pk=seat.pk).update(turnover=-1),
        lambda: TableRow.objects.create(code=table.code, match=open_table().row),
        lambda: TableRow.objects.create(code="another", match=row),
    ]
    before = everything()[1]
    for wrong in wrongs:
        with pytest.raises(IntegrityError), transaction.atomic():
            wrong()
    assert everything()[1] == before


def test_a_match_is_not_deleted_under_its_table() -> None:
    table = trick()
    with pytest.raises(ProtectedError):
        table.row.delete()


def test_nothing_of_a_deal_is_in_its_name() -> None:
    table = trick()
    assert str(table.deal) == "deal 1"
    assert not any(card in str(table.row) for card in PACK)


def test_refusals_have_words() -> None:
    """Every code that a lobby function names is worded for people."""
    from game.words import REFUSALS as GAME_WORDS
    from tables.words import REFUSALS

    codes = {"gone", "over", "taken", "renewed", "seated", "name", "not-host", "started"}
    codes |= {"host-seat", "not-seated", "stale", "not-your-turn"}
    assert codes <= set(REFUSALS)
    assert {"unfinished", "deal-over", "not-held", "barred"} <= set(GAME_WORDS)


def test_the_names_of_a_table_are_the_claimed_ones() -> None:
    assert [seat.name for seat in full_table().at().seats] == list(NAMES)


def test_reading_a_table_takes_one_statement(django_assert_num_queries: Any) -> None:
    table = full_table()
    with django_assert_num_queries(1):
        at(table.code)
    with django_assert_num_queries(1):
        snapshots(table.code)
    matches.forget()
    with django_assert_num_queries(2):
        snapshots(table.code)
