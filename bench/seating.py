"""Tables with everybody seated, made in the database itself: forms for a thousand people take long.

``python -m bench.seating N`` runs with a site's environment and prints, for each table, its code
and the session key of each seat's browser. They are the site's own services that seat people.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

NAMES = ("Aino", "Ilmari", "Kaisa", "Otso")
GAME = "ristikontra"


def seat(tables: int) -> list[tuple[str, list[str]]]:
    """Open so many tables, in one transaction, and seat four people at each."""
    from django.contrib.sessions.backends.db import SessionStore
    from django.db import transaction

    from tables import lobby, people

    found = []
    with transaction.atomic():
        for _ in range(tables):
            sessions: list[Any] = [SessionStore() for _ in NAMES]
            browsers = [people.make_browser(session) for session in sessions]
            for session in sessions:
                session.create()
            code = lobby.open_table(GAME, len(NAMES), {}, browsers[0], NAMES[0], voice=False)
            for index, name in list(enumerate(NAMES))[1:]:
                invite = people.sign(people.Link.INVITE, code, index, 0)
                lobby.claim(code, index, invite, browsers[index], name)
            found.append((code, [str(session.session_key) for session in sessions]))
    return found


def run(tables: int, environment: dict[str, str]) -> list[tuple[str, list[str]]]:
    """`seat` in a process of its own, with a site's environment."""
    ran = subprocess.run(
        [sys.executable, "-m", "bench.seating", str(tables)],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if ran.returncode:
        raise RuntimeError(f"nobody could be seated:\n{ran.stderr}")
    return [(code, keys) for code, keys in json.loads(ran.stdout)]


def main() -> None:
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    json.dump(seat(int(sys.argv[1])), sys.stdout)


if __name__ == "__main__":
    main()
