"""The computer table's ticket: what it says to whom, and what one step does."""

from __future__ import annotations

import base64
import json
import random
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import islice, pairwise
from typing import Any

import pytest
from django.conf import settings
from django.test import override_settings

from bots import computer
from bots.computer import PERSON, Ticket, seal, unseal
from bots.policies import choose_play
from bots.tests.positions import (
    BARRED,
    disguised,
    face_up,
    first,
    naive,
    opened,
    plain,
    state_of,
    steps,
    ticket,
    turn_of,
)
from game.engine.base import Illegal
from game.engine.cards import PACK
from game.engine.ristikontra import Sheet
from game.tests.deals import GAME


def refused(reason: str, call: Any, *arguments: Any) -> dict[str, Any]:
    """The facts of a refusal."""
    with pytest.raises(Illegal) as raised:
        call(*arguments)
    assert raised.value.reason == reason
    return raised.value.facts


@cache
def match(seed: int) -> list[Ticket]:
    """All tickets of a match and the first of the next."""
    tickets = []
    for one in steps(opened(seed), seed):
        tickets.append(one)
        if one.packs > 1 and one.sheet["deals"] == 0:
            break
    return tickets


def some(seed: int) -> list[Ticket]:
    """Tickets of a match from its first to its last step, a few of each deal."""
    return match(seed)[::17]


# --- Sealing ----------------------------------------------------------------------------------


def test_a_sealed_ticket_is_read_again() -> None:
    for one in some(1):
        again = unseal(seal(one), GAME)
        assert plain(again) == plain(one)
        assert state_of(again) == state_of(one)
        assert plain(unseal(seal(again), GAME)) == plain(one)


def test_a_sealed_ticket_is_text_that_needs_no_escaping() -> None:
    for one in some(1):
        assert seal(one).replace("-", "").replace("_", "").rstrip("=").isalnum()
        assert seal(one).isascii()


def test_no_two_seals_are_alike() -> None:
    """Neither the whole nor any block after the date: nobody can tell equal tickets by them."""
    one = opened(1)
    bodies = [base64.urlsafe_b64decode(seal(one))[9:] for _ in range(20)]
    blocks = [body[at : at + 16] for body in bodies for at in range(0, len(body), 16)]
    assert len(set(blocks)) == len(blocks)


