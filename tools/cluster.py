"""What `make cluster` does: the site on several processes, until somebody presses q or Ctrl-C.

PostgreSQL, Redis, nginx and the processes are new and empty, in scratch folders, on the loopback
alone; nothing of them is left afterwards.
"""

from __future__ import annotations

import argparse
import contextlib
import resource
import select
import signal
import sys
import termios
import tty
from collections.abc import Iterator

from tables.tests import services
from tools.serve import check_free


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
        termios.tcsetattr(sys.stdin, termios.TCSANOW, usual)


def until_told_to_stop(cluster: services.Cluster) -> int:
    """Wait for q, Ctrl-C or SIGTERM, or the end of a part of it; the exit status."""
    parts = [cluster.postgres, cluster.redis, cluster.nginx, *cluster.sites]
    watched = [sys.stdin] if sys.stdin.isatty() else []
    while True:
        ready, _, _ = select.select(watched, [], [], 1)
        if ready and sys.stdin.read(1) in ("q", "Q", "\x04", ""):
            return 0
        for part in parts:
            if part.process is not None and part.process.poll() is not None:
                print(f"{type(part).__name__} has ended:\n{part.log.read_text()}", file=sys.stderr)
                return 1


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.cluster", description=__doc__)
    parser.add_argument("--processes", type=int, default=2, help="of the site (2)")
    parser.add_argument("--server", choices=services.SERVERS, default="daphne")
    parser.add_argument("--port", type=int, default=8000, help="of nginx (8000)")
    parser.add_argument("--tls", action="store_true", help="https, with a certificate of its own")
    options = parser.parse_args()
    if options.processes < 1:
        parser.error("at least one process")
    check_free("127.0.0.1", options.port)

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, stop)
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    # The limits that protect the site are the site's own here; only tests lift them.
    limits = {"TABLES_OPEN_RATE": "20", "TABLES_CLAIM_RATE": "60"}
    try:
        with (
            services.static_files(),
            services.cluster(
                options.processes,
                server=options.server,
                port=options.port,
                tls=options.tls,
                limits=30,
                settings=limits,
            ) as cluster,
        ):
            print(f"Korttipöytä: {cluster.url}/", flush=True)
            if sys.stdin.isatty():
                print("q stops it and takes it away.", flush=True)
            with keys():
                return until_told_to_stop(cluster)
    except KeyboardInterrupt:
        return 0


if __name__ == "__main__":
    sys.exit(main())
