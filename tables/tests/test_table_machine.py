"""Four clients at one table, over a network that loses, doubles, delays and overtakes.

What they send goes to the services, what they are shown comes from the snapshots, and both are
compared with a plain model: every play at most once, plies without a gap, 52 cards, nothing after
the end but another match when all four say yes, and of two that exclude each other the one
committed first; every line of chat once and in order (CASES 12–16, 19, 20, 29).
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from game import matches
from game.engine.cards import PACK
from game.engine.ristikontra import State
from game.models import Deal, Match
from game.tests.naive import NaiveDeal, NaiveMatch
from tables import lobby
from tables.models import Seat, Sitting
from tables.models import Table as TableRow
from tables.reading import At, lines
from tables.tests.seats import full_table, rig, snapshots

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(900)]

SEATS = st.integers(0, 3)
ANY = st.integers(0, 999)
"""Chooses one of however many there are."""

ILLEGAL = {"not-held", "unknown-code", "barred", "dark-barred", "stock-empty"}
MOVES = {"stale", "not-your-turn", "deal-over", "unfinished", *ILLEGAL}


@dataclass(frozen=True)
class Command:
    """What a client sends: ``play``, ``deal``, ``leave`` (knowing the match to stand as ``code``
    says), ``say`` (a line that it calls ``code``) or ``agree`` (to ``code``)."""

    seat: int
    kind: str
    ply: int = 0
    code: str = ""


@dataclass
class Client:
    """A page: the snapshot it shows, and those on their way to it; the lines it has, and those
    under way, which a connection keeps in order."""

    shown: dict[str, Any]
    match: int
    """The match that the server takes its connection to be at."""
    inbox: list[dict[str, Any]] = field(default_factory=list)
    connected: bool = True
    lines: list[dict[str, Any]] = field(default_factory=list)
    said: int = 0
    sent: int = 0
    """Up to which line its connection was sent them."""
    coming: list[tuple[int, list[dict[str, Any]]]] = field(default_factory=list)

    def receive(self, snapshot: dict[str, Any]) -> None:
        """Only newer snapshots are shown."""
        if snapshot["version"] > self.shown["version"]:
            self.shown = snapshot


class TableMachine(RuleBasedStateMachine):
    """One table and the model of it."""

    def __init__(self) -> None:
        super().__init__()
        self.patch = pytest.MonkeyPatch()
        self.flight: list[Command] = []
        self.said: list[Command] = []
        self.memories: list[matches.Position] = []
        self.other_worker = False
        self.lines: list[tuple[int, str]] = []
        """Who said what, as its page calls it, in order."""
        self.agrees = [""] * 4
        self.base = 0
        """At which ply the match before this one ended."""
        self.earlier: list[dict[str, Any]] = []
        self.names = 0

    @initialize(
        dealer=SEATS,
        seed=st.integers(0, 99),
        score=st.sampled_from([(0, 0), (6, 0), (6, 6)]),
        played=st.sampled_from([0, 20, 47, 51, 52]),
    )
    def sit_down(self, dealer: int, seed: int, score: tuple[int, int], played: int) -> None:
        """As a rule the match is some deals old and the deal some plays, so that ends are near."""
        matches.forget()
        rig(self.patch, dealer=dealer, seed=seed)
        self.patch.setattr(lobby, "LINES", 10**9)
        self.table = full_table()
        self.table.set_score(*score)
        self.model = NaiveMatch(dealer)
        self.model.score = list(score)
        self.plays: list[list[str]] = []
        self.outcome: dict[str, Any] | None = None
        self.ply, self.version = 0, 0
        self.begin_deal()
        self.holders = [seat.holder for seat in self.table.at().seats]
        self.match_id = self.table.match
        self.play_on(played, seed)
        self.clients = [Client(self.read(seat), self.match_id) for seat in range(4)]

    def teardown(self) -> None:
        self.patch.undo()
        matches.forget()
        if hasattr(self, "table"):
            played = list(Sitting.objects.filter(table__code=self.table.code).values_list("match"))
            TableRow.objects.filter(code=self.table.code).delete()
            Match.objects.filter(pk__in=[match for (match,) in played]).delete()

    # ---- clients ----

    @rule(seat=SEATS, choice=ANY, wild=st.booleans())
    def choose_a_play(self, seat: int, choice: int, wild: bool) -> None:
        """As the page that is shown allows, or wildly; always answering the ply shown."""
        shown = self.clients[seat].shown
        codes = shown["view"]["legal"]
        if wild or not codes:
            codes = [*shown["view"]["hand"], "dark", *PACK[::9]]
        self.send(Command(seat, "play", shown["ply"], codes[choice % len(codes)]))

    @rule(seat=SEATS)
    def ask_for_the_next_deal(self, seat: int) -> None:
        self.send(Command(seat, "deal", self.clients[seat].shown["ply"]))

    @rule(seat=SEATS, sure=st.integers(0, 4))
    def leave(self, seat: int, sure: int) -> None:
        if sure == 4:
            self.send(Command(seat, "leave", code=self.clients[seat].shown["status"]))

    @rule(seat=SEATS)
    def say_a_line(self, seat: int) -> None:
        self.names += 1
        self.send(Command(seat, "say", code=f"line.{self.names}"))

    @rule(seats=st.lists(SEATS, min_size=2, max_size=6), doubled=st.booleans())
    def talk(self, seats: list[int], doubled: bool) -> None:
        """Lines that are there at once, some of them sent twice."""
        for seat in seats:
            self.names += 1
            line = Command(seat, "say", code=f"line.{self.names}")
            for _ in range(1 + doubled):
                self.carry_out(line)
            self.said.append(line)

    @rule(seat=SEATS, yes=st.booleans())
    def say_yes_to_another_match_or_take_it_back(self, seat: int, yes: bool) -> None:
        self.send(Command(seat, "agree", code="again" if yes else ""))

    @precondition(lambda self: self.outcome)
    @rule(order=st.permutations(range(4)))
    def all_say_yes(self, order: list[int]) -> None:
        """Everybody sees that the match is over, and wants another."""
        self.ring()
        for seat in order:
            self.carry_out(Command(seat, "agree", code="again"))

    def send(self, command: Command) -> None:
        self.flight.append(command)
        self.said.append(command)

    @precondition(lambda self: self.said)
    @rule(choice=ANY)
    def say_something_again(self, choice: int) -> None:
        """A page that has heard no answer; perhaps long ago."""
        self.flight.append(self.said[choice % len(self.said)])

    # ---- the network ----

    @precondition(lambda self: self.flight)
    @rule(choice=ANY, doubled=st.booleans())
    def a_command_arrives(self, choice: int, doubled: bool) -> None:
        """Any of those under way, in any order, perhaps once more later."""
        at = choice % len(self.flight)
        command = self.flight[at] if doubled else self.flight.pop(at)
        self.carry_out(command)

    @precondition(lambda self: self.flight)
    @rule(choice=ANY)
    def a_command_is_lost(self, choice: int) -> None:
        self.flight.pop(choice % len(self.flight))

    @rule()
    def ring(self) -> None:
        """One reading for all who are connected; rings in between are lost or one."""
        sent = snapshots(self.table.code)
        assert sorted(sent) == [0, 1, 2, 3]
        for seat, client in enumerate(self.clients):
            if client.connected:
                self.deliver(client, self.table.at())
                client.inbox.append(json.loads(sent[seat]))

    def deliver(self, client: Client, now: At) -> None:
        """What else a connection gets with a snapshot."""
        client.match = now.match
        if client.sent < now.said:
            news = lines(self.table.code, client.sent)
            told = [line for changed, _, line, _ in news if client.sent < changed <= now.said]
            client.coming.append((now.said, told))
            client.sent = now.said

    @rule(seat=SEATS)
    def lines_arrive(self, seat: int) -> None:
        client = self.clients[seat]
        if client.coming:
            client.said, told = client.coming.pop(0)
            client.lines += told

    @rule(seat=SEATS, choice=ANY, doubled=st.booleans())
    def a_snapshot_arrives(self, seat: int, choice: int, doubled: bool) -> None:
        client = self.clients[seat]
        if client.inbox:
            at = choice % len(client.inbox)
            client.receive(client.inbox[at] if doubled else client.inbox.pop(at))

    @rule(seat=SEATS)
    def a_connection_breaks(self, seat: int) -> None:
        self.clients[seat].connected = False
        self.clients[seat].inbox.clear()
        self.clients[seat].coming.clear()

    @rule(seat=SEATS)
    def a_client_comes_back(self, seat: int) -> None:
        """The first snapshot after a connect is shown whatever its number; it is never older."""
        client, newest = self.clients[seat], self.read(seat)
        assert newest["version"] >= client.shown["version"]
        client.shown, client.connected = newest, True
        client.inbox.clear()
        client.coming.clear()
        client.sent = client.said  # which it tells as it comes
        self.deliver(client, self.table.at())

    # ---- the server ----

    @rule()
    def the_process_restarts(self) -> None:
        matches.forget()
        self.other_worker = False

    @rule()
    def another_worker_remembers(self) -> None:
        """Where the table stands now, for later."""
        self.memories.append(matches.position(self.match_id))

    @precondition(lambda self: self.memories)
    @rule(choice=ANY)
    def another_worker_takes_over(self, choice: int) -> None:
        """What comes next reaches a worker that was last here some plies ago."""
        matches.forget()
        memory = self.memories[choice % len(self.memories)]
        matches._positions[memory.match] = memory
        self.other_worker = True

    @rule(plays=st.integers(1, 20), choice=ANY)
    def play_on(self, plays: int, choice: int) -> None:
        """Everybody is there and quick for a while."""
        for client in getattr(self, "clients", []):
            client.match = self.match_id
        for number in range(plays):
            if self.outcome:
                return
            if self.deal.over():
                self.carry_out(Command(choice % 4, "deal", self.ply))
                continue
            codes = sorted(self.deal.may())
            code = codes[(choice + 7 * number) % len(codes)]
            self.carry_out(Command(self.deal.turn, "play", self.ply, code))

    @precondition(lambda self: self.deal.over())
    @rule(seat=SEATS)
    def deal_on(self, seat: int) -> None:
        self.carry_out(Command(seat, "deal", self.ply))

    # ---- commands against the model ----

    def refusals(self, command: Command) -> set[str]:
        """With which codes the model refuses; none when it agrees."""
        if self.at_the_match_before(command.seat):
            return MOVES
        if command.ply != self.ply:
            # A worker that still knows that ply may find something else wrong with it first.
            return MOVES if self.other_worker else {"stale"}
        if command.kind == "deal":
            if not self.deal.over():
                return {"unfinished"}
        elif self.deal.over():
            return {"deal-over"}
        elif command.seat != self.deal.turn:
            return {"not-your-turn"}
        elif command.code not in self.deal.may():
            return ILLEGAL
        return {"stale"} if self.outcome else set()

    def carry_out(self, command: Command) -> None:
        if command.kind in ("leave", "say", "agree"):
            getattr(self, f"carry_out_{command.kind}")(command)
            return
        place = self.place(command.seat)
        refusals = self.refusals(command)
        try:
            if command.kind == "play":
                lobby.play(place, command.ply, command.code)
            else:
                lobby.next_deal(place, command.ply)
        except lobby.Refused as refused:
            assert refused.code in refusals, (command, refused.code)
            return
        assert not refusals, command
        self.ply += 1
        if command.kind == "deal":
            self.begin_deal()
            return
        self.plays[-1].append(command.code)
        self.deal.play(command.code)
        if self.deal.over():
            self.model.add(self.deal)
            if self.model.winner is not None:
                self.outcome = {
                    "outcome": "win",
                    "winner": self.model.winner,
                    "score": self.model.score,
                }

    def carry_out_leave(self, command: Command) -> None:
        status = "over" if self.outcome else "playing"
        try:
            answer = self.table.leave(command.seat, command.code)
        except lobby.Refused as refused:
            assert refused.code == "changed"
            assert command.code != status
            return
        assert command.code == status
        assert answer == ("over" if self.outcome else "drawn")
        if not self.outcome:
            self.outcome = {
                "outcome": "draw",
                "reason": "left",
                "score": list(self.model.score),
                "seat": command.seat,
            }

    def carry_out_say(self, command: Command) -> None:
        try:
            lobby.say(self.place(command.seat), command.code, f"I call it {command.code}")
        except lobby.Refused as refused:
            assert refused.code == "stale"
            assert self.at_the_match_before(command.seat)
            return
        assert not self.at_the_match_before(command.seat)
        if (command.seat, command.code) not in self.lines:
            self.lines.append((command.seat, command.code))

    def carry_out_agree(self, command: Command) -> None:
        seat, stale = command.seat, bool(command.code) and not self.outcome
        stale = stale or self.at_the_match_before(seat)
        try:
            lobby.agree(self.place(seat), command.code)
        except lobby.Refused as refused:
            assert refused.code == "stale"
            assert stale
            return
        assert not stale
        self.agrees[seat] = command.code
        if self.agrees == ["again"] * 4:
            self.begin_the_next_match()

    def begin_the_next_match(self) -> None:
        assert self.outcome
        self.earlier.append(self.outcome)
        self.outcome = None
        self.agrees = [""] * 4
        self.base, self.ply = self.ply, self.ply + 1
        self.plays = []
        self.model = NaiveMatch((self.dealer + 1) % 4)
        last, self.match_id = self.match_id, self.table.match
        assert self.match_id != last
        self.begin_deal()

    def place(self, seat: int) -> lobby.Place:
        """What the server takes a connection to be, or, while there is none, the table's page."""
        match = self.clients[seat].match if hasattr(self, "clients") else self.match_id
        return lobby.Place(self.table.code, match, seat, self.holders[seat])

    def at_the_match_before(self, seat: int) -> bool:
        return self.place(seat).match != self.match_id

    def begin_deal(self) -> None:
        row = self.table.deal
        assert row.number == len(self.plays) + 1
        assert sorted(row.pack.split()) == sorted(PACK)
        assert row.sheet["dealer"] == self.model.dealer
        self.ply = max(self.ply, 1)
        self.dealer = self.model.dealer
        self.plays.append([])
        self.deal = NaiveDeal(row.pack.split(), self.model.dealer)

    def read(self, seat: int) -> dict[str, Any]:
        return self.table.snapshot(seat)

    # ---- what always holds ----

    @invariant()
    def all_is_well(self) -> None:
        self.the_rows_are_the_models()
        self.there_are_52_cards()
        self.nobody_is_ahead_and_the_newest_show_the_table_as_it_is()
        self.everybody_has_every_line_once_and_in_order()

    def everybody_has_every_line_once_and_in_order(self) -> None:
        for client in self.clients:
            assert client.said <= len(self.lines)
            told = [(line["n"], line["seat"], line["text"]) for line in client.lines]
            assert told == [
                (number, seat, f"I call it {name}")
                for number, (seat, name) in enumerate(self.lines[: client.said], start=1)
            ]

    def the_rows_are_the_models(self) -> None:
        row = Match.objects.get(pk=self.match_id)
        assert row.ply == self.ply == self.base + sum(map(len, self.plays)) + len(self.plays)
        assert row.version >= self.version
        self.version = row.version
        assert row.outcome == self.outcome
        assert row.status == ("over" if self.outcome else "playing")
        assert row.sheet
        assert row.sheet["score"] == self.model.score
        kept = Deal.objects.filter(match=row).order_by("number").values_list("plays", flat=True)
        assert [plays.split() for plays in kept] == self.plays
        assert row.said == len(self.lines)
        seats = Seat.objects.filter(table__code=self.table.code).order_by("index")
        assert list(seats.values_list("agrees", flat=True)) == self.agrees
        sittings = Sitting.objects.filter(table__code=self.table.code).order_by("number")
        outcomes = list(sittings.values_list("match__outcome", flat=True))
        assert outcomes == [*self.earlier, self.outcome]

    def there_are_52_cards(self) -> None:
        state = matches.position(self.match_id, self.ply).state
        assert isinstance(state, State)
        cards = [card for pile in (*state.hands, *state.piles, state.stock) for card in pile]
        assert sorted([*cards, *(play.card for play in state.trick)]) == sorted(PACK)

    def nobody_is_ahead_and_the_newest_show_the_table_as_it_is(self) -> None:
        for seat, client in enumerate(self.clients):
            shown = client.shown
            assert shown["version"] <= self.version
            assert shown["ply"] <= self.ply
            if shown["version"] == self.version:
                view = shown["view"]
                assert shown["ply"] == self.ply
                assert shown["outcome"] == self.outcome
                assert shown.get("earlier", []) == self.earlier
                assert sorted(view["hand"]) == sorted(self.deal.hands[seat])
                assert view["turn"] == (None if self.deal.over() else self.deal.turn)
                assert [play["card"] for play in view["trick"]] == [
                    card for _, card, _ in self.deal.table
                ]


TestTableMachine = TableMachine.TestCase
TestTableMachine.settings = settings(
    max_examples=25,
    stateful_step_count=50,
    deadline=None,
    database=None,
    report_multiple_bugs=False,
    phases=(Phase.generate, Phase.shrink),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
