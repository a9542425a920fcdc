"""What the lesson says of its positions happens in them, whatever the person plays."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from bots import computer, lessons
from bots.computer import PERSON, unseal
from bots.lessons import RISTIKONTRA, Position
from bots.tests.positions import state_of
from bots.tests.test_views import check_no_cookie
from game.engine.cards import is_pack, rank
from game.engine.ristikontra import DARK, VALUES, State, side
from game.tests.deals import GAME

every_position = pytest.mark.parametrize("position", RISTIKONTRA, ids=lambda one: one.key)
POSITIONS = {one.key: one for one in RISTIKONTRA}


def opened(position: Position) -> State:
    return state_of(lessons.ticket(GAME.key, position))


def played(position: Position, code: str) -> State:
    """The position after the person has played this and the computers have finished the trick."""
    ticket = computer.step(lessons.ticket(GAME.key, position), code)
    while state_of(ticket).trick:
        ticket = computer.step(ticket, None)
    return state_of(ticket)


def worth(state: State) -> int:
    """Card points of the trick that was just taken."""
    return sum(VALUES.get(rank(play.card), 0) for play in state.last)


def others(position: Position) -> list[str]:
    return [code for code in GAME.legal(opened(position)) if code not in position.right]


def test_there_are_five() -> None:
    assert list(POSITIONS) == ["take", "taken", "dark", "ban", "pile"]


@every_position
def test_it_is_the_persons_turn_with_six_cards(position: Position) -> None:
    assert is_pack(tuple(lessons.ticket(GAME.key, position).pack))
    state = opened(position)
    assert state.turn == PERSON
    assert len(state.hands[PERSON]) == 6
    assert set(position.right) <= set(GAME.legal(state))
    assert (position.otherwise == "") == (not position.right)


@every_position
def test_every_play_ends_the_trick(position: Position) -> None:
    for code in GAME.legal(opened(position)):
        state = played(position, code)
        assert len(state.last) == 4
        assert PERSON in [play.seat for play in state.last]


def test_take_a_trick() -> None:
    position = POSITIONS["take"]
    assert [play.card for play in opened(position).trick] == ["7C", "AD", "3S"]
    state = played(position, "7H")
    assert (state.turn, worth(state)) == (PERSON, 11)
    for code in others(position):
        state = played(position, code)
        assert (state.turn, state.last[0].card) == (1, "7C")
        assert "AD" in [play.card for play in state.last]


def test_be_taken() -> None:
    position = POSITIONS["taken"]
    state = played(position, "KH")
    assert [play.card[0] for play in state.last[:2]] == ["K", "K"]
    assert (state.last[3].seat, state.last[3].card[0]) == (3, "A")
    assert (state.turn, worth(state)) == (1, 19)


def test_the_dark() -> None:
    position = POSITIONS["dark"]
    before = opened(position)
    assert "6" not in map(rank, before.hands[PERSON])
    assert all(rank(card) in VALUES for card in before.hands[PERSON])
    state = played(position, DARK)
    mine = next(play for play in state.last if play.seat == PERSON)
    assert (mine.card, mine.dark, worth(state)) == ("8D", True, 0)
    assert state.hands[PERSON] == before.hands[PERSON]
    for code in others(position):
        state = played(position, code)
        assert state.turn == 3
        assert worth(state) >= VALUES[rank(code)]


def test_the_ban() -> None:
    position = POSITIONS["ban"]
    before = opened(position)
    assert GAME.view(before, PERSON)["barred"] == "7"
    assert "7S" in before.hands[PERSON]
    assert not {"7S", DARK} & set(GAME.legal(before))
    for code in GAME.legal(before):
        assert GAME.view(played(position, code), PERSON)["barred"] is None


def test_pile_on_for_the_partner() -> None:
    position = POSITIONS["pile"]
    assert "9" not in map(rank, opened(position).hands[PERSON])
    state = played(position, "AS")
    assert (state.turn, worth(state)) == (2, 11)
    for code in others(position):
        state = played(position, code)
        assert side(state.turn or 0) == side(PERSON)
        assert worth(state) == 0


# --- Its page ---------------------------------------------------------------------------------

PAGE = reverse("bots:lesson", args=[GAME.key])


def data(client: Client) -> Any:
    answer = client.get(PAGE)
    assert answer.status_code == 200
    check_no_cookie(answer)
    return answer.context["page"]


def test_the_page_has_every_position_sealed(client: Client) -> None:
    positions = data(client)["positions"]
    assert [one["title"] for one in positions] == [str(one.title) for one in RISTIKONTRA]
    for one, position in zip(positions, RISTIKONTRA, strict=True):
        ticket = unseal(one["ticket"], GAME)
        assert ticket.plays == position.plays.split()
        assert one["view"] == GAME.view(state_of(ticket), PERSON)
        assert "pack" not in one


def test_a_position_is_played_by_the_tables_own_step(client: Client) -> None:
    page = data(client)
    answer = client.post(
        page["step"],
        {"ticket": page["positions"][0]["ticket"], "code": "7H"},
        content_type="application/json",
    )
    assert [play["card"] for play in answer.json()["view"]["last"]] == ["7C", "AD", "3S", "7H"]


def test_games_without_a_lesson_have_no_page(client: Client) -> None:
    for key in ("cleaning", "ristiseiska", "poker"):
        assert client.get(reverse("bots:lesson", args=[key])).status_code == 404


def test_another_secret_would_not_change_a_position() -> None:
    """Nothing of a lesson comes from dice."""
    ticket = lessons.ticket(GAME.key, RISTIKONTRA[0])
    assert state_of(replace(ticket, secret="f" * 64)) == state_of(ticket)
