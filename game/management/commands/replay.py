"""``manage.py replay FILE …``: play recorded matches again and say what they counted."""

import errno
import io
import json
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

from django.core.management.base import BaseCommand, CommandParser, no_translations

from game.management import write_lines
from game.records import LIMIT, WrongRecord, check, parse

LINE = re.compile(rb"^\{.*\}\s*$", re.MULTILINE)
"""A line that may be a record by itself."""


class Command(BaseCommand):
    help = (
        "Plays recorded matches again. Prints one JSON object per record on one line; "
        "the exit status is 0 when every record is right and 1 otherwise."
    )
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "files",
            metavar="FILE",
            nargs="+",
            help="one record, or one on each line; - is standard input",
        )

    @no_translations
    def handle(self, *args: Any, files: list[str], **options: Any) -> None:
        right = True

        def lines() -> Iterator[str]:
            nonlocal right
            for one in chain.from_iterable(map(reports, files)):
                right = right and one["ok"]
                yield json.dumps(one)

        write_lines(self.stdout, lines())
        if not right:
            sys.exit(1)


def reports(name: str) -> Iterator[Mapping[str, Any]]:
    """What there is to say of each record in a file, or of the file when it cannot be read."""
    try:
        with _open(name) as file:
            for text in texts(file):
                try:
                    yield check(parse(text))
                except WrongRecord as wrong:
                    yield {"ok": False, "error": str(wrong)}
    except OSError as error:
        yield {"ok": False, "error": f"{name}: {error.strerror}"}


def texts(file: BinaryIO) -> Iterator[bytes]:
    """The texts of a file's records: it is one, over any number of lines, or has one on each line.

    However long the file, little more than the limit of one record is held at a time.
    """
    head = file.read(LIMIT + 1)
    if not LINE.search(head) or (len(head) <= LIMIT and _is_json(head)):
        yield head
        return
    head += file.readline(LIMIT)  # the rest of the line that the limit cut
    for line in chain(io.BytesIO(head), iter(lambda: file.readline(LIMIT + 1), b"")):
        text = line.strip()
        if text:
            yield text
        if len(text) > LIMIT:
            return  # what comes next would be the middle of this line


def _open(name: str) -> AbstractContextManager[BinaryIO]:
    if name != "-":
        return Path(name).open("rb")
    if sys.stdin is None:
        raise OSError(errno.EBADF, "standard input is closed")
    return nullcontext(sys.stdin.buffer)


def _is_json(text: bytes) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
