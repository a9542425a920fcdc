"""No seat of any game is ever sent a card it may not see (CASE 23): whole matches over sockets.

What a seat may know comes from the rules alone, as in ``test_secrets.py``, which does the same for
Ristikontra and shows that such a watch would notice a leak.
"""

from __future__ import annotations

import json
import logging
import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from game import matches
from game.engine.cards import PACK
from game.tests.naive_ristiseiska import NUMBERS, NaiveDeal
from tables import live, lobby
from tables.tests.seats import Client, Table, all_connected, db, drop_all, full_table, rig, run
from tables.tests.test_secrets import (
    ORDER,
    SMALL,
    WORDS,
    Deal,
    Leak,
    cards_in,
    check_aside,
    check_log,
    deal_of,
    may_know,
    watch_log,
)

pytestmark = pytest.mark.django_db(transaction=True)

Knows = Callable[[int, Deal], set[str]]
"""What a seat may know in a deal."""


@pytest.fixture(autouse=True)
def _fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A process that has just started, and clients as quick as they can be."""
    matches.forget()
    monkeypatch.setattr(live, "BURST", 1e9)
    monkeypatch.setattr(lobby, "LINES", 10**9)
    yield
    matches.forget()


def of_tricks(each: int) -> Knows:
    """Ristikontra's kin: the hand, the trick in progress and the last trick (R13)."""
    return lambda seat, deal: may_know(seat, deal.pack, deal.dealer, deal.plays, each)


def of_rows(seats: int) -> Knows:
    """Ristiseiska: the hand, what lies face up, the last play; at the count all hands (S7, S8)."""

    def knows(seat: int, deal: Deal) -> set[str]:
        naive = NaiveDeal(deal.pack, deal.dealer, seats)
        for code in deal.plays:
            naive.play(code)
        known = {*naive.hands[seat], *deal.plays[-1:]}
        for card in set(deal.plays) & set(PACK):
            number, suit = NUMBERS[card[0]], card[1]
            finished = naive.low[suit] == 1 if number < 7 else naive.high[suit] == 13
            if number == 7 or not finished:
                known.add(card)
        if naive.over():
            known.update(card for hand in naive.hands for card in hand)
        return known

    return knows


def check(seat: int, text: str, deal: Deal, knows: Knows, own: str = "") -> dict[str, Any]:
    """A frame to a seat; ``own`` is a code that its client has just said itself."""
    message: dict[str, Any] = json.loads(text)
    allowed = knows(seat, deal)
    if message["type"] == "refused":
        # What a card waits for is a fact about the game, told of one's own cards alone (S3).
        allowed = allowed | {own, message["facts"].get("awaited", "")}
        assert message["facts"].get("card", own) == own
    if forbidden := cards_in(text) - allowed:
        raise Leak(f"card: seat {seat} is told {sorted(forbidden)} at ply {deal.ply}: {text}")
    if SMALL.search(text) or WORDS.search(text):
        raise Leak(f"card: seat {seat} is told a card in words at ply {deal.ply}: {text}")
    if message["type"] == "snapshot":
        assert (message["ply"], message["you"]) == (deal.ply, seat)
        in_suits = message["view"]["game"] == "ristiseiska"
        places = (1, 0) if in_suits else (0, 1)
        hand = message["view"]["hand"]
        order = [tuple((ORDER.index(one[0]), one[1])[place] for place in places) for one in hand]
        assert order == sorted(order)
    return message


async def ask_wrongly(
    client: Client, seat: int, code: str, kind: str, deal: Deal, knows: Knows
) -> None:
    """Say something that will be refused, and read the answer."""
    message = {"type": kind, "ply": deal.ply} | ({"code": code} if kind == "play" else {})
    await client.say(**message)
    refused = await client.expect("refused")
    check(seat, client.frames[-1], deal, knows, own=code)
    if refused["code"] == "stale":
        await client.expect("snapshot")
        check(seat, client.frames[-1], deal, knows)


