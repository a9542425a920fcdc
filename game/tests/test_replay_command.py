"""``manage.py replay``: a line for each record, whatever the file, and never a traceback."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from game.engine.registry import newest
from game.management.commands.replay import texts
from game.records import LIMIT

FILES = Path(__file__).parent / "records"
ROOT = Path(__file__).resolve().parents[2]
RIGHT = (FILES / "ristikontra.jsonl").read_bytes()
EXPECTED = (FILES / "ristikontra.expected.jsonl").read_text()
ONE, TOLD = RIGHT.splitlines()[0], EXPECTED.splitlines()[0]
MANY = RIGHT * (2 * LIMIT // len(RIGHT))
"""Several times what is read at once."""


def replay(*files):
    """The lines printed and the exit status."""
    out = io.StringIO()
    try:
        call_command("replay", *map(str, files), stdout=out)
    except SystemExit as ended:
        return out.getvalue().splitlines(), ended.code
    return out.getvalue().splitlines(), 0


@pytest.fixture
def file(tmp_path):
    """Makes a file of these bytes."""

    def make(content):
        path = tmp_path / "file"
        path.write_bytes(content)
        return path

    return make


@pytest.mark.parametrize("key", newest())
def test_right_records_give_their_lines_and_status_0(key):
    expected = (FILES / f"{key}.expected.jsonl").read_text().splitlines()
    assert replay(FILES / f"{key}.jsonl") == (expected, 0)


def test_wrong_records_give_their_lines_and_status_1():
    lines, status = replay(FILES / "wrong.jsonl")
    assert status == 1
    assert len(lines) == len((FILES / "wrong.jsonl").read_text().splitlines())
    for line in map(json.loads, lines):
        assert list(line) == ["ok", "error"]
        assert line["ok"] is False


def test_everything_is_read_after_something_wrong(tmp_path):
    right = FILES / "ristikontra.jsonl"
    lines, status = replay(tmp_path / "none", FILES / "wrong.jsonl", right)
    assert status == 1
    assert lines[-14:] == EXPECTED.splitlines()
    assert len(lines) == 1 + 12 + 14


@pytest.mark.parametrize(
    "content",
    [
        ONE,
        json.dumps(json.loads(ONE), indent=2).encode(),
        json.dumps(json.loads(ONE), indent=0).encode() + b"\n",
        json.dumps(json.loads(ONE), indent="\t").replace("\n", "\r\n").encode(),
        # A line for each deal, the last of which could be an object by itself.
        ONE.replace(b'{"dealer', b'\n{"dealer').replace(b"]}]}", b"]}\n]}"),
        b"\n\n  " + ONE + b"\r\n\r\n",
    ],
)
def test_one_record_may_lie_on_many_lines(file, content):
    assert replay(file(content)) == ([TOLD], 0)


def test_blank_and_broken_lines_between_records(file):
    lines, status = replay(file(b"hello\n" + ONE + b"\r\n\n{\n" + ONE + b"\n"))
    assert status == 1
    assert [json.loads(line)["ok"] for line in lines] == [False, True, False, True]
    assert lines[1] == lines[3] == TOLD


def test_many_records_are_read_line_by_line(file):
    lines, status = replay(file(MANY))
    assert status == 0
    assert lines == EXPECTED.splitlines() * (len(MANY) // len(RIGHT))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "not JSON"),
        (b"\n \n", "not JSON"),
        (b"Dear all,\nthis is\nnot a record.\n", "not JSON"),
        (json.dumps(json.loads(ONE), indent=2).encode()[:-3], "not JSON"),
        (bytes(range(256)) * 99, "not UTF-8 text"),
        (b"\x00" * 999, "not JSON"),
        (b"\xef\xbb\xbf" + ONE, "byte order mark"),
        (ONE.decode().encode("utf-16"), "not UTF-8 text"),
        (b"[" * LIMIT, "nested too deeply"),
        (b'{"format": %s}' % (b"9" * 5_000), "only whole numbers"),
        (b"[NaN]", "only whole numbers"),
        (ONE + b" " * LIMIT + b"x", "longer than"),
        (b"x\n" * LIMIT, "longer than"),
    ],
    ids=lambda value: ascii(value)[:40],
)
def test_a_file_that_is_no_record_gives_one_line(file, content, words):
    (line,), status = replay(file(content))
    assert status == 1
    assert json.loads(line)["ok"] is False
    assert words in json.loads(line)["error"]


def test_a_file_that_cannot_be_read(tmp_path):
    lines, status = replay(tmp_path / "none", tmp_path)
    assert status == 1
    assert [json.loads(line) for line in lines] == [
        {"ok": False, "error": f"{tmp_path / 'none'}: No such file or directory"},
        {"ok": False, "error": f"{tmp_path}: Is a directory"},
    ]


class Endless(io.RawIOBase):
    """A file that goes on with one letter for ever."""

    def __init__(self, start):
        self.start, self.taken = start, 0

    def readable(self):
        return True

    def readinto(self, buffer):
        part = self.start[: len(buffer)] or b"x" * len(buffer)
        self.start = self.start[len(part) :]
        buffer[: len(part)] = part
        self.taken += len(part)
        return len(part)


@pytest.mark.parametrize("start", [b"", ONE + b"\n", MANY], ids=["alone", "second", "late"])
def test_of_an_endless_line_little_is_read(start):
    endless = Endless(start)
    found = list(texts(io.BufferedReader(endless)))
    assert len(found) == start.count(b"\n") + 1
    assert len(found[-1]) > LIMIT
    assert endless.taken < len(start) + 3 * LIMIT


def test_standard_input(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(RIGHT)))
    assert replay("-") == (EXPECTED.splitlines(), 0)


def test_standard_input_may_be_closed(monkeypatch):
    monkeypatch.setattr("sys.stdin", None)
    lines, status = replay("-")
    assert status == 1
    assert json.loads(lines[0]) == {"ok": False, "error": "-: standard input is closed"}


def test_a_file_must_be_named():
    with pytest.raises(CommandError, match="FILE"):
        call_command("replay")


# --- As a process of its own ------------------------------------------------------------------


def process(*arguments, **options):
    return subprocess.Popen(
        [*options.pop("before", []), sys.executable, "manage.py", "replay", *map(str, arguments)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        **options,
    )


def test_a_real_run_over_standard_input_and_files():
    with process("-", FILES / "wrong.jsonl") as run:
        out, err = run.communicate(RIGHT)
    assert (run.returncode, err) == (1, b"")
    assert out.decode().startswith(EXPECTED)
    assert out.count(b'"ok": false') == 12


def test_whoever_reads_may_stop_reading(file):
    with process(file(MANY)) as run:
        assert run.stdout.readline().decode() == TOLD + "\n"
        run.stdout.close()
        assert run.wait() == 1
        assert run.stderr.read() == b""


def test_there_may_be_nowhere_to_write():
    before = ["sh", "-c", 'exec "$@" >&-', "sh"]
    with process(FILES / "ristikontra.jsonl", before=before) as run:
        out, err = run.communicate()
    assert (run.returncode, out) == (1, b"")
    assert err == b"CommandError: There is no standard output.\n"
