"""Tables of every game: two to four seats, no sides, options, and conceding (S9, S11, H4)."""

from __future__ import annotations

import json
import random
import re
from typing import Any

import pytest
from django.conf import settings
from django.test import Client as Pages
from django.urls import reverse

from game import matches
from game.engine.base import replay
from game.engine.house import House
from game.engine.registry import find, newest
from game.engine.ristikontra import points
from game.forms import ChoiceForm
from game.models import Deal, Match
from game.records import Deal as RecordedDeal
from game.records import Record, check, dumps, parse
from game.tests.deals import find_deal
from game.words import REFUSALS, rules_line, title
from tables import lobby, protocol
from tables.models import Line
from tables.tests.seats import (
    Table,
    all_connected,
    connected,
    drop_all,
    full_table,
    open_table,
    rig,
    run,
)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("seeded")]


def pages_of(table: Table | None = None, seat: int = 0) -> Pages:
    """The pages as a seat's browser asks for them, or a stranger's."""
    pages = Pages()
    if table is not None:
        pages.cookies[settings.SESSION_COOKIE_NAME] = table.cookie(seat)
    return pages


def page_data(table: Table, seat: int) -> dict[str, Any]:
    page = pages_of(table, seat).get(reverse("tables:table", args=[table.code])).content.decode()
    found = re.search('<script id="kp-page" type="application/json">(.*?)</script>', page)
    assert found
    data: dict[str, Any] = json.loads(found[1])
    return data


# ---- opening -------------------------------------------------------------------------------------


def choices(key: str) -> list[dict[str, str]]:
    """Every value of every choice of a game, one at a time, as its form sends it."""
    game = newest()[key]
    plain = {"name": "", **{name: str(values[0]) for name, values in game.options.items()}}
    if len(game.seats) > 1:
        plain["seats"] = str(game.seats[-1])
    others = {**{n: v[1:] for n, v in game.options.items()}, "seats": game.seats[:-1]}
    return [plain] + [plain | {n: str(one)} for n, values in others.items() for one in values]