def decodings(text: str) -> Iterator[bytes]:
    """What somebody might get out of a text: as it is, and base64 read from each offset."""
    yield text.encode()
    yield text[::-1].encode()
    for offset in range(4):
        part = text[offset:].rstrip("=")
        yield base64.urlsafe_b64decode(part[: len(part) // 4 * 4])


def telling(one: Ticket) -> list[bytes]:
    """Parts of a ticket that chance does not write: keys, the secret, four cards in a row."""
    cards = [
        sign.join(row[at : at + 4])
        for row in (one.pack, one.plays)
        for at in range(len(row) - 3)
        for sign in ("", " ", '","')
    ]
    keys = [f'"{key}"' for key in plain(one)]
    return [part.encode() for part in (*keys, GAME.key, one.secret[:10], *cards)]


def test_a_sealed_ticket_tells_nothing_to_whoever_decodes_it() -> None:
    for one in some(2):
        for decoded in decodings(seal(one)):
            assert not [part for part in telling(one) if part in decoded]


def test_decoding_would_find_a_ticket_that_is_only_wrapped() -> None:
    """The test above can fail."""
    one = some(2)[-2]
    wrapped = base64.urlsafe_b64encode(json.dumps(plain(one), separators=(",", ":")).encode())
    found = {
        part for text in decodings(f"A{wrapped.decode()}") for part in telling(one) if part in text
    }
    assert {b'"pack"', GAME.key.encode(), '","'.join(one.pack[:4]).encode()} <= found


@pytest.mark.parametrize("at", [0, 1, 5, 9, 20, 25, 60, 300, -40, -32, -5, -1])
def test_a_ticket_changed_anywhere_is_broken(at: int) -> None:
    """In its mark, its date, its beginning, its body and its end."""
    data = bytearray(base64.urlsafe_b64decode(seal(opened(1))))
    for bit in range(8):
        changed = data.copy()
        changed[at] ^= 1 << bit
        refused("ticket-broken", unseal, base64.urlsafe_b64encode(changed).decode(), GAME)


@pytest.mark.parametrize("at", [0, 1, 11, 12, 40, 400, -60, -10])
def test_a_ticket_with_another_letter_anywhere_is_broken(at: int) -> None:
    text = list(seal(opened(1)))
    text[at] = "B" if text[at] != "B" else "C"
    refused("ticket-broken", unseal, "".join(text), GAME)


def test_a_ticket_made_of_two_is_broken() -> None:
    one, two = seal(opened(1)), seal(opened(2))
    assert len(one) == len(two)
    for at in (24, 36, 100, len(one) - 44):
        refused("ticket-broken", unseal, one[:at] + two[at:], GAME)


@pytest.mark.parametrize("length", [1, 2, 3, 4, 12, 76, 100, 400, -4, -1])
def test_a_truncated_ticket_is_broken(length: int) -> None:
    refused("ticket-broken", unseal, seal(opened(1))[:length].rstrip("="), GAME)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "=",
        "gAAAAA==",
        "{}",
        "null",
        "\0",
        "é",
        "7♣",
        "\ud800",
        "\U0001f0d1",
        "A" * 100_000,
        "gAAAAA" * 20_000,
        "é" * 100_000,
    ],
    ids=lambda text: ascii(text[:8]) + f" {len(text)}",
)
def test_what_was_never_a_ticket_is_broken(text: str) -> None:
    refused("ticket-broken", unseal, text, GAME)


@pytest.mark.parametrize("sign", ["é", "\ud800", "\U0001f0d1", "\u2028"])
def test_a_ticket_with_a_foreign_sign_put_in_is_broken(sign: str) -> None:
    """Decoders of base64 like to pass over such signs."""
    text = seal(opened(1))
    for at in (0, 40, len(text)):
        refused("ticket-broken", unseal, text[:at] + sign + text[at:], GAME)
        refused("ticket-broken", unseal, text[:at] + sign, GAME)


def test_a_ticket_of_another_site_is_broken() -> None:
    with override_settings(SECRET_KEY="another site's key"):
        foreign = seal(opened(1))
    refused("ticket-broken", unseal, foreign, GAME)


def test_a_ticket_of_another_game_is_broken() -> None:
    for key in ("cleaning", "Ristikontra", ""):
        refused("ticket-broken", unseal, seal(replace(opened(1), game=key)), GAME)


@pytest.mark.parametrize("version", [0, 2, 99])
def test_a_ticket_of_rules_that_are_no_longer_here_is_refused_as_such(version: int) -> None:
    one = replace(opened(1), version=version)
    assert refused("unknown-version", unseal, seal(one), GAME) == {"version": version}
    refused("unknown-version", computer.step, one, None)
    refused("unknown-version", computer.position, one)


def test_tickets_of_a_key_that_was_replaced_are_read_while_it_is_a_fallback() -> None:
    """And with settings that change from one call to the next, as in a new process."""
    old = seal(opened(1))
    with override_settings(SECRET_KEY="new", SECRET_KEY_FALLBACKS=[]):
        refused("ticket-broken", unseal, old, GAME)
        new = seal(opened(2))
    with override_settings(SECRET_KEY="new", SECRET_KEY_FALLBACKS=["older", settings.SECRET_KEY]):
        assert plain(unseal(old, GAME)) == plain(opened(1))
        assert plain(unseal(new, GAME)) == plain(opened(2))
        newest = seal(unseal(old, GAME))
    with override_settings(SECRET_KEY="new", SECRET_KEY_FALLBACKS=[]):
        refused("ticket-broken", unseal, old, GAME)
        assert plain(unseal(newest, GAME)) == plain(opened(1))
    assert plain(unseal(old, GAME)) == plain(opened(1))
    refused("ticket-broken", unseal, newest, GAME)


