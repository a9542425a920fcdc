"""Records of matches at tables: nothing while they run, everything when they are over (R13)."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings as site
from django.db import connection, transaction
from django.test import Client as Pages
from django.urls import reverse
from django.utils import timezone

from game import archive, matches
from game.engine.cards import PACK
from game.models import Deal, Match, Tally
from game.records import LIMIT, Record, WrongRecord, check, dumps, parse
from game.tests.deals import LONGEST
from tables import lobby, people, retention
from tables.models import Table as TableRow
from tables.models import Trace
from tables.tests.seats import (
    BROWSERS,
    NAMES,
    Table,
    full_table,
    open_table,
    rig,
    won_table,
)

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    matches.forget()
    rig(monkeypatch)
    yield
    matches.forget()


def record_of(match: int, names: bool = True) -> Record:
    return archive.export(match, names).record


def result_of(match: int) -> dict[str, Any]:
    result = record_of(match).result
    assert result is not None
    return result


def left_table(plays: int = 30) -> Table:
    """A table that somebody has left in its first deal."""
    table = full_table()
    table.play_random(random.Random(3), plays)
    table.leave(2)
    return table


def played_table(key: str, seats: int, options: dict[str, Any]) -> Table:
    """A match of any game, played at random to its end."""
    rng = random.Random(f"{key} {seats}")
    table = Table(lobby.open_table(key, seats, options, BROWSERS[0], NAMES[0], voice=False))
    for seat in range(1, seats):
        table.claim(seat)
    for _ in range(200):
        table.play_random(rng, LONGEST)
        if table.row.status == Match.Status.OVER:
            return table
        table.next_deal()
    raise AssertionError("a match without end")


class Browser:
    """The pages as one browser gets them."""

    def __init__(self, cookie: str | None = None) -> None:
        self.pages = Pages()
        if cookie:
            self.pages.cookies[site.SESSION_COOKIE_NAME] = cookie

    def get(self, path: str) -> Any:
        return self.pages.get(path)


def seat_page(table: Table, seat: int | None, number: int = 1) -> Any:
    browser = Browser(None if seat is None else table.cookie(seat))
    return browser.get(reverse("tables:record", args=[table.code, number]))


def link(match: int, names: bool = True, kind: str = "shared-record") -> str:
    return reverse(f"tables:{kind}", args=[match, people.sign_record(match, names)])


def page_of(answer: Any) -> dict[str, Any]:
    """What a record's page tells its script."""
    page: dict[str, Any] = answer.context["page"]
    return page


# ---- the record ----------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("key", "seats", "options"),
    [
        ("ristikontra", 4, {}),
        ("ristikontra-house", 4, {"values": "five-to-one", "sweep": "wipe"}),
        ("ristikontra-house", 4, {"goal": "card-points"}),
        ("cleaning", 4, {}),
        ("ristiseiska", 2, {"deals": 2, "pantti": 25}),
        ("ristiseiska", 3, {"tie": "extra-deal"}),
        ("ristiseiska", 4, {"deals": 1}),
    ],
)
def test_the_record_of_a_match_played_to_its_end_is_right_and_complete(key, seats, options):
    table = played_table(key, seats, options)
    record = record_of(table.match)
    told = check(parse(dumps(record)))
    deals = list(Deal.objects.filter(match=table.match).order_by("number"))
    assert told["finished"]
    assert told["deals"] == [deal.count for deal in deals]
    assert record.names == NAMES[:seats]
    assert record.result == table.row.outcome
    assert [deal.salt for deal in record.deals] == [deal.salt for deal in deals]
    assert all(deal.commitment for deal in record.deals)


@pytest.mark.parametrize("plays", [0, 1, 30, 51])
def test_a_match_that_was_left_has_its_unfinished_deal_in_the_record(plays):
    table = left_table(plays)
    record = record_of(table.match)
    assert record.result == {"outcome": "draw", "reason": "left", "score": [0, 0]}
    assert len(record.deals[0].plays) == plays
    assert record.deals[0].salt
    assert check(parse(dumps(record)))["deals"] == [{"unfinished": True}]


