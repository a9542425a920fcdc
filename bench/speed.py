"""How fast the site is, beside what the machine can do and beside a peer: what `make bench` does.

`bench/README.md` tells what is measured and what the figures mean. Writes `bench/results.json` and
the tables in `docs/performance.md`, or with ``--quick`` prints the tables alone.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from typing import Any

from bench import measures, report
from bench.measures import QUICK, Choice, Rows, Seated
from bench.places import install_boardgame, machine
from tables.tests import services

RESULTS = services.ROOT / "bench" / "results.json"
PAGE = services.ROOT / "docs" / "performance.md"


def first_visit(runs: int) -> dict[str, Any] | None:
    """What the first visit to a page costs, if there is a bench of that."""
    if find_spec("bench.first_visit") is None:
        return None
    command = [sys.executable, "-m", "bench.first_visit", "--runs", str(runs)]
    ran = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, Any] = json.loads(ran.stdout)
    return found


def one_pass(seated: Seated, choice: Choice, peers: bool, first: bool) -> list[report.Row]:
    """Everything once."""
    steps: list[Callable[[], Rows]] = [
        partial(measures.measure_commits, choice),
        partial(measures.measure_engine, choice),
        partial(measures.measure_postgres, choice),
    ]
    for server in services.SERVERS:
        steps.append(partial(measures.measure_floors, server, choice))
        steps.append(partial(measures.measure_site, seated, server, choice))
        if first:
            steps.append(partial(measures.measure_sockets, seated, server, choice))
    if peers:
        steps.append(partial(measures.measure_boardgame, "memory", choice.sizes, choice))
        steps.append(partial(measures.measure_boardgame, "sqlite", choice.sizes, choice))
        steps.append(partial(measures.measure_boardgame, "flat", choice.sizes[1:2], choice))
    found = []
    for step in steps:
        for row in step():
            print(json.dumps(row), file=sys.stderr, flush=True)
            found.append(row)
    return found


def measure_all(choice: Choice) -> dict[str, Any]:
    """Everything as often as the choice says; what `bench/results.json` has."""
    missing = install_boardgame()
    visit = first_visit(choice.runs)
    with services.static_files(), services.scratch("bench") as folder:
        seated = Seated(folder, choice.sizes[-1])
        passes = [
            one_pass(seated, choice, peers=not missing, first=not number)
            for number in range(choice.runs)
        ]
        return {
            "machine": machine(folder),
            "runs": choice.runs,
            "seconds": choice.seconds,
            "rows": report.medians(passes),
            "first_visit": visit,
            "left_out": [missing] if missing else [],
        }


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.speed", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="three minutes, nothing written")
    quick = parser.parse_args().quick
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    results = measure_all(QUICK if quick else Choice())
    if quick:
        print(report.markdown(results))
        return
    RESULTS.write_text(json.dumps(results, indent=1) + "\n")
    PAGE.write_text(report.insert(PAGE.read_text(), report.markdown(results)))


if __name__ == "__main__":
    main()
