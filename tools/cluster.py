"""What `make cluster` does: the site on several processes, until somebody presses q or Ctrl-C.

PostgreSQL, Redis, nginx and the processes are new and empty, in scratch folders, on the loopback
alone; nothing of them is left afterwards. A part that ends meanwhile is started anew, as systemd
does it: one may kill any and watch.
"""

from __future__ import annotations

import argparse
import contextlib
import resource
import select
import signal
import sys
import termios
import time
import tty
from collections import Counter
from collections.abc import Iterator

from tables.tests import services
from tools.serve import check_free, port_from

OFTEN = 5
"""Times that a part is started anew before it is held to be broken."""
FORGOTTEN = 60.0
"""Seconds after which earlier ends do not count any more."""


@contextlib.contextmanager
def keys() -> Iterator[None]:
    """Keys are read one by one, if there is a keyboard."""
    if not sys.stdin.isatty():
        yield
        return
    usual = termios.tcgetattr(sys.stdin)
    tty.setcbreak(sys.stdin, termios.TCSANOW)  # also if nobody reads what was written
    try:
        yield
    finally:
        with contextlib.suppress(termios.error):  # the terminal may be gone
            termios.tcsetattr(sys.stdin, termios.TCSANOW, usual)


def parts(cluster: services.Cluster) -> dict[str, services.Service]:
    """What it consists of, by what people call it."""
    sites = {f"process {number}": site for number, site in enumerate(cluster.sites, 1)}
    return {
        **sites,
        "PostgreSQL": cluster.postgres,
        "Redis": cluster.redis,
        "nginx": cluster.nginx,
    }


def until_told_to_stop(cluster: services.Cluster) -> int:
    """Wait for q, Ctrl-C or a signal, and start anew what ends meanwhile; the exit status, which
    is 1 when a part ends again and again."""
    watched = [sys.stdin] if sys.stdin.isatty() else []
    ends, since = Counter[str](), time.monotonic()
    while True:
        ready, _, _ = select.select(watched, [], [], 1)
        if ready and sys.stdin.read(1) in ("q", "Q", "\x04", ""):
            return 0
        if time.monotonic() - since > FORGOTTEN:
            ends.clear()
            since = time.monotonic()
        for name, part in parts(cluster).items():
            if part.process is None or part.process.poll() is None:
                continue
            ends[name] += 1
            if ends[name] > OFTEN:
                print(f"{name} ends again and again:\n{part.log.read_text()}", file=sys.stderr)
                return 1
            status = part.process.returncode
            part.launch()
            print(f"{name} has ended ({status}); it is started anew: {part.pid}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.cluster", description=__doc__)
    parser.add_argument("--processes", type=int, default=2, help="of the site (2)")
    parser.add_argument("--server", choices=services.SERVERS, default="uvicorn")
    parser.add_argument("--port", default="8000", help="of nginx (8000)")
    parser.add_argument("--tls", action="store_true", help="https, with a certificate of its own")
    options = parser.parse_args()
    if options.processes < 1:
        parser.error("at least one process")
    port = port_from(options.port, "make cluster")
    check_free("127.0.0.1", port, "make cluster")

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    for told in (signal.SIGTERM, signal.SIGHUP):  # also when its terminal is closed
        signal.signal(told, stop)
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    # The limits that protect the site are the site's own here; only tests lift them.
    limits = {"TABLES_OPEN_RATE": "20", "TABLES_CLAIM_RATE": "60"}
    print(
        f"Starting PostgreSQL, Redis, nginx and {options.processes} of the site: some seconds.",
        flush=True,
    )
    try:
        with (
            services.static_files(),
            services.cluster(
                options.processes,
                server=options.server,
                port=port,
                tls=options.tls,
                limits=30,
                settings=limits,
            ) as cluster,
        ):
            pids = ", ".join(f"{name} {part.pid}" for name, part in parts(cluster).items())
            print(f"Korttipöytä: {cluster.url}/", flush=True)
            print(f"By number: {pids}. Logs: {cluster.nginx.folder}/", flush=True)
            if sys.stdin.isatty():
                print("q stops it and takes it away.", flush=True)
            with keys():
                return until_told_to_stop(cluster)
    except KeyboardInterrupt:
        return 0


if __name__ == "__main__":
    sys.exit(main())