def test_a_match_left_after_a_count_has_the_whole_deal():
    table = full_table()
    table.finish_deal(random.Random(1))
    table.leave(0)
    told = check(parse(dumps(record_of(table.match))))
    assert (told["finished"], len(told["deals"])) == (False, 1)
    assert told["deals"][0]["score"] == result_of(table.match)["score"]


def test_concessions_stand_in_the_record():
    table = Table(
        lobby.open_table(
            "ristikontra-house", 4, {"signalling": "on"}, BROWSERS[0], NAMES[0], voice=False
        )
    )
    for seat in (1, 2, 3):
        table.claim(seat)
    rng = random.Random(5)
    table.finish_deal(rng)
    lobby.concede(table.place(1), table.at().ply)
    table.next_deal()
    lobby.concede(table.place(0), table.at().ply)  # before the first play it is of the deal before
    table.play_random(rng, 7)
    table.leave(3)
    record = record_of(table.match)
    assert [deal.conceded for deal in record.deals] == [(1, 1), None]
    told = check(parse(dumps(record)))
    assert told["deals"][0]["score"] == result_of(table.match)["score"]


def test_names_are_those_of_the_end_and_may_be_left_out():
    table = full_table()
    lobby.rename(table.place(1), "Tuomi")
    table.leave(0)
    lobby.rename(table.place(1), "Somebody else")
    assert record_of(table.match).names == (NAMES[0], "Tuomi", *NAMES[2:])
    assert record_of(table.match, names=False).names is None
    assert record_of(table.match).deals == record_of(table.match, names=False).deals


@pytest.mark.parametrize("name", ["", "a\u202eb", "👩\u200d👧", "x\u0301\u0302\u0303\u0304", "<b>"])
def test_any_name_that_can_be_taken_can_be_recorded(name):
    table = full_table()
    lobby.rename(table.place(1), name)
    table.leave(0)
    assert parse(dumps(record_of(table.match))).names is not None


def test_the_record_does_not_say_who_left():
    assert "seat" not in result_of(left_table().match)


def test_a_match_without_cards_has_no_record():
    table = open_table()
    table.leave(0)
    with pytest.raises(archive.NoRecord, match="no-cards"):
        record_of(table.match)
    assert seat_page(table, 0).status_code == 409


@pytest.mark.parametrize(
    ("what", "words"),
    [
        ("pack", "the commitment is not that"),
        ("salt", "the commitment is not that"),
        ("commitment", "the commitment is not that"),
        ("plays", "deal 1, play 1: "),
        ("result", "result: the plays give"),
    ],
)
def test_whatever_is_changed_in_it_is_found(what, words):
    data = json.loads(dumps(record_of(won_table().match)))
    deal = data["deals"][0]
    # The match of these tests began at 6-6, which a record cannot: see it as one that stops.
    del data["result"]
    check(parse(json.dumps(data)))
    cards = deal["pack"].split()
    changed = {
        "pack": " ".join([*cards[:-2], cards[-1], cards[-2]]),
        "salt": deal["salt"][:-1] + ("0" if deal["salt"][-1] != "0" else "1"),
        "commitment": "0" * 64,
        "plays": [next(card for card in PACK if card not in cards[:24]), *deal["plays"][1:]],
    }
    if what == "result":
        data["result"] = {"outcome": "win", "winner": 0, "score": [7, 0]}
    else:
        deal[what] = changed[what]
    with pytest.raises(WrongRecord, match=words):
        check(parse(json.dumps(data)))


# ---- nothing while the match runs ----------------------------------------------------------------


def secrets_of(table: Table) -> list[str]:
    deals = Deal.objects.filter(match__table__code=table.code)
    return [text for deal in deals for text in (deal.pack, deal.salt, deal.commitment)]