def test_the_length_of_a_ticket_tells_nothing_of_the_cards() -> None:
    """All packs and secrets make tickets of one length."""
    assert len({len(seal(opened(4 * seed))) for seed in range(50)}) == 1
    rng = random.Random(1)
    for number in range(0, 53, 4):
        one = list(islice(steps(opened(number)), number + 1))[-1]
        deal = naive(one)
        known = {*deal.hands[PERSON], *face_up(deal)}
        lengths = {
            len(seal(replace(one, pack=list(disguised(rng, one.pack, known))))) for _ in range(20)
        }
        assert lengths == {len(seal(one))}


# --- One step ---------------------------------------------------------------------------------


def kinds(tickets: list[Ticket]) -> Iterator[tuple[str, Ticket, Ticket]]:
    """Each step of these: whose it was, the ticket before it and after it."""
    for before, after in pairwise(tickets):
        state = state_of(before)
        if state.turn is not None:
            yield "person" if state.turn == PERSON else "computer", before, after
        else:
            yield "match" if GAME.result(GAME.settle(state)) else "deal", before, after


def test_the_persons_step_is_the_persons_play_and_no_more() -> None:
    steps_of_it = [one for one in kinds(match(1)) if one[0] == "person"]
    assert len(steps_of_it) >= 13
    for _, before, after in steps_of_it:
        for code in GAME.legal(state_of(before)):
            assert computer.step(before, code) == replace(before, plays=[*before.plays, code])
        assert computer.step(before, after.plays[-1]) == after


def test_a_computers_step_is_one_play_of_its_own() -> None:
    steps_of_it = [one for one in kinds(match(1)) if one[0] == "computer"]
    assert len(steps_of_it) >= 3 * 13
    for _, before, after in steps_of_it:
        code = choose_play(GAME, state_of(before))
        assert after == replace(before, plays=[*before.plays, code])


def test_the_step_after_a_deal_deals_the_next_and_plays_nothing() -> None:
    steps_of_it = [one for one in kinds(match(1)) if one[0] == "deal"]
    assert len(steps_of_it) >= 6
    for _, before, after in steps_of_it:
        sheet = GAME.settle(state_of(before))
        assert state_of(after) == GAME.deal(sheet, tuple(after.pack))
        assert after.packs == before.packs + 1
        assert replace(after, sheet=before.sheet, packs=before.packs, pack=before.pack) == replace(
            before, plays=[]
        )


@pytest.mark.parametrize("seed", range(4))
def test_a_whole_match_is_played_and_the_step_after_it_opens_the_next(seed: int) -> None:
    """The deal moves on clockwise from deal to deal and into the rematch (R3)."""
    tickets = match(seed)
    sheet = GAME.settle(state_of(tickets[-2]))
    result = GAME.result(sheet)
    assert result is not None
    assert max(result["score"]) >= 7
    assert [kind for kind, _, _ in kinds(tickets)].count("match") == 1

    dealers = [before.sheet["dealer"] for before, after in pairwise(tickets) if not after.plays]
    assert len(dealers) == sheet.deals
    assert dealers == [(dealers[0] + number) % 4 for number in range(len(dealers))]
    again = state_of(tickets[-1])
    assert again.sheet == Sheet(dealer=(dealers[-1] + 1) % 4)
    assert again.turn == (again.sheet.dealer + 1) % 4
    assert tickets[-1].packs == len(dealers) + 1


def test_a_step_asked_for_again_gives_the_same() -> None:
    """Whichever kind it is: a page whose answer was lost asks again."""
    for kind, before, after in kinds(match(2)):
        code = after.plays[-1] if kind == "person" else None
        again = computer.step(unseal(seal(before), GAME), code)
        assert plain(again) == plain(after)