@pytest.mark.parametrize("key", newest())
def test_every_choice_opens_a_table(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tables.views.limited", lambda *nothing: False)
    game = newest()[key]
    for choice in choices(key):
        answer = Pages().post(reverse("tables:new", args=[key]), choice)
        assert answer.status_code == 302
        row = Match.objects.latest("pk")
        seats = int(choice.get("seats", game.seats[0]))
        assert (row.game, row.seats) == (key, seats)
        assert {name: str(one) for name, one in row.options.items()} == {
            name: choice[name] for name in game.options
        }
        assert all(row.options[name] in values for name, values in game.options.items())


@pytest.mark.parametrize(
    ("choice", "field"),
    [
        ({"goal": "card-points", "sweep": "wipe"}, "sweep"),
        ({"goal": "card-points", "signalling": "on"}, "signalling"),
    ],
)
def test_what_does_not_go_together_opens_no_table_h2(choice: dict[str, str], field: str) -> None:
    data = choices("ristikontra-house")[0] | choice
    answer = Pages().post(reverse("tables:new", args=["ristikontra-house"]), data)
    assert answer.status_code == 200
    assert answer.context["form"].errors == {field: [str(REFUSALS["game-points-only"])]}
    page = answer.content.decode()
    assert page.count(str(REFUSALS["game-points-only"])) == 1
    for name in newest()["ristikontra-house"].options:  # what was chosen stays chosen
        value = data[name]
        radio = re.search(f'<input type="radio" name="{name}" value="{value}"[^>]*>', page)
        assert radio
        assert "checked" in radio[0]
    assert not Match.objects.exists()


@pytest.mark.parametrize(
    "wrong",
    [
        {"seats": "5"},
        {"seats": ""},
        {"deals": "0"},
        {"deals": "11"},
        {"pantti": "22"},
        {"tie": "x"},
    ],
    ids=str,
)
def test_what_is_no_choice_opens_no_table(wrong: dict[str, str]) -> None:
    data = choices("ristiseiska")[0] | wrong
    answer = Pages().post(reverse("tables:new", args=["ristiseiska"]), data)
    assert list(answer.context["form"].errors) == list(wrong)
    assert not Match.objects.exists()


def test_who_is_gone_is_offered_the_first_game() -> None:
    answer = Pages().get(reverse("tables:table", args=["0000000000"]))
    assert reverse("tables:new", args=["ristikontra"]) in answer.content.decode()


# ---- two, three and four seats, each alone -------------------------------------------------------


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_one_link_per_empty_seat_and_the_last_one_deals_s1(seats: int) -> None:
    table = open_table(key="ristiseiska", seats=seats)
    told = table.snapshot(0)
    assert len(told["seats"]) == seats
    assert list(told["invites"]) == [str(seat) for seat in range(1, seats)]
    for seat in range(1, seats):
        assert table.row.status == Match.Status.WAITING
        table.claim(seat)
    assert table.row.status == Match.Status.PLAYING
    hands = [len(table.snapshot(seat)["view"]["hand"]) for seat in range(seats)]
    assert sorted(hands) == {2: [26, 26], 3: [17, 17, 18], 4: [13] * 4}[seats]


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_no_seat_has_a_side_or_a_partner(seats: int) -> None:
    table = open_table(key="ristiseiska", seats=seats, tie="extra-deal", pantti=25)
    line = "Deals: 3 · The pantti costs: 25 points · If the lowest total is shared: one more deal"
    for seat in range(1, seats):
        address = reverse("tables:invite", args=[table.code, seat, table.invite(seat)])
        page = Pages().get(address).content.decode()
        assert f"Your seat: guest {seat}." in page
        assert "side" not in page.lower().replace("inside", "")
        assert "partner" not in page.lower()
        assert line in page
        assert "Aino</bdi> invites you to Ristiseiska" in page
        assert "Finnish" not in page
        assert "The seven of clubs begins." in page
    assert (page_data(table, 0)["sides"], page_data(table, 0)["rules"]) == (0, line)
    assert len(page_data(table, 0)["seats"]) == seats
    address = reverse("tables:invite", args=[table.code, seats, table.invite(0)])
    assert Pages().get(address).status_code == 404


def test_guests_without_a_name_are_counted() -> None:
    """The page names them; the snapshot says who has none. Nobody may take such a name."""
    table = full_table("ristiseiska", 3)
    assert [seat["name"] for seat in table.snapshot(0)["seats"]] == ["Aino", "Väinö", "Ilmari"]
    unnamed = open_table("", key="ristiseiska", seats=3)
    unnamed.claim(1, "")
    for name in ("Guest 2", "guest 1", "Host"):
        with pytest.raises(lobby.Refused, match="name"):
            unnamed.claim(2, name)
    unnamed.claim(2, "")
    assert [seat["name"] for seat in unnamed.snapshot(2)["seats"]] == ["", "", ""]


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_standings_are_told_by_deal_and_in_all_s9(seats: int) -> None:
    table = full_table("ristiseiska", seats)
    rng = random.Random(seats)
    totals = [0] * seats
    for number in range(1, 4):
        table.finish_deal(rng)
        told = table.snapshot(seats - 1)
        count = told["count"]
        totals = [one + paid for one, paid in zip(totals, count["points"], strict=True)]
        assert set(told["deals"]) == {"points", "totals"}
        assert (told["deals"]["points"][-1], told["deals"]["totals"][-1]) == (
            count["points"],
            totals,
        )
        assert (len(told["deals"]["points"]), told["view"]["score"]) == (number, totals)
        left = told["view"]["left"]
        assert [one["cards"] + one["pantti"] for one in left] == count["points"]
        assert [len(one["hand"]) for one in left] == told["view"]["hands"]
        if number < 3:
            table.next_deal(seat=number % seats)
    best = min(totals)
    assert told["outcome"] == (
        {"outcome": "win", "winner": totals.index(best), "score": totals}
        if totals.count(best) == 1
        else {"outcome": "draw", "reason": "tie", "score": totals}
    )
    # Again with the same seats: the deal goes on to the next of them (S1).
    dealer = table.deal.sheet["dealer"]
    table.agree("again", *range(seats))
    assert table.at().sitting == 2
    assert table.deal.sheet["dealer"] == (dealer + 1) % seats
    assert table.snapshot(0)["earlier"] == [told["outcome"]]


def test_a_line_has_a_seat_and_no_side() -> None:
    table = full_table("ristiseiska", 2)
    table.say(1, "Well, well.")
    (line,) = table.lines()
    assert (line["seat"], line["name"], line["text"]) == (1, "Väinö", "Well, well.")
    assert "side" not in line


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_leaving_ends_it_as_a_draw_s11(seats: int) -> None:
    table = full_table("ristiseiska", seats)
    table.finish_deal(random.Random(1))
    table.next_deal()
    score = table.snapshot(0)["view"]["score"]
    assert table.leave(seats - 1) == "drawn"
    assert table.at().outcome == {
        "outcome": "draw",
        "reason": "left",
        "score": score,
        "seat": seats - 1,
    }


def test_at_a_table_of_two_nobody_gives_the_other_seat_away() -> None:
    table = full_table("ristiseiska", 2)
    with pytest.raises(lobby.Refused, match="two-seats"):
        table.agree("reissue:1", 0)


def test_a_play_that_is_refused_says_what_the_card_waits_for_case_21() -> None:
    table = full_table("ristiseiska", 3)
    seat = table.turn
    assert seat is not None
    waiting = next(card for card in table.snapshot(seat)["view"]["waits"])
    with pytest.raises(lobby.Refused) as refused:
        table.play(waiting)
    assert refused.value.code == "waits"
    assert refused.value.facts["card"] == waiting
    with pytest.raises(lobby.Refused, match="must-play"):
        table.play("pantti")


# ---- conceding (H4) ------------------------------------------------------------------------------


def worth(table: Table, one: int) -> None:
    """Play the deal under way so that side one has so many card points; it was rigged for that."""
    _, plays = find_deal(table.deal.sheet["dealer"], one)
    table.play_script(" ".join(plays))
    assert points(table.position().state.piles[0]) == one  # type: ignore[attr-defined]


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> Table:
    """A table where signalling may be conceded; side one can win each of the first three deals."""
    packs = [find_deal(dealer, 75)[0] for dealer in (3, 0, 1)]
    rig(monkeypatch, *packs, dealer=3)
    return full_table("ristikontra-house", signalling="on")


@pytest.fixture
def signalling(fresh: Table) -> Table:
    """At 4–3, side one having just won a deal."""
    table = fresh
    table.set_score(3, 3)
    worth(table, 75)
    assert table.snapshot(0)["view"]["score"] == [4, 3]
    return table


def refused(code: str, table: Table, seat: int, ply: int | None = None) -> None:
    """A concession is refused for this reason, and the table is as it was."""
    before = (table.row.version, table.row.sheet, table.lines(), table.deal.conceded)
    with pytest.raises(lobby.Refused) as raised:
        table.concede(seat, ply)
    assert raised.value.code == code
    assert (table.row.version, table.row.sheet, table.lines(), table.deal.conceded) == before


def told_alike(table: Table) -> list[dict[str, Any]]:
    """The views of all seats, which a process that starts afresh reads the same."""
    views = [table.snapshot(seat)["view"] for seat in range(4)]
    counts = table.position().counts
    matches.forget()
    assert [table.snapshot(seat)["view"] for seat in range(4)] == views
    assert table.position().counts == counts
    return views


def record_of(table: Table) -> Record:
    """The match as a record, from what is kept of it alone."""
    row = table.row
    game = find(row.game, row.engine)
    deals = [
        RecordedDeal(
            one.sheet["dealer"],
            tuple(one.pack.split()),
            tuple(one.plays.split()),
            tuple(one.conceded) or None,
            one.salt,
            one.commitment,
        )
        for one in Deal.objects.filter(match=row).order_by("number")
    ]
    return Record(game.key, row.options, row.seats, tuple(deals), engine=game.version)


@pytest.mark.parametrize(("seat", "score"), [(0, [2, 3]), (2, [2, 3]), (1, [4, 1]), (3, [4, 1])])
def test_either_partner_concedes_for_the_side_after_the_count_h4(
    signalling: Table, seat: int, score: list[int]
) -> None:
    table, ply, version = signalling, signalling.at().ply, signalling.at().version
    assert [view["concede"] for view in told_alike(table)] == [True] * 4
    table.concede(seat)
    assert (table.at().ply, table.at().version) == (ply + 1, version + 1)
    for view in told_alike(table):
        assert (view["score"], view["count"]["score"]) == (score, score)
        assert view["count"]["awarded"] == [1, 0]
        assert view["concede"] == (view["seat"] % 2 != seat % 2)
    assert table.deal.conceded == [int(seat % 2 == side) for side in (0, 1)]
    assert table.deal.count["score"] == score  # type: ignore[index]
    assert table.row.sheet["score"] == score  # type: ignore[index]
    told = table.snapshot(0)
    assert told["deals"]["score"][-1] == told["count"]["score"] == score
    (line,) = table.lines()
    assert (line["kind"], line["seat"], line["name"]) == (
        "conceded",
        seat,
        table.at().seats[seat].name,
    )
    refused("conceded", table, (seat + 2) % 4)
    table.next_deal()
    assert table.snapshot(0)["view"]["score"] == score
    refused("conceded", table, seat)


def test_it_is_conceded_until_the_next_deals_first_play_h4(signalling: Table) -> None:
    table = signalling
    table.next_deal()
    table.concede(1)
    views = told_alike(table)
    assert [view["score"] for view in views] == [[4, 1]] * 4
    assert [view["concede"] for view in views] == [True, False, True, False]
    counted, dealt = Deal.objects.filter(match=table.row).order_by("number")
    assert (counted.conceded, dealt.conceded) == ([0, 1], [])
    assert (counted.count["score"], dealt.count) == ([4, 1], None)  # type: ignore[index]
    assert dealt.sheet == table.row.sheet
    assert (dealt.sheet["score"], dealt.sheet["conceded"]) == ([4, 1], [0, 1])
    assert table.snapshot(0)["count"]["score"] == [4, 1]
    table.play(table.legal()[0])
    refused("concede-late", table, 0)
    told_alike(table)


def test_both_sides_concede_one_before_and_one_after_the_deal_h4(signalling: Table) -> None:
    table = signalling
    table.concede(2)
    table.next_deal()
    table.concede(3)
    assert [view["score"] for view in told_alike(table)] == [[2, 1]] * 4
    assert Deal.objects.filter(match=table.row).order_by("number")[0].conceded == [1, 1]
    assert [line["seat"] for line in table.lines()] == [2, 3]
    worth(table, 75)
    assert table.snapshot(0)["view"]["score"] == [3, 1]
    table.concede(0)  # once after each deal
    assert table.snapshot(0)["view"]["score"] == [1, 1]


def test_never_below_zero_h4(signalling: Table) -> None:
    signalling.set_score(0, 0)
    assert signalling.snapshot(0)["view"]["score"] == [1, 0]
    signalling.concede(1)
    signalling.concede(0)
    assert signalling.snapshot(0)["view"]["score"] == [0, 0]
    assert signalling.deal.conceded == [1, 1]


def test_not_before_the_first_count_nor_outside_a_match_h4() -> None:
    waiting = open_table(key="ristikontra-house", signalling="on")
    with pytest.raises(lobby.Refused, match="stale"):
        waiting.concede(0)
    table = full_table("ristikontra-house", signalling="on")
    refused("nothing-counted", table, 0)
    table.play(table.legal()[0])
    refused("concede-late", table, 0)


def test_not_once_the_match_is_won_h4(signalling: Table) -> None:
    signalling.next_deal()
    signalling.set_score(6, 6)
    worth(signalling, 75)
    assert signalling.row.status == Match.Status.OVER
    for seat in range(4):
        refused("match-over", signalling, seat)


def test_not_after_somebody_has_left_h4(signalling: Table) -> None:
    signalling.leave(3)
    refused("stale", signalling, 0)


@pytest.mark.parametrize("options", [{}, {"sweep": "wipe"}, {"goal": "card-points"}], ids=str)
def test_not_where_it_was_not_chosen_h4(options: dict[str, str]) -> None:
    table = full_table("ristikontra-house", 4, **options)
    table.finish_deal(random.Random(1))
    if table.row.status != Match.Status.OVER:
        refused("signalling-off", table, 0)


@pytest.mark.parametrize("key", ["ristikontra", "cleaning", "ristiseiska"])
def test_not_in_a_game_that_knows_no_such_thing(key: str) -> None:
    table = full_table(key)
    refused("signalling-off", table, 0)
    table.finish_deal(random.Random(1))
    refused("signalling-off", table, 1)
    assert str(REFUSALS["signalling-off"])


def test_only_the_newest_ply_and_the_holder_concede(signalling: Table) -> None:
    table, ply = signalling, signalling.at().ply
    for other in (ply - 1, ply + 1, 0, -1):
        refused("stale", table, 0, other)
    now = table.at()
    with pytest.raises(lobby.Refused, match="stale"):
        lobby.concede(lobby.Place(table.code, now.match, 0, now.seats[1].holder), ply)
    table.concede(0)
    refused("stale", table, 0, ply)  # sent twice it is done once
    assert Line.objects.count() == 1


def test_a_deal_that_is_dealt_meanwhile_is_not_undone(signalling: Table) -> None:
    ply = signalling.at().ply
    signalling.next_deal()
    refused("stale", signalling, 0, ply)
    signalling.concede(0)
    assert signalling.position().number == 2


def test_a_match_with_concessions_is_a_record(fresh: Table) -> None:
    table = fresh
    worth(table, 75)
    table.concede(1)
    table.next_deal()
    table.concede(0)
    worth(table, 75)
    table.concede(2)
    table.next_deal()
    record = record_of(table)
    told = check(parse(dumps(record)))
    assert [one["score"] for one in told["deals"][:2]] == [[0, 0], [0, 0]]
    assert [one["awarded"] for one in told["deals"][:2]] == [[1, 0], [1, 0]]
    assert [one.conceded for one in record.deals] == [(1, 1), (1, 0), None]
    kept = Deal.objects.filter(match=table.row).order_by("number")
    assert [one.count for one in kept[:2]] == told["deals"][:2]
    sheet: Any = table.position().state.sheet
    state = replay(House(), sheet, record.deals[-1].pack, [])
    assert state == table.position().state


# ---- conceding over the wire ---------------------------------------------------------------------


def test_concede_is_read_exactly() -> None:
    assert protocol.parse('{"type":"concede","ply":53}') == protocol.Concede(53)
    for wrong in ('"53"', "true", "null", "5.5", "[53]", '53,"side":1', '53,"ply":54'):
        with pytest.raises(ValueError, match=r"shape|doubled"):
            protocol.parse(f'{{"type":"concede","ply":{wrong}}}')
    with pytest.raises(ValueError, match="shape"):
        protocol.parse('{"type":"concede"}')


def test_everybody_is_told_of_a_concession(signalling: Table) -> None:
    async def scenario() -> None:
        clients = await all_connected(signalling)
        ply = json.loads(clients[0].frames[-1])["ply"]
        await clients[3].say(type="concede", ply=ply)
        for client in clients:
            told = await client.expect("snapshot")
            assert (told["ply"], told["view"]["score"]) == (ply + 1, [4, 1])
            await client.hears(1)
            assert client.lines[-1]["kind"] == "conceded"
            assert (client.lines[-1]["seat"], client.lines[-1]["name"]) == (3, "Louhi")
        await clients[1].say(type="concede", ply=ply + 1)
        answer = await clients[1].expect("refused")
        assert (answer["of"], answer["code"]) == ("concede", "conceded")
        await clients[1].say(type="concede", ply=ply)
        answer = await clients[1].expect("refused")
        assert (answer["of"], answer["code"]) == ("concede", "stale")
        await clients[1].expect("snapshot")
        await drop_all(clients)

    run(scenario)


def test_a_game_without_it_says_so_over_the_wire() -> None:
    table = full_table()

    async def scenario() -> None:
        client = await connected(table, 0)
        await client.say(type="concede", ply=1)
        answer = await client.expect("refused")
        assert (answer["of"], answer["code"]) == ("concede", "signalling-off")
        await client.drop()

    run(scenario)


# ---- what a table says of its rules --------------------------------------------------------------


def test_the_invite_and_the_table_name_the_house_rules_h1() -> None:
    table = open_table(key="ristikontra-house", values="five-to-one", sweep="wipe")
    line = (
        "What a card counts: five to one · How a match is won: seven game points · "
        "All thirteen tricks: wipe the others out · Signalling to one's partner: not counted"
    )
    game = newest()["ristikontra-house"]
    assert rules_line(game, table.at().options) == line
    assert page_data(table, 0)["rules"] == line
    invite = reverse("tables:invite", args=[table.code, 1, table.invite(1)])
    page = Pages().get(invite).content.decode()
    assert line in page.replace("&#x27;", "'")
    assert f"invites you to {title(game)}" in page
    assert ChoiceForm(game).choices()[0].label == "What a card counts"
