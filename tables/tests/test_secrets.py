"""No seat is ever sent a card it may not see: not in a frame, a page or the log (R13, CASES 23–26).

Whole matches are played over real sockets and everything that leaves the server is read as raw
text. Leaks planted on purpose show that the reading would notice.
"""

from __future__ import annotations

import hashlib
import json
import logging
import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from django.conf import settings as site
from django.test import Client as Pages
from django.urls import reverse

from game import matches
from game.engine.cards import PACK
from game.engine.ristikontra import Ristikontra, State
from game.models import Deal as DealRow
from game.tests.deals import shuffled
from game.words import page_words
from tables import live, lobby, people, reading, views
from tables.tests.seats import (
    Client,
    Table,
    all_connected,
    connected,
    db,
    drop_all,
    full_table,
    open_table,
    rig,
    run,
)

pytestmark = pytest.mark.django_db(transaction=True)


class Leak(AssertionError):
    """Something was told that may not be told."""


# ---- what a seat may know, from the rules alone --------------------------------------------------

ORDER = "A23456789TJQK"


@dataclass(frozen=True)
class Told:
    """What has happened in a deal, card by card, as far as it decides what may be seen."""

    hands: tuple[frozenset[str], ...]
    trick: tuple[str, ...]
    last: tuple[str, ...]
    shown: tuple[str, ...]
    """All cards played face up so far, in order."""


def tell(pack: list[str], dealer: int, plays: list[str], each: int = 6) -> Told:
    """Deal and play by R2–R6. ValueError: somebody plays a card that is not in the hand."""
    stock = list(pack)
    hands: list[list[str]] = [[], [], [], []]
    for number in range(4 * each):
        hands[(dealer + 1 + number) % 4].append(stock.pop(0))
    turn = (dealer + 1) % 4
    trick: list[tuple[int, str]] = []
    last: list[tuple[int, str]] = []
    shown = []
    for code in plays:
        if code == "dark":
            card = stock.pop(0)
        else:
            card = code
            hands[turn].remove(card)
            if stock:
                hands[turn].append(stock.pop(0))
        trick.append((turn, card))
        shown.append(card)
        turn = (turn + 1) % 4
        if len(trick) == 4:
            turn = [seat for seat, one in trick if one[0] == trick[0][1][0]][-1]
            trick, last = [], trick
    cards = [tuple(card for _, card in one) for one in (trick, last)]
    return Told(tuple(frozenset(hand) for hand in hands), cards[0], cards[1], tuple(shown))


def may_know(seat: int, pack: list[str], dealer: int, plays: list[str], each: int = 6) -> set[str]:
    """R13: one's own hand now, the trick in progress and the last trick of this deal; also once
    the match is over, for only its record opens the rest."""
    told = tell(pack, dealer, plays, each)
    return {*told.hands[seat], *told.trick, *told.last}


def test_what_a_seat_may_know_is_what_the_rules_say_r13() -> None:
    """By hand: a deal in the pack's order, seat 0 leading; 5C is the top of the stock."""
    pack = [*PACK[20:], *PACK[:20]]
    hands = [set(pack[seat:24:4]) for seat in range(4)]
    assert may_know(0, pack, 3, []) == hands[0]
    lead = pack[0]
    assert may_know(1, pack, 3, [lead]) == hands[1] | {lead}
    assert may_know(0, pack, 3, [lead]) == hands[0] | {pack[24]}  # what it drew; the lead lies open
    assert may_know(2, pack, 3, ["dark"]) == hands[2] | {pack[24]}
    trick = [lead, pack[1], pack[2], pack[3]]
    drawn = pack[24:28]
    assert may_know(3, pack, 3, trick) == hands[3] | set(trick) | {drawn[3]}
    # A trick later the first is forgotten, and whoever took it leads.
    told = tell(pack, 3, [*trick, "dark", "dark", "dark", "dark"])
    assert set(told.last) == set(pack[28:32])
    assert told.shown == (*trick, *pack[28:32])


# ---- reading what leaves the server --------------------------------------------------------------

CARD = re.compile(rf"(?=([{ORDER}][CDHS]))")
SMALL = re.compile(rf"(?<![A-Za-z0-9])[{ORDER.lower()}][cdhs](?![A-Za-z0-9])")
WORDS = re.compile(r"\b(clubs?|diamonds?|hearts?|spades?)\b", re.IGNORECASE)
TOKENS = re.compile(r"\b[A-Za-z0-9]{64}\b|/returns/\w+/\d/[\w-]{43}/")
"""Tokens against forged forms, and one's own return link, which are random letters."""