def test_a_step_changes_nothing_in_the_ticket_it_was_given() -> None:
    for kind, before, after in kinds(match(3)):
        held = repr(before)
        computer.step(before, after.plays[-1] if kind == "person" else None)
        assert repr(before) == held


# --- Refused steps ----------------------------------------------------------------------------


def test_on_the_persons_turn_no_computer_plays() -> None:
    one = first(opened(1), turn_of(PERSON))
    assert refused("your-turn", computer.step, one, None) == {}


@pytest.mark.parametrize("code", ["dark", "7C", "", "joker"])
def test_on_a_computers_turn_the_person_does_not_play(code: str) -> None:
    for seat in (1, 2, 3):
        one = first(opened(1), turn_of(seat))
        assert refused("not-your-turn", computer.step, one, code) == {}


@pytest.mark.parametrize("score", [(0, 0), (6, 6)])
def test_when_the_deal_is_over_the_person_does_not_play(score: tuple[int, int]) -> None:
    one = first(opened(1, score), turn_of(None))
    assert refused("deal-over", computer.step, one, "dark") == {}
    assert computer.step(one, None).plays == []


def test_what_the_game_refuses_is_refused_here_too() -> None:
    pack, plays = BARRED
    one = ticket(pack, plays)
    assert refused("barred", computer.step, one, "7S") == {"rank": "7"}
    assert refused("dark-barred", computer.step, one, "dark") == {"rank": "7"}
    assert refused("not-held", computer.step, one, "7C") == {"code": "7C"}
    for code in ("", "7", "7s", "DARK", "7S ", "\0", "\ud800", "7" * 5_000):
        assert refused("unknown-code", computer.step, one, code) == {"code": code}
    empty = first(opened(1), lambda state: state.turn == PERSON and not state.stock)
    assert refused("stock-empty", computer.step, empty, "dark") == {}


# --- Starting, and the packs ------------------------------------------------------------------


def test_a_match_starts_with_its_first_deal_dealt() -> None:
    one = computer.start(GAME, 4, {})
    assert state_of(one).sheet == Sheet(dealer=one.sheet["dealer"])
    assert (one.game, one.version, one.seats, one.options) == (GAME.key, GAME.version, 4, {})
    assert (one.packs, one.plays) == (1, [])


def test_what_the_game_does_not_open_is_not_started() -> None:
    refused("seats", computer.start, GAME, 3, {})
    refused("option", computer.start, GAME, 4, {"goal": "card-points"})


def test_the_first_dealer_is_drawn() -> None:
    """R3."""
    dealers = [computer.start(GAME, 4, {}).sheet["dealer"] for _ in range(200)]
    assert set(dealers) == {0, 1, 2, 3}


def test_every_pack_is_the_52_cards_and_none_comes_twice() -> None:
    """Within a match, on into the next, and between matches."""
    packs = [
        *(tuple(computer.start(GAME, 4, {}).pack) for _ in range(50)),
        *(tuple(one.pack) for seed in range(4) for one in match(seed) if not one.plays),
    ]
    assert len(packs) > 50 + 4 * 7
    assert all(sorted(pack) == sorted(PACK) for pack in packs)
    assert len(set(packs)) == len(packs)


def test_the_next_pack_depends_on_the_secret_and_its_number_alone() -> None:
    """Not on what is played, so that nobody plays for better cards."""
    one, two = first(opened(1), turn_of(None)), first(opened(2), turn_of(None))
    pack = computer.step(one, None).pack
    assert computer.step(replace(two, secret=one.secret), None).pack == pack
    assert computer.step(two, None).pack != pack
    assert computer.step(replace(one, packs=2), None).pack != pack


def test_secrets_are_long_and_never_the_same() -> None:
    secrets = [computer.start(GAME, 4, {}).secret for _ in range(50)]
    assert len(set(secrets)) == 50
    assert {len(bytes.fromhex(secret)) for secret in secrets} == {32}