def assert_closed(table: Table, number: int, match: int) -> None:
    with pytest.raises(archive.NoRecord, match="running"):
        archive.export(match)
    answers = [seat_page(table, seat, number) for seat in (0, 1, 2, 3, None)]
    for names in (True, False):
        for kind in ("shared-record", "record-file"):
            answers.append(Browser().get(link(match, names, kind)))
    for answer in answers:
        assert answer.status_code in (403, 404, 409)
        text = answer.content.decode()
        assert not any(secret in text for secret in secrets_of(table))


@pytest.mark.parametrize("plays", [0, 1, 30, 52])
def test_nothing_of_a_running_match_is_to_be_had(plays):
    table = full_table()
    table.play_random(random.Random(2), plays)
    assert_closed(table, 1, table.match)


def test_nor_of_the_second_match_while_the_first_is_open_to_all():
    table = won_table()
    first = table.match
    table.agree("again", 0, 1, 2, 3)
    assert table.match != first
    assert_closed(table, 2, table.match)
    assert seat_page(table, 1).status_code == 200
    assert Browser().get(link(first)).status_code == 200


def test_salts_never_travel_while_the_match_runs():
    table = full_table()
    for _ in range(3):
        table.play_random(random.Random(2), 17)
        for seat in range(4):
            text = json.dumps(table.snapshot(seat))
            assert table.deal.salt not in text
            assert table.deal.pack not in text
            assert table.snapshot(seat)["commitment"] == table.deal.commitment


def test_the_promise_comes_with_the_first_hand_and_stays_the_same():
    table = full_table()
    first = table.snapshot(0)["commitment"]
    table.finish_deal(random.Random(1))
    assert table.snapshot(0)["commitment"] == first
    table.next_deal()
    second = table.snapshot(0)["commitment"]
    assert second != first
    table.leave(1)
    record = record_of(table.match)
    assert [deal.commitment for deal in record.deals] == [first, second]


def test_the_database_has_no_end_without_its_time():
    table = full_table()
    with pytest.raises(Exception, match="match_over_has_outcome"), transaction.atomic():
        Match.objects.filter(pk=table.match).update(status="over", outcome={"outcome": "draw"})


# ---- the pages -----------------------------------------------------------------------------------


def private(answer: Any) -> bool:
    return (answer["Cache-Control"], answer["X-Robots-Tag"]) == ("no-store", "noindex")


def test_every_seat_of_the_match_has_its_record():
    table = left_table()
    for seat in range(4):
        answer = seat_page(table, seat)
        assert answer.status_code == 200
        assert private(answer)
        page = page_of(answer)
        assert page["you"] == seat
        assert parse(page["record"]) == record_of(table.match)
        assert page["promises"] == f"{table.code}.1"


def test_nobody_else_has_it_by_the_tables_address():
    table = left_table()
    for answer in (seat_page(table, None), seat_page(table, 0, number=2)):
        assert answer.status_code in (403, 404)
        assert private(answer)
        assert "record" not in (answer.context.get("page") or {})
    nowhere = Browser().get(reverse("tables:record", args=["nowhere", 1]))
    assert nowhere.status_code == 404


def test_anybody_with_the_link_has_it_with_names_or_without():
    table = left_table()
    for names in (True, False):
        answer = Browser().get(link(table.match, names))
        assert answer.status_code == 200
        assert private(answer)
        assert not answer.cookies
        assert parse(page_of(answer)["record"]) == record_of(table.match, names)
        assert "you" not in page_of(answer)
    assert NAMES[0].encode() not in Browser().get(link(table.match, names=False)).content


def test_the_links_on_a_seats_page_are_those():
    table = left_table()
    links = page_of(seat_page(table, 1))["links"]
    assert [one["page"] for one in links] == [
        f"http://testserver{link(table.match, names)}" for names in (True, False)
    ]
    for one, names in zip(links, (True, False), strict=True):
        answer = Browser().get(one["file"])
        assert private(answer)
        assert answer["Content-Type"] == "application/json"
        assert answer["Content-Disposition"].startswith('attachment; filename="ristikontra-')
        assert parse(answer.content) == record_of(table.match, names)


