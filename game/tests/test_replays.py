"""A record to watch again: its frames are the engine's views, its numbers those of the plays."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from game.engine.base import replay
from game.engine.registry import newest
from game.records import FORMAT, parse, play
from game.replays import frames, summary, told
from game.tests.deals import GAME, dealt, lead_all, stack

FILES = Path(__file__).parent / "records"


def records(key):
    return [parse(line) for line in (FILES / f"{key}.jsonl").read_text().splitlines()]


def watched(plays, pack, **changes):
    """The match of one deal with these plays, seat 0 leading."""
    deal = {"dealer": 3, "pack": " ".join(pack), "plays": plays.split()}
    data = {"format": FORMAT, "game": "ristikontra", "options": {}, "seats": 4, "deals": [deal]}
    return play(parse(json.dumps(data | changes)))


# --- Frames -----------------------------------------------------------------------------------


@pytest.mark.parametrize("key", newest())
def test_the_frames_of_every_record_are_the_engines_own_views(key):
    """Deal by deal: the sheet follows from the deals before, and after each play every seat is
    shown what the engine shows it, nothing more."""
    game = newest()[key]
    for record in records(key):
        match = play(record)
        sheet = game.open(record.seats, record.options, record.deals[0].dealer)
        for number, deal in enumerate(record.deals):
            shown = frames(match, number)
            assert len(shown) == len(deal.plays) + 1
            for plays, frame in enumerate(shown):
                state = replay(game, sheet, deal.pack, deal.plays[:plays])
                assert frame == [game.view(state, seat) for seat in range(record.seats)]
            if state.turn is None:
                sheet = game.settle(state)
                for side, conceded in enumerate(deal.conceded or ()):
                    sheet = getattr(game, "concede")(sheet, side) if conceded else sheet  # noqa: B009


@pytest.mark.parametrize("key", newest())
def test_what_is_told_of_every_record_can_be_sent(key):
    for record in records(key):
        match = play(record)
        assert json.loads(json.dumps(told(match)))["deals"] == list(match.counts)


# --- Numbers ----------------------------------------------------------------------------------


def test_points_and_scores_by_deal_leave_an_unfinished_deal_out():
    record = records("ristikontra")[13]
    match = play(record)
    told = summary(match)
    assert len(told["points"]) == len(told["scores"]) == len(match.counts) - 1
    assert told["points"][0] == match.counts[0]["points"]
    assert told["scores"][0] == [0, 1]


def test_the_richest_trick_is_named_with_its_taker():
    """7 A 3 7 is 11 points for the fourth seat; the trick before has none."""
    pack = stack({0: "2C 7C", 1: "3C AD", 2: "4C 3S", 3: "5C 7H"})
    told = summary(watched("2C 3C 4C 5C 7C AD 3S 7H", pack))
    assert told["richest"] == {
        "deal": 1,
        "trick": 2,
        "points": 11,
        "seat": 3,
        "cards": ["7C", "AD", "3S", "7H"],
    }


def test_of_tricks_that_are_worth_nothing_none_is_the_richest():
    pack = stack({0: "2C", 1: "3C", 2: "4C", 3: "5C"})
    assert summary(watched("2C 3C 4C 5C", pack))["richest"] is None


def test_a_table_with_other_values_has_another_richest_trick():
    """Five to one: an ace is 5 points."""
    pack = stack({0: "2C 7C", 1: "3C AD", 2: "4C 3S", 3: "5C 7H"})
    match = watched(
        "2C 3C 4C 5C 7C AD 3S 7H", pack, game="ristikontra-house", options={"values": "five-to-one"}
    )
    assert summary(match)["richest"]["points"] == 5


def test_plays_in_the_dark_are_counted_by_seat():
    pack = stack({0: "2C", 1: "3C"}, stock="4C 5C 6D")
    assert summary(watched("2C dark 3D dark", stack({0: "2C", 2: "3D"})))["dark"] == [0, 1, 0, 1]
    assert summary(watched("2C 3C", pack))["dark"] == [0, 0, 0, 0]


def three_leads(hands):
    """After three tricks led with twos by seat 0."""
    state = lead_all(dealt(hands), "2C 2D 2H")
    assert GAME.view(state, 0)["barred"] == "2"
    return state


def plays_of(hands, leads):
    """The same three tricks as a record's plays, and what is led then."""
    state = dealt(hands)
    plays = []
    for code in leads.split():
        plays.append(code)
        state = GAME.play(state, code)
        while state.trick:
            follow = next(c for c in GAME.legal(state) if c != "dark" and c[0] != code[0])
            plays.append(follow)
            state = GAME.play(state, follow)
    return " ".join(plays)


def test_the_ban_bites_who_has_such_a_card_to_lead():
    four = {0: "2C 2D 2H 2S"}
    assert three_leads(four).hands[0]
    told = summary(watched(plays_of(four, "2C 2D 2H"), stack(four)))
    assert (told["bans"], told["bit"]) == (1, 1)


def test_the_ban_does_not_bite_who_has_no_such_card():
    three = {0: "2C 2D 2H", 1: "2S"}
    told = summary(watched(plays_of(three, "2C 2D 2H"), stack(three)))
    assert (told["bans"], told["bit"]) == (1, 0)


def test_a_game_without_sides_is_told_by_seat():
    for record in records("ristiseiska"):
        match = play(record)
        told = summary(match)
        plays = [code for deal in record.deals for code in deal.plays]
        finished = [count for count in match.counts if "winner" in count]
        assert sum(told["panttis"]) == plays.count("pantti")
        assert sum(told["out"]) == len(finished)
        assert sum(told["extras"]) <= sum(code[0] in "AK" for code in plays)
        if finished:
            assert told["dearest"]["points"] == max(max(count["points"]) for count in finished)
            assert told["scores"][-1] == finished[-1]["totals"]


def test_extra_cards_are_those_after_an_ace_or_a_king_and_stopping_is_none():
    told = [summary(play(record)) for record in records("ristiseiska")]
    assert any(sum(one["extras"]) for one in told)


def test_a_match_without_deals_has_nothing_to_tell():
    match = watched("", stack({}), deals=[])
    assert summary(match) == {"points": [], "scores": []}