def cards_in(text: str) -> set[str]:
    """Every code of a card anywhere in a text, inside other words too."""
    return set(CARD.findall(text))


@dataclass
class Deal:
    """The deal under way, as the database has it."""

    ply: int
    pack: list[str]
    dealer: int
    plays: list[str]


def deal_of(table: Table) -> Deal:
    deal = table.deal
    return Deal(table.row.ply, deal.pack.split(), deal.sheet["dealer"], deal.plays.split())


def check_frame(seat: int, text: str, deal: Deal, own: str = "") -> None:
    """A frame to a seat. ``own`` is what the client itself has just said, which may come back."""
    message = json.loads(text)
    allowed = may_know(seat, deal.pack, deal.dealer, deal.plays)
    if message["type"] == "refused":
        allowed = allowed | {own}
    if forbidden := cards_in(text) - allowed:
        raise Leak(f"card: seat {seat} is told {sorted(forbidden)} at ply {deal.ply}: {text}")
    if SMALL.search(text) or WORDS.search(text):
        raise Leak(f"card: seat {seat} is told a card in words at ply {deal.ply}: {text}")
    if message["type"] == "snapshot":
        assert (message["ply"], message["you"]) == (deal.ply, seat)
        hand = message["view"]["hand"]
        if hand != sorted(hand, key=lambda card: (ORDER.index(card[0]), card[1])):
            raise Leak(f"order: the hand of seat {seat} is not in order at ply {deal.ply}: {hand}")


def check_aside(seat: int, text: str) -> None:
    """Who is there and what is said: nobody here says a card, so none is told."""
    if cards_in(text) or SMALL.search(text) or WORDS.search(text):
        raise Leak(f"card: seat {seat} is told beside the table: {text}")


def check_log(records: list[logging.LogRecord]) -> None:
    """The log is read by people who sit at no table: it names no card at all."""
    formatter = logging.Formatter("%(name)s %(message)s")
    for record in records:
        text = formatter.format(record)
        if cards_in(text) or WORDS.search(text):
            raise Leak(f"log: {text}")


class Site:
    """The pages of a table. They name as many cards as when no card had been dealt: the words for
    all of them, and no more."""

    def __init__(self) -> None:
        """Look at pages that have nothing to hide."""
        self.before: dict[str, Counter[str]] = {}
        self.table = open_table()
        self.table.claim(1)
        self.cookies = [self.table.cookie(seat) for seat in range(4)]
        self.visit(0, "table", reverse("tables:table", args=[self.table.code]))
        self.leave(1)
        self.visit(1, "refused", reverse("tables:table", args=["nowhere"]))
        assert len(self.before["table"]) == len(PACK)
        assert not self.before["left"]
        assert not self.before["refused"]

    def visit(self, seat: int | None, kind: str, path: str, post: dict[str, str] | None = None):
        pages = Pages()
        if seat is not None:
            pages.cookies[site.SESSION_COOKIE_NAME] = self.cookies[seat]
        response = pages.get(path) if post is None else pages.post(path, post, follow=True)
        text = response.content.decode().replace(path, "")  # its own address may look like a card
        named = Counter(CARD.findall(TOKENS.sub("", text)))
        if named - self.before.setdefault(kind, named):
            raise Leak(f"page: {path} tells seat {seat} of {named - self.before[kind]}")

    def visit_all(self) -> None:
        code = self.table.code
        for seat in range(4):
            self.visit(seat, "table", reverse("tables:table", args=[code]))
        for stranger in (
            reverse("tables:table", args=[code]),
            reverse("tables:invite", args=[code, 1, people.sign(people.Link.INVITE, code, 1, 0)]),
        ):
            self.visit(None, "refused", stranger)
        self.visit(0, "refused", reverse("tables:qr", args=[code, 1]))
        turnover = {"turnover": "0"}
        self.visit(0, "refused", reverse("tables:renew", args=[code, 1]), turnover)
        self.visit(1, "refused", reverse("tables:renew", args=[code, 2]), turnover)
        self.visit(2, "refused", reverse("tables:leave", args=[code]), {"shown": "waiting"})
        self.visit(2, "refused", reverse("tables:return-qr", args=[code, 1]))
        link = people.sign(people.Link.RETURN, code, 1, 0)
        self.visit(None, "refused", reverse("tables:return", args=[code, 1, link]))
        self.visit(2, "refused", reverse("tables:return", args=[code, 1, link]), {})

    def leave(self, seat: int) -> None:
        shown = {"shown": self.table.at().status}
        self.visit(seat, "left", reverse("tables:leave", args=[self.table.code]), shown)


