"""What the commands that write lines have in common."""

import os
import sys
from collections.abc import Iterable

from django.core.management.base import CommandError, OutputWrapper


def write_lines(stdout: OutputWrapper, lines: Iterable[str]) -> None:
    """Write each line as soon as it is there. Ends the command, in words, where it cannot.

    Whoever reads may have had enough (``| head -1``): that ends it without a word.
    """
    if sys.stdout is None:
        raise CommandError("There is no standard output.")
    try:
        for line in lines:
            stdout.write(line)
            stdout.flush()
    except KeyboardInterrupt:
        sys.exit(130)
    except OSError as error:
        # Python flushes once more at its end, and would complain once more.
        os.dup2(os.open(os.devnull, os.O_WRONLY), stdout.fileno())
        if isinstance(error, BrokenPipeError):
            sys.exit(1)
        raise CommandError(f"The output cannot be written: {error.strerror}.") from None
