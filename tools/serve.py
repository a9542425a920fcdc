"""What `make run` does once everything is installed: prepare var/, then become the server.

Reads HOST and PORT from the environment.
"""

import errno
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parent.parent
LOOPBACK = ["localhost", "127.0.0.1", "[::1]"]
EVERY_ADDRESS = {"0.0.0.0", "::"}  # noqa: S104  (compared with, not bound to by default)
LARGEST_FRAME = "16384"
LARGEST_MESSAGE = "65536"  # also of those that are sent, which are one frame each


def fail(message: str) -> NoReturn:
    print(message, file=sys.stderr)
    sys.exit(1)


def port_from(text: str, command: str) -> int:
    """The port that somebody has asked ``command`` for."""
    if not text.isdecimal() or not 0 < int(text) < 65536:
        fail(f"PORT={text} is not a port; try {command} PORT=8000")
    return int(text)


def check_free(host: str, port: int, command: str) -> None:
    """See that ``command`` can listen there."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        family, kind, protocol, _, address = found[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except socket.gaierror:
        fail(f"HOST={host} is not an address of this machine")
    except PermissionError:
        fail(f"port {port} needs more rights than you have; try {command} PORT=8000")
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            fail(f"port {port} is in use; try {command} PORT={port + 1}")
        fail(f"cannot listen on {host} port {port}: {error.strerror}")


def in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def own_names() -> list[str]:
    """The names and addresses under which other machines may reach this one."""
    names = [socket.gethostname()]
    hostname = shutil.which("hostname")
    if hostname is None:
        print("This machine's addresses cannot be told; set ALLOWED_HOSTS to them.")
        return names
    run = subprocess.run([hostname, "-I"], capture_output=True, text=True, check=False)
    return [in_url(address) for address in run.stdout.split()] + names


def main() -> None:
    host = os.environ.get("HOST") or "127.0.0.1"
    port = port_from(os.environ.get("PORT") or "8000", "make run")
    check_free(host, port, "make run")

    os.chdir(ROOT)
    os.umask(0o077)  # the key, and the database with everyone's cards, are nobody else's
    (ROOT / "var").mkdir(exist_ok=True)

    reachable = own_names() if host in EVERY_ADDRESS else [in_url(host)]
    environment = dict(os.environ)
    if "PRODUCTION" not in environment:
        hosts = list(dict.fromkeys([*LOOPBACK, *reachable]))
        environment.setdefault("ALLOWED_HOSTS", ",".join(hosts))
        environment.setdefault("ORIGINS", ",".join(f"http://{name}:{port}" for name in hosts))

    for command in (["migrate", "--noinput"], ["collectstatic", "--noinput"]):
        done = subprocess.run(
            [sys.executable, "manage.py", *command, "--verbosity", "0"],
            env=environment,
            check=False,
        )
        if done.returncode:
            fail(f"manage.py {command[0]} failed; nothing was started")

    for name in reachable:
        print(f"Korttipöytä: http://{name}:{port}/", flush=True)
    os.execve(  # noqa: S606  (no shell wanted)
        sys.executable,
        [
            *(sys.executable, "-m", "daphne", "--bind", host, "--port", str(port)),
            *("--ping-interval", "15", "--ping-timeout", "10"),
            *("--websocket-max-frame-size", LARGEST_FRAME),
            *("--websocket-max-message-size", LARGEST_MESSAGE),
            *("--verbosity", "0", "--no-server-name", "config.asgi:application"),
        ],
        environment,
    )


if __name__ == "__main__":
    main()