async def watch(table: Table, knows: Knows, seed: object) -> int:
    """Play a match to its end at random, conceding where that can be, and read every frame."""
    rng = random.Random(f"watch {seed}")
    clients = await all_connected(table)
    conceded = 0
    deal = await db(deal_of)(table)
    told = [check(seat, client.frames[0], deal, knows) for seat, client in enumerate(clients)]
    while told[0]["status"] != "over":
        now = await db(table.position)()
        turn, seats = now.state.turn, range(len(clients))
        if rng.random() < 0.1:
            seat = rng.choice(seats)
            legal = now.game.legal(now.state) if seat == turn else []
            code = rng.choice([one for one in (*PACK, "dark", "stop", "joker") if one not in legal])
            kind = rng.choice(["play", "play", "deal"]) if turn is not None else "play"
            await ask_wrongly(clients[seat], seat, code, kind, deal, knows)
        able = [seat for seat in seats if told[seat]["view"].get("concede")]
        if able and conceded < 2 and rng.random() < 0.3:
            conceded += 1
            await clients[rng.choice(able)].say(type="concede", ply=deal.ply)
        elif turn is None:
            await clients[rng.choice(seats)].say(type="deal", ply=deal.ply)
        else:
            await clients[turn].play(rng.choice(now.game.legal(now.state)), deal.ply)
        for client in clients:
            await client.expect("snapshot")
        deal = await db(deal_of)(table)
        told = [check(seat, client.frames[-1], deal, knows) for seat, client in enumerate(clients)]
    for seat, client in enumerate(clients):
        await client.say(type="sync")
        await client.expect("snapshot")
        check(seat, client.frames[-1], deal, knows)
        for kind in ("play", "concede", "deal"):
            await ask_wrongly(client, seat, "7H", kind, deal, knows)
        for text in client.asides:
            check_aside(seat, text)
    await drop_all(clients)
    return conceded


HOUSE: dict[str, str | int] = {"values": "five-to-one", "sweep": "wipe", "signalling": "on"}


@pytest.mark.parametrize(
    ("key", "seats", "options", "score", "knows"),
    [
        *(("ristiseiska", n, {"deals": 2, "tie": "extra-deal"}, (), of_rows(n)) for n in (2, 3, 4)),
        ("ristikontra-house", 4, HOUSE, (6, 5), of_tricks(6)),
        ("ristikontra-house", 4, {"goal": "card-points"}, (50, 50), of_tricks(6)),
        ("cleaning", 4, {}, (430, 430), of_tricks(5)),
    ],
    ids=lambda value: str(value) if isinstance(value, str | int) else "",
)
def test_a_whole_match_tells_nobody_what_is_not_theirs_case_23(
    key: str,
    seats: int,
    options: dict[str, str | int],
    score: tuple[int, ...],
    knows: Knows,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    watch_log(caplog)
    rig(monkeypatch, seed=f"{key} {seats}")
    table = full_table(key, seats, **options)
    if score:
        table.set_score(*score)
    conceded = run(lambda: watch(table, knows, key))
    assert (conceded > 0) == (options is HOUSE)
    outcome = table.at().outcome
    assert outcome
    assert outcome["outcome"] == "win"
    check_log(caplog.records)


def test_the_watch_notices_a_card_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another's card, and one that has been turned face down."""
    rig(monkeypatch)
    table = full_table("ristiseiska", 3)
    deal = deal_of(table)
    other = next(card for card in PACK if card not in table.snapshot(0)["view"]["hand"])
    with pytest.raises(Leak):
        check(0, json.dumps(table.snapshot(0) | {"more": other}), deal, of_rows(3))
    plays = ["7C", "6C", "8C", *(f"{rank}C" for rank in "5432A"), "stop", "9C"]
    pack = [*plays[:-2], "9C"]
    pack += [card for card in PACK if card not in pack]
    laid = {*plays} & of_rows(2)(0, Deal(1, pack, 1, plays))
    assert laid == {"7C", "8C", "9C"}
    assert "AC" in of_rows(2)(0, Deal(1, pack, 1, plays[:-2]))


def test_the_log_is_watched() -> None:
    record = logging.LogRecord("game", logging.INFO, "", 0, "seat 1 holds %s", ("7H",), None)
    with pytest.raises(Leak):
        check_log([record])