def test_a_shared_page_offers_no_way_to_the_names():
    table = left_table()
    page = page_of(Browser().get(link(table.match, names=False)))
    assert len(page["links"]) == 1
    assert people.sign_record(table.match, names=True) not in json.dumps(page)


def test_a_link_is_of_one_match_only():
    one, other = left_table(), left_table()
    signature = people.sign_record(one.match, names=True)
    for secret in (signature, signature[:-1], "x"):
        path = reverse("tables:shared-record", args=[other.match, secret])
        assert Browser().get(path).status_code == 404
    assert Browser().get(link(10**9)).status_code == 410


def test_a_link_runs_out_after_so_many_days(settings):
    table = left_table()
    answer = Browser().get(link(table.match))
    assert table.row.ended
    until = timezone.localtime(table.row.ended + timedelta(days=90))
    assert until.strftime("%Y") in answer.context["until"]
    for days, status in ((89, 200), (91, 410)):
        ended = timezone.now() - timedelta(days=days)
        Match.objects.filter(pk=table.match).update(ended=ended)
        assert Browser().get(link(table.match)).status_code == status
        assert Browser().get(link(table.match, kind="record-file")).status_code == status
    seats = seat_page(table, 0)
    assert seats.status_code == 200
    assert 'id="kp-link"' not in seats.content.decode()
    assert "has run out" in seats.content.decode()
    settings.TABLES_RECORD_DAYS = 100
    assert Browser().get(link(table.match)).status_code == 200


def test_whoever_has_left_is_led_to_the_record():
    table = left_table()
    browser = Browser(table.cookie(2))
    address = reverse("tables:record", args=[table.code, 1])
    left = browser.get(reverse("tables:left", args=[table.code, "drawn"]))
    assert address in left.content.decode()
    assert browser.get(address).status_code == 200
    other = browser.get(reverse("tables:left", args=[full_table().code, "freed"]))
    assert "/records/1/" not in other.content.decode()


def test_records_are_only_read():
    table = left_table()
    for path in (link(table.match), reverse("tables:record", args=[table.code, 1])):
        assert Pages().post(path).status_code == 405


def test_the_table_leads_to_its_record():
    table = left_table()
    browser = Browser(table.cookie(0))
    page = page_of(browser.get(reverse("tables:table", args=[table.code])))
    assert page["record"] == reverse("tables:record", args=[table.code, 0])


# ---- what is erased when ------------------------------------------------------------------------


def forget_table(table: Table, days: int) -> None:
    """Nobody has been at the table for so long."""
    then = timezone.now() - timedelta(days=days)
    TableRow.objects.filter(code=table.code).update(opened=then)
    Match.objects.filter(pk=table.match).update(opened=then)
    Match.objects.filter(pk=table.match).exclude(ended=None).update(ended=then)
    Trace.objects.update(seen=then)


def test_a_link_outlives_its_table_and_then_the_match_goes_too():
    table = left_table()
    match, shown = table.match, link(table.match)
    forget_table(table, days=20)
    assert retention.prune()["tables"] == 1
    assert not TableRow.objects.exists()
    assert parse(page_of(Browser().get(shown))["record"]).names == NAMES
    assert retention.prune()["records"] == 0
    Match.objects.filter(pk=match).update(ended=timezone.now() - timedelta(days=91))
    assert Browser().get(shown).status_code == 410
    assert retention.prune(dry=True)["records"] == 1
    assert retention.prune()["records"] == 1
    assert not Match.objects.exists()
    assert Browser().get(shown).status_code == 410


def test_without_a_record_the_match_goes_with_its_table():
    tables = [open_table(), full_table()]
    tables[0].leave(0)  # closed before cards
    for table in tables:
        forget_table(table, days=20)
    assert retention.prune()["tables"] == 2
    assert not Match.objects.exists()


def test_a_table_closed_by_a_moderator_has_its_record():
    table = full_table()
    table.play_random(random.Random(1), 5)
    lobby.close_table(table.code, "")
    record = record_of(table.match)
    assert record.result == {"outcome": "draw", "reason": "closed", "score": [0, 0]}
    assert record.names == NAMES
    assert check(parse(dumps(record)))["ok"]
    assert tally()["broken_off"] == 1


