"""Where things run: the cores, and the servers that are measured beside the site."""

from __future__ import annotations

import contextlib
import os
import platform
import shutil
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from bench.wire import Door
from tables.tests import services

HERE = Path(__file__).resolve().parent
INSTALLED = services.ROOT / "var" / "bench-boardgame"
"""Where the peer is installed: beside what else is made here and not kept in the repository."""


# ---- cores ---------------------------------------------------------------------------------------


@cache
def all_cores() -> list[int]:
    """The cores there are: the first is the server's, the last the load's."""
    return sorted(os.sched_getaffinity(0))


SERVER = all_cores()[0]


@contextlib.contextmanager
def on(*cores: int) -> Iterator[None]:
    """What is started or done meanwhile runs on these cores."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def machine(folder: Path) -> dict[str, Any]:
    """On what it was measured."""
    processors = Path("/proc/cpuinfo").read_text().splitlines()
    names = [line.partition(":")[2].strip() for line in processors if line.startswith("model name")]
    packages = ("django", "channels", "daphne", "twisted", "uvicorn", "uvloop", "orjson")
    return {
        "measured": datetime.now(UTC).strftime("%Y-%m-%d"),
        "processor": names[0] if names else platform.machine(),
        "cores": len(all_cores()),
        "disk": _asked("stat", "-f", "-c", "%T", str(folder)),
        "python": platform.python_version(),
        **{package: version(package) for package in packages if find_spec(package)},
        **({"node": _asked("node", "--version")} if shutil.which("node") else {}),
    }


def _asked(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


# ---- servers -------------------------------------------------------------------------------------


def production() -> dict[str, str]:
    """What makes a site one in production, here: it can be asked what it has counted, and no seat
    is too fast for it."""
    return {
        "PRODUCTION": "1",
        "ORIGINS": "https://cards.example.org",
        "ALLOWED_HOSTS": "127.0.0.1",
        "METRICS_TOKEN": services.KEY,
        "TABLES_RATE": "1000000",
        "TABLES_BURST": "1000000",
    }


class Bare(services.Site):
    """The server of the site with `bench.floors` in place of the site."""

    def command(self) -> list[str]:
        return [*super().command()[:-1], "bench.floors:application"]


class Durable(services.Postgres):
    """A PostgreSQL whose commits last, as one that is not of tests does."""

    def command(self) -> list[str]:
        return [part for part in super().command() if part != "-F"]


class Boardgame(services.Service):
    """A boardgame.io server with so many matches, which keeps them in ``store``."""

    def __init__(self, folder: Path, store: str, matches: int) -> None:
        super().__init__(folder)
        self.port = services.free_port()
        self.store, self.matches = store, matches
        self.environment = {**os.environ, "NODE_ENV": "production"}

    def command(self) -> list[str]:
        told = [str(self.port), str(self.matches), self.store, str(self.folder)]
        return ["node", str(INSTALLED / "server.js"), *told]

    answers = services.Site.answers

    def doors(self, match: int) -> list[Door]:
        """The four sockets of a match, which speak socket.io."""
        path = "/socket.io/?EIO=4&transport=websocket"
        return [
            Door(self.port, path, hello=("40/cards,", f'42/cards,["sync","{match}","{seat}"]'))
            for seat in range(4)
        ]


def install_boardgame() -> str:
    """Install the peer from npm, unless it is; what is missing if it cannot be had."""
    if not (shutil.which("node") and shutil.which("npm")):
        return "boardgame.io: node or npm is missing"
    INSTALLED.mkdir(parents=True, exist_ok=True)
    wanted, installed = HERE / "boardgame" / "package.json", INSTALLED / "package.json"
    shutil.copy(HERE / "boardgame" / "server.js", INSTALLED)
    if installed.exists() and installed.read_text() == wanted.read_text():
        return ""
    shutil.copy(wanted, INSTALLED / "package.json")
    ran = subprocess.run(
        ["npm", "install", "--no-fund", "--no-audit", "--no-package-lock"],  # noqa: S607
        cwd=INSTALLED,
        capture_output=True,
        text=True,
        check=False,
    )
    if ran.returncode:
        installed.unlink()
        return f"boardgame.io: npm could not install it\n{ran.stderr}"
    return ""
