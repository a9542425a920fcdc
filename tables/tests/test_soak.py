"""The mix of faults under play, for seconds instead of an hour: `make soak FAULTS=…` itself."""

from __future__ import annotations

import json
import subprocess

import pytest

from tables.tests import services

pytestmark = [pytest.mark.slow, pytest.mark.alone]


def test_no_play_is_lost_or_doubled_while_parts_fail_in_turn() -> None:
    """Every table is compared with what a fresh page is shown and with the database."""
    run = subprocess.run(
        [
            *(services.PYTHON, "-m", "bench.soak", "--seconds", "30", "--tables", "4"),
            *("--thought", "0.2", "--pace", "8", "--faults", "4"),
        ],
        cwd=services.ROOT,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    told = json.loads(run.stdout[run.stdout.index("{\n") :])
    assert told["errors"] == {}
    assert told["plays"] > 100
    assert told["checked"] >= 4
    failed = ("killed", "stopped", "Redis restarted", "Redis flushed", "PostgreSQL restarted")
    assert sum(told.get(kind, 0) for kind in failed) >= 3