def test_a_match_whose_rules_are_gone_can_still_be_left():
    table = full_table()
    table.play_random(random.Random(1), 5)
    Match.objects.filter(pk=table.match).update(engine=99)
    matches.forget()
    assert table.leave(1) == "drawn"
    kept = archive.export(table.match).record
    assert (kept.engine, len(kept.deals[0].plays), kept.result) == (99, 5, None)
    told = ask(dumps(kept)).json()
    assert told["error"] == "engine: The rules of this game have changed since."


# ---- any file ------------------------------------------------------------------------------------


def ask(body: str | bytes, deal: object = 1, **headers: Any) -> Any:
    path = f"{reverse('tables:frames')}?deal={deal}"
    return Pages(enforce_csrf_checks=True).post(path, body, "application/json", **headers)


@pytest.fixture
def text() -> str:
    return dumps(record_of(left_table(9).match))


def test_a_record_is_answered_with_the_frames_of_a_deal(text: str):
    answer = ask(text)
    assert private(answer)
    assert not answer.cookies
    told = answer.json()
    assert (told["ok"], told["seats"], told["sides"], len(told["frames"])) == (True, 4, 2, 10)
    assert told["board"].endswith(".js")
    for frame in told["frames"]:
        assert [view["seat"] for view in frame] == [0, 1, 2, 3]
        assert all(len(view["hand"]) == 6 for view in frame)


def test_nothing_of_it_is_kept(text: str, django_assert_num_queries: Callable[..., Any]):
    with django_assert_num_queries(0):
        assert ask(text).json()["ok"]


@pytest.mark.parametrize("deal", ["0", "2", "-1", "x", "9" * 50, "²", ""])
def test_a_deal_that_is_not_there_has_no_frames_and_a_strange_one_is_the_first(text: str, deal):
    answer = ask(text, deal)
    assert answer.status_code == 200
    assert len(answer.json()["frames"]) == (0 if deal in ("0", "2") else 10)


@pytest.mark.parametrize("body", ["x", "[]", "{}", "null", b"\xff", '{"a":1,"a":1}', "[" * 9000])
def test_what_is_no_record_is_told_in_words(body):
    answer = ask(body)
    assert answer.status_code == 200
    assert answer.json()["ok"] is False
    assert answer.json()["error"]


def test_a_wrong_record_is_told_as_the_command_tells_it(text: str):
    data = json.loads(text)
    data["deals"][0]["salt"] = "0" * 64
    told = ask(json.dumps(data)).json()
    assert told == {
        "ok": False,
        "error": "deal 1: the commitment is not that of this salt and pack",
    }


def test_a_text_that_is_too_long_is_not_read():
    assert ask(" " * (LIMIT + 1)).status_code == 413
    assert ask(" " * LIMIT).status_code == 200


def test_asking_too_often_is_refused(settings, text: str):
    settings.TABLES_REPLAY_RATE = 3
    statuses = [ask(text, REMOTE_ADDR="192.0.2.77").status_code for _ in range(5)]
    assert statuses == [200, 200, 200, 429, 429]
    assert ask(text, REMOTE_ADDR="192.0.2.78").status_code == 200


def test_a_long_record_counts_as_many(settings):
    settings.TABLES_REPLAY_RATE = 30
    body = " " * LIMIT
    statuses = [ask(body, REMOTE_ADDR="192.0.2.79").status_code for _ in range(3)]
    assert statuses == [200, 429, 429]


@pytest.mark.parametrize("length", ["", "x", "-1", "1e3", "9" * 5000, "²"])
def test_a_length_that_is_none_is_refused(length: str):
    assert ask("{}", CONTENT_LENGTH=length).status_code in (400, 413)