# ---- whole matches -------------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def _fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Seeded dice, a process that has just started, and clients as quick as they can be."""
    matches.forget()
    rig(monkeypatch)
    monkeypatch.setattr(live, "BURST", 1e9)
    monkeypatch.setattr(lobby, "LINES", 10**9)
    yield
    matches.forget()


async def ask_wrongly(client: Client, seat: int, rng: random.Random, deal: Deal) -> None:
    """Say something that will be refused, and read the answer."""
    ply, code = deal.ply, rng.choice([*PACK, "dark", "joker"])
    told = tell(deal.pack, deal.dealer, deal.plays)
    if code in told.hands[seat] or code == "dark":
        ply -= 1
    kind = rng.choice(["play", "play", "play", "deal"])
    if kind == "deal":
        await client.say(type="deal", ply=ply if len(deal.plays) < len(PACK) else ply - 1)
    else:
        await client.play(code, ply)
    refused = await client.expect("refused")
    check_frame(seat, client.frames[-1], deal, own=code if kind == "play" else "")
    if refused["code"] == "stale":
        await client.expect("snapshot")
        check_frame(seat, client.frames[-1], deal)


def watch_a_match(seed: object, plays: int | None, pages_every: int) -> tuple[Table, int]:
    """Play at random to the match's end, or so many plays and then leave, and read everything.

    The table, and how many frames were read.
    """
    pages = Site()
    pages.table = table = full_table()
    return table, run(lambda: play_and_watch(table, pages, seed, plays, pages_every))


async def play_and_watch(
    table: Table, pages: Site, seed: object, plays: int | None, pages_every: int
) -> int:
    rng = random.Random(f"play {seed}")
    clients = await all_connected(table)
    deal = await db(deal_of)(table)
    for seat, client in enumerate(clients):
        check_frame(seat, client.frames[0], deal)
    made = 0
    while plays is None or made < plays:
        now = await db(table.position)()
        if rng.random() < 0.1:
            seat = rng.randrange(4)
            await ask_wrongly(clients[seat], seat, rng, deal)
        if now.state.turn is None:
            await clients[rng.randrange(4)].say(type="deal", ply=deal.ply)
        else:
            codes = now.game.legal(now.state)
            code = "dark" if "dark" in codes and rng.random() < 0.3 else rng.choice(codes)
            await clients[now.state.turn].play(code, deal.ply)
        frames = [await client.expect("snapshot") for client in clients]
        deal = await db(deal_of)(table)
        for seat, client in enumerate(clients):
            check_frame(seat, client.frames[-1], deal)
        made += 1
        if rng.random() < 0.1:
            seat = rng.randrange(4)
            await clients[seat].say(type="say", id=f"line.{made}", text="Well, well.")
            await clients[seat].say(type="pause", on=bool(made % 2))
        over = frames[0]["status"] == "over"
        if over or made % pages_every == 0:
            await db(pages.visit_all)()
        if over:
            break
    leaver = rng.randrange(4)
    await db(pages.leave)(leaver)
    if plays is not None:
        for seat, client in enumerate(clients):
            assert (await client.expect("snapshot"))["status"] == "over"
            check_frame(seat, client.frames[-1], deal)
    for seat, client in enumerate(clients):
        await client.say(type="sync")
        await client.expect("snapshot")
        check_frame(seat, client.frames[-1], deal)
        await ask_wrongly_after_the_end(client, seat, deal)
    await db(pages.visit_all)()
    await drop_all(clients)
    for seat, client in enumerate(clients):
        for text in client.asides:
            check_aside(seat, text)
    return sum(len(client.frames) for client in clients)


async def ask_wrongly_after_the_end(client: Client, seat: int, deal: Deal) -> None:
    for code in ("7H", "dark"):
        await client.play(code, deal.ply)
        refused = await client.expect("refused")
        check_frame(seat, client.frames[-1], deal, own=code)
        if refused["code"] == "stale":
            await client.expect("snapshot")
            check_frame(seat, client.frames[-1], deal)


