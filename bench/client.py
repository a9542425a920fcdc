"""The load: tables at which one play follows the other as fast as the server answers.

A process of its own. ``python -m bench.client`` reads a `Load` as JSON from its input and writes a
row of figures for each size as JSON; `run` does that from another process.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import statistics
import subprocess
import sys
import time
from collections import Counter
from dataclasses import asdict
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

from bench.wire import PATIENCE, Door, Load, Table

CONNECTING = 16
"""Tables whose sockets connect at the same time."""


# ---- measuring -----------------------------------------------------------------------------------


def processor_seconds(pids: list[int]) -> float:
    ticks = 0
    for pid in pids:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def resident(pids: list[int]) -> int:
    """Bytes of memory."""
    pages = sum(int(Path(f"/proc/{pid}/statm").read_text().split()[1]) for pid in pids)
    return pages * os.sysconf("SC_PAGE_SIZE")


COUNTED = {
    "statements": "korttipoyta_database_seconds_count",
    "layer_messages": "korttipoyta_layer_seconds_count",
    "plays": "korttipoyta_plays_total",
}
"""What the server counts itself (docs/deploying.md), by our name."""


def read_metrics(text: str) -> Counter[str]:
    """What a process says it has done, out of what it tells Prometheus."""
    found = Counter[str]()
    for line in text.splitlines():
        for name, counter in COUNTED.items():
            if line.startswith(counter + "{"):
                found[name] += int(float(line.rpartition(" ")[2]))
                if 'way="short"' in line and name == "plays":
                    found["short"] += int(float(line.rpartition(" ")[2]))
    return found


def server_counts(load: Load) -> Counter[str]:
    found = Counter[str]()
    for port in load.metrics:
        connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        headers = {"Authorization": f"Bearer {load.token}", "Connection": "close"}
        connection.request("GET", "/metrics", headers=headers)
        found += read_metrics(connection.getresponse().read().decode())
        connection.close()
    return found


async def play(load: Load, tables: list[Table], seconds: float) -> dict[str, Any]:
    """Let the tables play, and say what came of it."""
    for table in tables:
        table.latencies, table.running = [], True
        table.counts.clear()
    counted = server_counts(load)
    busy, own, began = processor_seconds(load.pids), time.process_time(), time.perf_counter()
    for table in tables:
        table.go()
    await asyncio.sleep(seconds)
    took = time.perf_counter() - began
    busy, own = processor_seconds(load.pids) - busy, time.process_time() - own
    for table in tables:
        table.running = False
    latencies = [one for table in tables for one in table.latencies]
    deadline = time.monotonic() + PATIENCE
    while any(table.missing and not table.leaving for table in tables):
        if time.monotonic() > deadline:
            raise TimeoutError("a play is not on all screens")
        await asyncio.sleep(0.01)
    await asyncio.sleep(load.pause)  # nobody goes on from before
    counted = server_counts(load) - counted
    counts = sum((table.counts for table in tables), Counter[str]())
    plays = counted["plays"]
    cuts = statistics.quantiles(2 * latencies or [0.0, 0.0], n=100, method="inclusive")
    return {
        "plays_a_second": len(latencies) / took,
        "p50_ms": 1000 * cuts[49],
        "p99_ms": 1000 * cuts[98],
        "server_core": busy / took,
        "load_core": own / took,
        "bytes_a_state": counts["state_bytes"] / max(1, counts["states"]),
        "deflated": counts["deflated"] > 0,
        **(
            {
                "statements_a_play": counted["statements"] / plays,
                "layer_messages_a_play": counted["layer_messages"] / plays,
                "bytes_a_play": counts["bytes"] / plays,
                "short_way": counted["short"] / plays,
            }
            if plays
            else {}
        ),
        "errors": {name: times for name, times in counts.items() if name.startswith("error")},
    }


async def measure(load: Load) -> list[dict[str, Any]]:
    """A row of each size."""
    tables = [Table(load, doors) for doors in load.tables[: max(load.sizes)]]
    few = asyncio.Semaphore(CONNECTING)
    rows, connected = [], 0

    async def connect(table: Table) -> None:
        async with few:
            await table.connect()

    for size in load.sizes:
        began = time.perf_counter()
        await asyncio.gather(*map(connect, tables[connected:size]))
        connected = max(connected, size)
        row: dict[str, Any] = {
            "tables": size,
            "sockets": sum(len(table.seats) for table in tables[:connected]),
            "connecting_seconds": time.perf_counter() - began,
            "server_bytes": resident(load.pids),
        }
        if load.seconds:
            await play(load, tables[:size], min(1.0, load.seconds / 4))  # warms up
            row |= await play(load, tables[:size], load.seconds)
        rows.append(row)
    for table in tables:
        table.leaving = True
        for seat in table.seats:
            seat.transport.abort()
    return rows


def run(load: Load) -> list[dict[str, Any]]:
    """`measure` in a process of its own, on the cores the load names."""
    ran = subprocess.run(
        [sys.executable, "-m", "bench.client"],
        input=json.dumps(asdict(load)),
        capture_output=True,
        text=True,
        check=False,
    )
    if ran.returncode:
        raise RuntimeError(f"the load failed:\n{ran.stderr}")
    rows: list[dict[str, Any]] = json.loads(ran.stdout)
    return rows


def main() -> None:
    told = json.load(sys.stdin)
    tables = [[Door(**door) for door in doors] for doors in told.pop("tables")]
    load = Load(tables=tables, **told)
    if load.cores:
        os.sched_setaffinity(0, load.cores)
    gc.disable()
    json.dump(asyncio.run(measure(load)), sys.stdout)


if __name__ == "__main__":
    main()
