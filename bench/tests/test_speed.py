"""The bench of speed: what it reads, how it reckons, and that it runs at its smallest."""

import json

import pytest

from bench import measures, report, seating
from bench.client import read_metrics
from bench.measures import Choice, Seated
from bench.wire import Shown, frame, read_boardgame, read_site, split
from tables.reading import picture
from tables.tests import services


def snapshot(**view: object) -> bytes:
    shown = {"type": "snapshot", "version": 9, "ply": 7, "status": "playing", "you": 0}
    return json.dumps(shown | {"view": view}, separators=(",", ":")).encode()


# ---- what the load reads -------------------------------------------------------------------------


def test_a_seat_on_turn_plays_something_legal():
    shown = read_site(snapshot(turn=0, legal=["7H"]))
    assert shown == Shown(7, b'{"type":"play","ply":7,"code":"7H"}', True)
    assert read_site(snapshot(turn=1, legal=[])) == Shown(7)


def test_between_deals_the_first_seat_asks_for_the_next():
    shown = read_site(snapshot(turn=None, legal=[]))
    assert shown == Shown(7, b'{"type":"deal","ply":7}')


def test_after_a_match_everybody_wants_another():
    over = snapshot(turn=None, legal=[]).replace(b'"playing"', b'"over"')
    assert read_site(over) == Shown(7, b'{"type":"agree","to":"again"}')


def test_chat_is_nothing_to_the_load_and_a_refusal_is_trouble():
    assert read_site(b'{"type":"lines","said":1,"lines":[]}') is None
    with pytest.raises(RuntimeError, match="too-fast"):
        read_site(b'{"type":"refused","of":"play","code":"too-fast","facts":{}}')


@pytest.mark.django_db
def test_of_a_table_just_seated_one_seat_plays():
    [(code, keys)] = seating.seat(1)
    seen = picture(code)
    assert seen is not None
    shown = [read_site(text.encode()) for text in seen.snapshots(range(4)).values()]
    assert len(set(keys)) == len(shown) == 4
    assert sum(one is not None and one.is_play for one in shown) == 1


def test_a_boardgame_seat_on_turn_plays_its_first_card():
    state = {"G": {"players": {"2": {"hand": ["AS", "2H"]}}}, "ctx": {"currentPlayer": "2"}}
    told = json.dumps(["update", "31", state | {"_stateID": 5}, []], separators=(",", ":"))
    shown = read_boardgame(b"42/cards," + told.encode())
    assert shown is not None
    assert (shown.ply, shown.is_play) == (5, True)
    *_, action, ply, match, seat = json.loads((shown.todo or b"").removeprefix(b"42/cards,"))
    assert (action["payload"]["args"], ply, match, seat) == (["AS"], 5, "31", "2")
    other = told.replace('"currentPlayer":"2"', '"currentPlayer":"3"')
    assert read_boardgame(b"42/cards," + other.encode()) == Shown(5)
    assert read_boardgame(b'42/cards,["matchData","31",[]]') is None


@pytest.mark.parametrize("size", [0, 5, 125, 126, 200, 70_000])
def test_frames_are_read_however_they_are_cut(size):
    payload = b"x" * size
    if size < 126:
        whole = bytes((0x81, size)) + payload
    elif size < 1 << 16:
        whole = bytes((0x81, 126)) + size.to_bytes(2, "big") + payload
    else:
        whole = bytes((0x81, 127)) + size.to_bytes(8, "big") + payload
    assert split(whole * 2 + whole[:-1]) == ([(0x81, payload)] * 2, whole[:-1])
    assert split(whole[:1]) == ([], whole[:1])


@pytest.mark.parametrize("size", [5, 200])
def test_a_frame_of_the_load_is_masked_with_nothing(size):
    sent = frame(b"x" * size)
    assert sent[1] & 0x80
    assert sent.endswith(bytes(4) + b"x" * size)


def test_what_a_server_counts_is_read():
    text = (
        "# HELP korttipoyta_plays_total Plays.\n"
        'korttipoyta_plays_total{process="1",way="long"} 2.0\n'
        'korttipoyta_plays_total{process="1",way="short"} 10.0\n'
        'korttipoyta_database_seconds_bucket{le="0.1",process="1"} 3.0\n'
        'korttipoyta_database_seconds_count{process="1"} 40.0\n'
    )
    assert read_metrics(text) == {"plays": 12, "short": 10, "statements": 40}


