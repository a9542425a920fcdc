"""Every form of the tables through nginx with TLS, two processes behind it; static files; the
script of `make cluster` itself."""

from __future__ import annotations

import asyncio
import os
import pty
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import httpx
import pytest

from tables.protocol import CloseCode
from tables.tests import services
from tables.tests.people_online import Person, Turned, everybody_sees, play_on
from tables.tests.services import ROOT, Cluster, Postgres, wait_until
from tables.tests.stage import CARD, rows

pytestmark = [pytest.mark.slow, pytest.mark.alone]

QUICK = {"TABLES_PULSE": "0.5", "TABLES_GRACE": "0.3"}
HASHED = re.compile(r'/static/[^"]+\.[0-9a-f]{12}\.(?:css|js|svg)')


@pytest.fixture(scope="module")
def cluster(postgres: Postgres) -> Iterator[Cluster]:
    with services.cluster(started=postgres, settings=QUICK) as cluster:
        yield cluster
        for log in cluster.logs().values():
            assert services.errors_in(log) == []
            assert not CARD.search(log), log


def person(cluster: Cluster) -> Person:
    return Person(cluster.url, cluster.nginx.trust)


def test_every_form_and_every_socket_at_either_process(cluster: Cluster) -> None:
    """CASES 1, 3, 5, 40, R14: opened, claimed, renamed, renewed, moved, left, freed, played again;
    and the seats of the table are at both processes."""

    async def story() -> None:
        people = [person(cluster) for _ in range(4)]
        phone, late = person(cluster), person(cluster)
        everybody = [*people, phone, late]
        try:
            host, toni, sara, last = people
            await host.open_table("Aino")
            await host.connect()
            # Looking claims nothing, whoever looks.
            old_invite = host.invites()[0]
            for _ in range(4):
                await toni.get(old_invite)
            assert not host.snapshot["seats"][1]["taken"]
            # A renewed invite is worth nothing any more.
            seat = host.page["seats"][1]
            token = host.web.cookies["csrftoken"]
            await host.post(seat["renew"], token, turnover="0", taken="")
            await host.until(lambda: host.snapshot["seats"][1]["turnover"] == 1, "a new invite")
            with pytest.raises(Turned):
                await toni.sit_down(old_invite, "Toni")
            for guest, name in ((toni, "Toni"), (sara, "Sara"), (last, "")):
                await guest.sit_down(host.invites()[0], name)
                await guest.connect()
                await host.until(partial(taken, host, guest.seat), "the guest")
            await everybody_sees(people, 1)
            with pytest.raises(Turned):
                await late.sit_down(old_invite, "Late")
            await play_on(people, 6)
            # Spread over both processes, whoever has come where.
            while len(processes(cluster, host.code)) < 2:
                await last.connect()
            await play_on(people, 6)

            await sara.say(type="rename", name="Sára")
            for one in people:
                await one.until(partial(named, one, 2, "Sára"), "the name")
            await toni.say(type="say", id="1", text="Well, well")
            for one in people:
                await one.until_said("Well, well")

            await phone.take_over(toni)
            await toni.until(lambda: toni.close_code, "the old page is closed")
            assert toni.close_code == CloseCode.MOVED
            await phone.connect()
            people[1] = phone
            await play_on(people, 6)

            assert await last.leave() == "drawn"
            for one in people:
                await one.until(partial(over, one), "the end")
            ply = host.ply
            for one in people:
                await one.say(type="agree", to="again")
            await everybody_sees(people, ply + 1)
            await play_on(people, 6)
        finally:
            for one in everybody:
                await one.leave_site()

    asyncio.run(story())


def taken(person: Person, seat: int) -> bool:
    return bool(person.snapshot["seats"][seat]["taken"])


def named(person: Person, seat: int, name: str) -> bool:
    return bool(person.snapshot["seats"][seat]["name"] == name)


def over(person: Person) -> bool:
    return person.status == "over"


def processes(cluster: Cluster, code: str) -> set[str]:
    found = rows(
        cluster.database,
        "SELECT DISTINCT p.process FROM tables_presence p"
        " JOIN tables_seat s ON s.id = p.seat_id JOIN tables_table t ON t.id = s.table_id"
        f" WHERE t.code = '{code}' AND p.live",
    )
    return {str(process) for (process,) in found}


def test_static_files_come_from_nginx_compressed_and_for_good(cluster: Cluster) -> None:
    assert cluster.nginx.trust
    with httpx.Client(verify=cluster.nginx.trust, trust_env=False) as web:
        names = HASHED.findall(web.get(cluster.url + "/").text)
        assert len(names) > 2
        for name in names:
            answer = web.get(cluster.url + name)
            assert answer.status_code == 200, name
            assert answer.headers["Server"] == "nginx"
            assert "immutable" in answer.headers["Cache-Control"]
            assert answer.headers["X-Content-Type-Options"] == "nosniff"
            if not name.endswith(".svg"):
                assert answer.headers["Content-Encoding"] == "gzip"
                assert "charset=utf-8" in answer.headers["Content-Type"]
        script = next(name for name in names if name.endswith(".js"))
        assert "javascript" in web.get(cluster.url + script).headers["Content-Type"]
        assert web.get(cluster.url + "/static/../manage.py").status_code in (400, 404)
        assert web.get(cluster.url + "/static/nowhere.js").status_code == 404


@pytest.mark.parametrize("key", [b"q", b"\x03", None], ids=["q", "Ctrl-C", "terminal closed"])
def test_make_cluster_is_started_and_ended_by_one_key(key: bytes | None) -> None:
    """It prints one address, starts anew what ends, and leaves neither a process nor a file."""
    port = services.free_port()
    with services.scratch("make") as folder:
        folder.chmod(0o755)  # PostgreSQL's is another's in it
        keyboard, terminal = pty.openpty()
        command = [services.PYTHON, "-m", "tools.cluster", "--port", str(port)]
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env=os.environ | {"TMPDIR": str(folder)},
            stdin=terminal,
            stdout=terminal,
            stderr=terminal,
            start_new_session=True,
            preexec_fn=lambda: __import__("fcntl").ioctl(0, __import__("termios").TIOCSCTTY, 0),
        )
        os.close(terminal)
        shown = told(keyboard, b"q stops it")
        address = re.search(rb"http://localhost:\d+/", shown)
        assert address, shown
        with httpx.Client(trust_env=False) as web:
            assert web.get(address[0].decode()).status_code == 200
        assert len(children(process.pid)) == 5  # PostgreSQL, Redis, two of the site, nginx

        second = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        assert second.returncode == 1
        assert f"port {port} is in use; try make cluster PORT={port + 1}" in second.stderr

        killed = re.search(rb"process 2 (\d+)", shown)
        assert killed, shown
        os.kill(int(killed[1]), signal.SIGKILL)
        assert b"process 2 has ended (-9)" in told(keyboard, b"it is started anew")
        left = children(process.pid)
        assert len(left) == 5

        if key is None:
            os.close(keyboard)
        else:
            os.write(keyboard, key)
        assert process.wait(30) == 0
        if key is not None:
            os.close(keyboard)
        wait_until(
            lambda: not any(Path(f"/proc/{child}").exists() for child in left), 10, "all have ended"
        )
        assert list(folder.iterdir()) == []


def told(keyboard: int, words: bytes) -> bytes:
    """What has been shown until these words were."""
    shown = b""
    deadline = time.monotonic() + 60
    while words not in shown and time.monotonic() < deadline:
        shown += os.read(keyboard, 4096)
    return shown


def children(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