@pytest.mark.parametrize("name", ["record", "shared-record", "record-file"])
def test_no_number_in_an_address_is_too_large(name: str):
    table = left_table()
    huge = 10**30
    args = [table.code, huge] if name == "record" else [huge, people.sign_record(huge, True)]
    answer = Browser(table.cookie(0)).get(reverse(f"tables:{name}", args=args))
    assert answer.status_code in (404, 410)


def test_the_page_for_any_file_needs_no_database(django_assert_num_queries: Callable[..., Any]):
    with django_assert_num_queries(0):
        answer = Browser().get(reverse("tables:watch"))
    assert answer.status_code == 200
    assert not answer.cookies


# ---- what is counted of all matches --------------------------------------------------------------


def tally(key: str = "ristikontra") -> dict[str, int]:
    rows = Tally.objects.filter(game=key)
    names = ("matches", "broken_off", "deals", "halves", "alls")
    return rows.values(*names).first() or dict.fromkeys(names, 0)


def kinds(table: Table) -> dict[str, int]:
    """How many finished deals of a match were 60-60, and how many 120."""
    counts = Deal.objects.filter(match=table.match, count__isnull=False)
    points = [count["points"] for count in counts.values_list("count", flat=True) if count]
    return {"halves": points.count([60, 60]), "alls": sum(0 in one for one in points)}


def test_a_match_is_counted_when_it_ends_and_not_before():
    table = full_table()
    table.set_score(6, 6)
    table.play_random(random.Random(1), 51)
    assert not Tally.objects.exists()
    table.finish_deal(random.Random(1))
    assert tally() == {"matches": 1, "broken_off": 0, "deals": 1, **kinds(table)}
    won_table()
    assert tally()["matches"] == 2


def test_a_match_broken_off_counts_with_its_finished_deals():
    table = full_table()
    table.finish_deal(random.Random(1))
    table.next_deal()
    table.play_random(random.Random(1), 5)
    table.leave(0)
    assert tally() == {"matches": 1, "broken_off": 1, "deals": 1, **kinds(table)}


def test_a_table_closed_before_cards_counts_nothing():
    open_table().leave(0)
    assert not Tally.objects.exists()


@pytest.mark.parametrize(("points", "name"), [([60, 60], "halves"), ([0, 120], "alls")])
def test_halves_and_alls_are_counted(points, name):
    table = full_table()
    table.finish_deal(random.Random(1))
    deal = table.deal
    Deal.objects.filter(pk=deal.pk).update(count={**(deal.count or {}), "points": points})
    table.leave(0)
    assert tally()[name] == 1


def test_ristiseiska_has_no_halves():
    played_table("ristiseiska", 2, {"deals": 2})
    assert tally("ristiseiska") == {
        "matches": 1,
        "broken_off": 0,
        "deals": 2,
        "halves": 0,
        "alls": 0,
    }


def test_the_count_and_the_end_are_one_transaction(monkeypatch: pytest.MonkeyPatch):
    """If the end does not come about, nothing is counted; if counting fails, nothing ends."""
    table = full_table()

    def fault(*args: Any, **more: Any) -> None:
        raise RuntimeError("no disk")

    monkeypatch.setattr(matches, "count_match", fault)
    with pytest.raises(RuntimeError), transaction.atomic():
        table.leave(0)
    assert table.row.status == Match.Status.PLAYING
    assert connection.in_atomic_block  # the test's own


def test_the_page_of_numbers_tells_them_and_nobody(settings):
    table = won_table()
    for browser in (Browser(), Browser(table.cookie(0))):
        answer = browser.get(reverse("game:statistics"))
        assert answer.status_code == 200
        assert not answer.cookies
        text = answer.content.decode()
        assert "Ristikontra" in text
        assert not any(name in text for name in NAMES)
        (row,) = [one for one in answer.context["rows"] if one["game"].key == "ristikontra"]
        assert row["tally"].matches == 1


def test_the_page_on_fairness_says_what_it_proves():
    text = Browser().get(reverse("game:fairness")).content.decode()
    for words in ("SystemRandom", "Fisher", "was not changed after the deal", "does not prove"):
        assert words in text