# ---- what is made of it --------------------------------------------------------------------------


def row(what: str, where: str, tables: int, speed: float) -> report.Row:
    return {
        **{"what": what, "where": where, "tables": tables, "sockets": 4 * tables},
        **{"plays_a_second": speed, "p50_ms": 2.0, "p99_ms": 4.0, "load_core": 0.2},
        **{"errors": {}, "deflated": False, "statements_a_play": 2.0},
    }


def test_medians_are_taken_of_the_same_thing():
    passes = [
        [row("site on SQLite", "daphne", 1, speed), row("site on SQLite", "daphne", 25, 100.0)]
        for speed in (90.0, 10.0, 20.0)
    ]
    one, other = report.medians(passes)
    assert (one["plays_a_second"], one["least"], one["most"]) == (20.0, 10.0, 90.0)
    assert (other["tables"], other["plays_a_second"]) == (25, 100.0)


def test_the_tables_tell_speed_latency_and_ratios():
    rows = [
        {"what": report.COMMIT, "where": "SQLite FULL", "plays_a_second": 1e3, "light_ms": 1.0},
        row(report.LIGHT_ECHO, "daphne", 1, 40.0),
        row(report.FLOOR, "daphne", 25, 400.0),
        row(report.LIGHT, "daphne", 1, 40.0),
        row(report.SITE, "daphne", 1, 50.0),
        row(report.SITE, "daphne", 25, 200.0) | {"load_core": 0.95},
        row(report.PEER, "memory", 25, 100.0),
        row(report.PEER, "flat", 25, 0.0),  # so slow that none was made
    ]
    results = {"machine": {"cores": 2}, "runs": 1, "seconds": 4, "rows": rows}
    visit = {"pages": {"home": {"requests": 9, "usable_ms": 800}}}
    told = report.markdown(results | {"first_visit": visit, "left_out": ["a peer"]})
    assert "| site on SQLite | daphne | 50 | 200¹ |" in told
    assert "| site on SQLite | daphne | 2.0 / 4.0 | 2.0 / 4.0 |" in told
    assert "| site on SQLite to boardgame.io (memory) | daphne | 2.00 |" in told
    assert "| site on SQLite to one in, four out | daphne | 0.50 |" in told
    assert "light-load latency (p50) to echo and commit | daphne | 0.67 |" in told
    assert "2.00 SQL statements a play" in told
    assert "|  | requests | usable, ms |\n| --- | --: | --: |\n| home | 9 | 800 |" in told
    assert "Left out: a peer" in told


def test_tables_take_the_place_of_the_former_ones():
    page = f"# Speed\n\n{report.BEGIN}\nold\n{report.END}\n\nmore\n"
    new = report.insert(page, "| new |\n")
    assert new == f"# Speed\n\n{report.BEGIN}\n\n| new |\n\n{report.END}\n\nmore\n"
    assert report.insert(new, "| new |") == new
    with pytest.raises(ValueError, match="marks"):
        report.insert("# Speed", "| new |")


def test_the_page_has_a_place_for_the_tables():
    page = (services.ROOT / "docs" / "performance.md").read_text()
    assert report.END in report.insert(page, "| new |")


# ---- at its smallest -----------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("server", services.SERVERS)
def test_the_site_is_measured(server, tmp_path):
    choice = Choice(sizes=(1, 2), seconds=0.5, runs=1)
    with services.static_files():
        seated = Seated(tmp_path, 2)
        rows = [*measures.measure_site(seated, server, choice)]
        rows += measures.measure_sockets(seated, server, choice)
    started, light, _, one, two, sockets = rows
    assert started["seconds"] > 0
    assert sockets["sockets"] == 8
    assert [row["tables"] for row in (light, one, two)] == [1, 1, 2]
    for row in (light, one, two):
        assert row["errors"] == {}
        assert row["plays_a_second"] > 0
        assert row["statements_a_play"] > 0
        assert row["p99_ms"] >= row["p50_ms"] > 0