def watch_log(caplog: pytest.LogCaptureFixture) -> None:
    for name in ("tables", "game", "config", "daphne", "django.channels"):
        caplog.set_level(logging.DEBUG, logger=name)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_a_whole_match_tells_nobody_what_is_not_theirs_case_23(
    seed: int, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch_log(caplog)
    rig(monkeypatch, seed=seed)
    table, frames = watch_a_match(seed, plays=None, pages_every=40)
    outcome = table.at().outcome
    assert outcome
    assert outcome["outcome"] == "win"
    assert frames > 4 * 4 * 53
    check_log(caplog.records)


@pytest.mark.parametrize(
    "plays", [0, 1, 9, 28, *(pytest.param(plays, marks=pytest.mark.slow) for plays in (51, 52, 60))]
)
def test_a_match_that_somebody_leaves_tells_nobody_more_r14(
    plays: int, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch_log(caplog)
    rig(monkeypatch, seed=plays)
    watch_a_match(plays, plays, pages_every=20)
    check_log(caplog.records)


# ---- two deals that look the same (CASE 24) ------------------------------------------------------


def random_plays(rng: random.Random, pack: list[str], dealer: int, number: int) -> list[str]:
    game = Ristikontra()
    state = game.deal(game.open(4, {}, dealer), tuple(pack))
    plays = []
    for _ in range(number):
        plays.append(rng.choice(game.legal(state)))
        state = game.play(state, plays[-1])
    return plays


def seen_by(seat: int, pack: list[str], dealer: int, plays: list[str]) -> list[Any]:
    """All that a seat has seen of cards in a deal, play by play."""
    steps = [tell(pack, dealer, plays[:number]) for number in range(len(plays) + 1)]
    return [(told.hands[seat], told.shown) for told in steps]


def twin(
    rng: random.Random, seat: int, pack: list[str], dealer: int, plays: list[str]
) -> list[str]:
    """Another pack with which the same plays can be made and the seat sees the same cards."""
    seen, other = seen_by(seat, pack, dealer, plays), list(pack)
    for _ in range(40):
        swapped = list(other)
        one, two = rng.sample(range(len(PACK)), 2)
        swapped[one], swapped[two] = other[two], other[one]
        try:
            if seen_by(seat, swapped, dealer, plays) == seen:
                other = swapped
        except ValueError:
            pass
    assert other != pack
    return other


async def all_sent(table: Table, seat: int, plays: list[str]) -> list[str]:
    """Everything a seat is sent while these plays are made and it asks for what it may not have;
    then somebody leaves."""
    client = await connected(table, seat)
    for number, code in enumerate(plays):
        ply = number + 1
        held = json.loads(client.frames[-1])["view"]["hand"]
        wrong = next(card for card in PACK[number:] + PACK[:number] if card not in held)
        await client.play(wrong, ply)
        await client.expect("refused")
        await client.say(type="deal", ply=ply)
        await client.expect("refused")
        await client.say(type="sync")
        await client.expect("snapshot")
        await db(table.play)(code)
        await client.expect("snapshot")
    await db(table.leave)((seat + 1) % 4)
    await client.expect("snapshot")
    await client.drop()
    return [re.sub('"commitment":"[0-9a-f]{64}"', "", frame) for frame in client.frames]


def check_twins(monkeypatch: pytest.MonkeyPatch, seed: object, seat: int, number: int) -> None:
    """Two deals that differ only in what a seat cannot see, played alike."""
    rng = random.Random(f"twins {seed}")
    pack, dealer = list(shuffled(rng)), rng.randrange(4)
    plays = random_plays(rng, pack, dealer, number)
    sent = []
    for each in (pack, twin(rng, seat, pack, dealer, plays)):
        rig(monkeypatch, each, dealer=dealer)
        table = full_table()
        sent.append(run(lambda t=table: all_sent(t, seat, plays)))  # type: ignore[misc]
    for one, two in zip(*sent, strict=True):
        if one != two:
            raise Leak(f"twin: seat {seat} can tell two deals apart:\n{one}\n{two}")


@pytest.mark.parametrize("seat", range(4))
@pytest.mark.parametrize("number", [4, 21, 40])
def test_two_deals_that_look_the_same_are_told_the_same_case_24(
    number: int, seat: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_twins(monkeypatch, f"{number} {seat}", seat, number)


# ---- leaks planted on purpose --------------------------------------------------------------------

Plant = Callable[[pytest.MonkeyPatch], None]
PLANTS: dict[str, tuple[str, Plant]] = {}
"""By name: which check must notice it, and how it is planted."""


def noticed_by(kind: str) -> Callable[[Plant], Plant]:
    def add(plant: Plant) -> Plant:
        PLANTS[plant.__name__] = (kind, plant)
        return plant

    return add


def in_view(
    monkeypatch: pytest.MonkeyPatch, leak: Callable[[dict[str, Any], State, int], object]
) -> None:
    """A view that has something more in it."""
    honest = Ristikontra.private

    def private(game: Ristikontra, state: State, seat: int) -> dict[str, Any]:
        shown = {**game.public(state), **honest(game, state, seat)}
        leak(shown, state, seat)
        return shown

    monkeypatch.setattr(Ristikontra, "private", private)


def in_snapshot(
    monkeypatch: pytest.MonkeyPatch,
    leak: Callable[[dict[str, Any], reading.At, matches.Position, int], object],
) -> None:
    """A snapshot that has something more in it."""
    honest = reading.Picture.snapshots

    def snapshots(picture: reading.Picture, seats: Iterable[int]) -> dict[int, str]:
        texts = honest(picture, seats)
        if picture.position is not None:
            for seat, text in texts.items():
                message = json.loads(text)
                leak(message, picture.at, picture.position, seat)
                texts[seat] = json.dumps(message)
        return texts

    monkeypatch.setattr(reading.Picture, "snapshots", snapshots)


@noticed_by("order")
def hand_as_it_was_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    in_view(monkeypatch, lambda shown, state, seat: shown.update(hand=list(state.hands[seat])))


@noticed_by("card")
def drawn_card_to_everybody(monkeypatch: pytest.MonkeyPatch) -> None:
    def leak(shown: dict[str, Any], state: State, seat: int) -> None:
        if state.trick and not state.trick[-1].dark:
            shown["drew"] = state.hands[state.trick[-1].seat][-1]

    in_view(monkeypatch, leak)


@noticed_by("card")
def top_of_the_stock_to_whoever_is_on_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    def leak(shown: dict[str, Any], state: State, seat: int) -> None:
        shown["next"] = state.stock[:1] if state.turn == seat else None

    in_view(monkeypatch, leak)


@noticed_by("card")
def top_of_the_stock_in_a_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = lobby.play

    def play(place: lobby.Place, ply: int, card: str) -> None:
        try:
            honest(place, ply, card)
        except lobby.Refused as refused:
            stock = matches.position(place.match).state.stock  # type: ignore[attr-defined]
            raise lobby.Refused(refused.code, **refused.facts, top=stock[:1]) from None

    monkeypatch.setattr(lobby, "play", play)


@noticed_by("twin")
def number_of_every_hidden_card(monkeypatch: pytest.MonkeyPatch) -> None:
    in_view(
        monkeypatch,
        lambda shown, state, seat: shown.update(ids=[PACK.index(card) for card in state.stock]),
    )


@noticed_by("twin")
def fingerprint_of_a_hidden_card(monkeypatch: pytest.MonkeyPatch) -> None:
    def leak(shown: dict[str, Any], state: State, seat: int) -> None:
        top = "".join(state.stock[:1])
        shown["back"] = hashlib.sha256(top.encode()).hexdigest()

    in_view(monkeypatch, leak)


@noticed_by("card")
def hidden_card_in_the_id_of_its_back(monkeypatch: pytest.MonkeyPatch) -> None:
    in_view(
        monkeypatch,
        lambda shown, state, seat: shown.update(backs=[f"back-{card}" for card in state.stock]),
    )


@noticed_by("card")
def hidden_card_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    in_view(monkeypatch, lambda shown, state, seat: shown.update(said="the seven of hearts"))


@noticed_by("card")
def hidden_card_in_small_letters(monkeypatch: pytest.MonkeyPatch) -> None:
    in_view(
        monkeypatch,
        lambda shown, state, seat: shown.update(b="".join(state.stock[:1]).lower()),
    )


@noticed_by("log")
def line_of_the_log_with_a_card(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = matches.play

    def play(match: int, seat: int, ply: int, code: str, guard: Any) -> None:
        honest(match, seat, ply, code, guard)
        logging.getLogger("game.matches").debug("seat %s has played %s", seat, code)

    monkeypatch.setattr(matches, "play", play)


@noticed_by("log")
def traceback_in_the_log_with_a_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = live.ring

    def ring(code: str) -> None:
        honest(code)
        seen = live.picture(code)
        if seen is not None and seen.position is not None:
            try:
                raise RuntimeError(seen.position.state)
            except RuntimeError:
                logging.getLogger("tables.live").exception("a ring failed")

    monkeypatch.setattr(live, "ring", ring)


@noticed_by("card")
def trick_before_the_last(monkeypatch: pytest.MonkeyPatch) -> None:
    def leak(shown: dict[str, Any], state: State, seat: int) -> None:
        last = {play.card for play in state.last}
        shown["older"] = [card for card in state.piles[0] + state.piles[1] if card not in last][-4:]

    in_view(monkeypatch, leak)


@noticed_by("card")
def contents_of_the_piles(monkeypatch: pytest.MonkeyPatch) -> None:
    in_view(monkeypatch, lambda shown, state, seat: shown.update(piles=state.piles))


@noticed_by("card")
def piles_opened_when_a_deal_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    def leak(shown: dict[str, Any], state: State, seat: int) -> None:
        if shown["count"]:
            shown["count"]["aces"] = sorted(card for card in state.piles[0] if card[0] == "A")

    in_view(monkeypatch, leak)


@noticed_by("card")
def last_trick_kept_into_the_next_deal(monkeypatch: pytest.MonkeyPatch) -> None:
    kept: dict[int, list[Any]] = {}

    def leak(shown: dict[str, Any], state: State, seat: int) -> None:
        if state.turn is None:
            kept[seat] = shown["last"]
        elif not state.last and seat in kept:
            shown["last"] = kept[seat]

    in_view(monkeypatch, leak)


@noticed_by("card")
def legal_plays_of_another_seat(monkeypatch: pytest.MonkeyPatch) -> None:
    in_view(monkeypatch, lambda shown, state, seat: shown.update(legal=Ristikontra().legal(state)))


@noticed_by("card")
def hand_of_ones_partner_at_the_end_of_a_deal(monkeypatch: pytest.MonkeyPatch) -> None:
    """When the stock is gone and everybody has two cards."""

    def leak(shown: dict[str, Any], state: State, seat: int) -> None:
        if len(state.hands[seat]) <= 2:
            shown["partner"] = state.hands[(seat + 2) % 4]

    in_view(monkeypatch, leak)


@noticed_by("card")
def hands_opened_when_somebody_has_left(monkeypatch: pytest.MonkeyPatch) -> None:
    def leak(message: dict[str, Any], now: reading.At, position: Any, seat: int) -> None:
        if now.status == "over":
            message["hands"] = position.state.hands

    in_snapshot(monkeypatch, leak)


@noticed_by("card")
def snapshot_of_another_seat(monkeypatch: pytest.MonkeyPatch) -> None:
    def leak(message: dict[str, Any], now: reading.At, position: Any, seat: int) -> None:
        message["view"] = position.game.view(position.state, 0)

    in_snapshot(monkeypatch, leak)


@noticed_by("page")
def pack_in_the_data_of_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = page_words

    def words() -> dict[str, dict[str, str]]:
        deal = DealRow.objects.last()
        return honest() | {"deal": {"pack": deal.pack if deal else ""}}

    monkeypatch.setattr(views, "page_words", words)


@noticed_by("page")
def hand_in_a_refusing_page(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = views._kind

    def kind(request: Any, code: str, status: int, game: Any = None) -> Any:
        response = honest(request, code, status, game)
        now = reading.at(request.resolver_match.kwargs["code"])
        if now:
            state = matches.position(now.match, now.ply).state
            response.content += f"<!-- {state} -->".encode()
        return response

    monkeypatch.setattr(views, "_kind", kind)


@pytest.mark.slow
@pytest.mark.parametrize("name", PLANTS)
def test_a_planted_leak_is_noticed(
    name: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The watch above raises, and by the check that is there for it."""
    kind, plant = PLANTS[name]
    watch_log(caplog)
    plant(monkeypatch)

    def watch() -> None:
        if kind == "twin":
            check_twins(monkeypatch, name, seat=1, number=9)
        else:
            watch_a_match(0, plays=57, pages_every=10)
            check_log(caplog.records)

    with pytest.raises(Leak, match=f"^{kind}: "):
        watch()


def test_more_than_ten_leaks_are_planted() -> None:
    assert len(PLANTS) >= 10
    assert {kind for kind, _ in PLANTS.values()} == {"card", "order", "twin", "log", "page"}
