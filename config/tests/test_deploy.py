"""What lies in deploy/ does what it says: a real nginx in front of the site, backups, units."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import httpx
import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin

from tables.tests import services
from tables.tests.services import Nginx

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
UNITS = sorted((DEPLOY / "systemd").iterdir())


# ---- nginx ---------------------------------------------------------------------------------------


def test_nginx_takes_its_file() -> None:
    with services.scratch("nginx") as folder:
        nginx = Nginx(folder, 8001, 8002)
        run = subprocess.run([*nginx.command(), "-t"], capture_output=True, text=True, check=False)
        assert run.returncode == 0, run.stderr
        assert "warn" not in run.stderr


@pytest.fixture(scope="module")
def proxied() -> Iterator[tuple[services.Site, Nginx]]:
    """The production site behind nginx, over TLS."""
    with services.scratch("proxy") as folder:
        database = f"sqlite:///{folder / 'db.sqlite3'}"
        services.migrate(database)
        site = services.Site(
            folder,
            database,
            PRODUCTION="1",
            ALLOWED_HOSTS="localhost",
            TABLES_PROXIES="1",
            TABLES_OPEN_RATE="3",
            METRICS_TOKEN="token",
        )
        nginx = Nginx(folder, site.port)
        assert site.environment
        site.environment["ORIGINS"] = nginx.url
        with services.running(site), services.running(nginx):
            yield site, nginx


def person(nginx: Nginx) -> httpx.Client:
    assert nginx.trust
    return httpx.Client(base_url=nginx.url, verify=nginx.trust, trust_env=False, timeout=60)


def open_table(web: httpx.Client, **headers: str) -> httpx.Response:
    form = "/tables/new/ristikontra/"
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', web.get(form).text)
    assert token
    where = {"Origin": str(web.base_url).rstrip("/"), "Referer": f"{web.base_url}{form[1:]}"}
    data = {"csrfmiddlewaretoken": token[1], "name": "Aino"}
    return web.post(form, data=data, headers=where | headers)


@pytest.mark.slow
def test_the_site_behind_a_proxy_case_40(proxied: tuple[services.Site, Nginx]) -> None:
    """Pages, forms and sockets over TLS; other origins are kept out; nothing secret is logged."""
    _site, nginx = proxied
    with person(nginx) as web:
        home = web.get("/")
        assert home.status_code == 200
        assert "max-age=" in home.headers["Strict-Transport-Security"]
        opened = open_table(web)
        assert opened.status_code == 302
        assert "Secure" in opened.headers["Set-Cookie"]
        table = opened.headers["Location"]
        page = web.get(table).text
        data = re.search(r'<script id="kp-page" type="application/json">(.*?)</script>', page)
        assert data
        told = json.loads(data[1])
        assert told["comeBack"].startswith(nginx.url)
        cookies = "; ".join(f"{name}={value}" for name, value in web.cookies.items())
        address = nginx.url.replace("https", "wss") + told["socket"]
        headers = {"Cookie": cookies}
        with connect(
            address,
            ssl=nginx.trust,
            origin=Origin(nginx.url),
            additional_headers=headers,
            proxy=None,
        ) as socket:
            assert json.loads(socket.recv(timeout=30))["type"] == "snapshot"
        for origin in ("https://evil.example", nginx.url.replace("https", "http")):
            with pytest.raises(InvalidStatus) as refused:
                connect(
                    address,
                    ssl=nginx.trust,
                    origin=Origin(origin),
                    additional_headers=headers,
                    proxy=None,
                )
            assert refused.value.response.status_code == 403
        web.get(told["comeBack"])
        assert web.get("/metrics", headers={"Authorization": "Bearer token"}).status_code == 404
        assert web.get("/readyz").status_code == 404
        assert web.get("/healthz").status_code == 200
    with httpx.Client(trust_env=False) as plain:
        sent = plain.get(f"http://127.0.0.1:{nginx.plain}/games/ristikontra/")
        assert sent.headers["Location"] == f"{nginx.url}/games/ristikontra/"
    secret = told["comeBack"].rstrip("/").rsplit("/", 1)[-1]
    log = (nginx.folder / "korttipoyta.log").read_text()
    assert " GET /returns/- " in log
    for file in nginx.folder.glob("*.log"):
        text = file.read_text()
        assert secret not in text, file
        assert "127.0.0.1" not in text.replace(f"127.0.0.1:{nginx.port}", ""), file


@pytest.mark.slow
def test_forged_headers_change_nothing_case_40(proxied: tuple[services.Site, Nginx]) -> None:
    """Whoever writes another address into the header each time is still one address, and the site
    still believes that it is spoken to over TLS."""
    site, nginx = proxied
    statuses = []
    for number in range(5):
        with person(nginx) as web:
            forged = {
                "X-Forwarded-For": f"192.0.2.{number}, 198.51.100.{number}",
                "X-Real-IP": f"192.0.2.{number}",
                "Forwarded": f"for=192.0.2.{number};proto=http",
                "X-Forwarded-Proto": "http",
                "X-Forwarded-Host": "evil.example",
            }
            statuses.append(open_table(web, **forged).status_code)
    assert statuses[-2:] == [429, 429]
    with httpx.Client(trust_env=False) as direct:
        # The site itself, asked without the proxy, sends people to TLS.
        assert direct.get(f"{site.url}/", headers={"Host": "localhost"}).status_code == 301


# ---- systemd -------------------------------------------------------------------------------------


def here(unit: str) -> str:
    """A unit with this tree in place of the one that is deployed, and a user that there is."""
    return unit.replace("/srv/korttipoyta", str(ROOT)).replace("=korttipoyta\n", "=daemon\n")


def test_systemd_takes_the_units(tmp_path: Path) -> None:
    for unit in UNITS:
        (tmp_path / unit.name).write_text(here(unit.read_text()))
    (tmp_path / "korttipoyta@8001.service").write_text(
        (tmp_path / "korttipoyta@.service").read_text()
    )
    names = [unit.name for unit in UNITS if "@" not in unit.name] + ["korttipoyta@8001.service"]
    run = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *(str(tmp_path / name) for name in names)],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"SYSTEMD_UNIT_PATH": f"{tmp_path}:"},
    )
    ours = [line for line in run.stderr.splitlines() if "korttipoyta" in line]
    assert ours == []


def test_every_timer_has_its_service_and_every_command_is_there() -> None:
    from django.core.management import get_commands

    names = {unit.name for unit in UNITS}
    for name in names:
        if name.endswith(".timer"):
            assert name.replace(".timer", ".service") in names
    for unit in UNITS:
        for command in re.findall(r"manage\.py (\w+)", unit.read_text()):
            assert command in get_commands()
        for script in re.findall(r"/srv/korttipoyta/(deploy/\w+)", unit.read_text()):
            assert os.access(ROOT / script, os.X_OK)
    guide = (ROOT / "docs" / "deploying.md").read_text()
    for name in re.findall(r"deploy/(?:\w+/)?[\w.]+\.(?:conf|example)", guide):
        assert (ROOT / name).exists()


def test_the_example_environment_names_what_the_settings_read() -> None:
    text = (DEPLOY / "korttipoyta.env.example").read_text()
    known = (ROOT / "config" / "settings.py").read_text() + (ROOT / "tables/conf.py").read_text()
    for name in re.findall(r"^([A-Z_]+)=", text, flags=re.MULTILINE):
        assert f'"{name}"' in known, name


def test_servers_have_the_same_limits_wherever_they_are_started() -> None:
    """The tests of faults say something about the site that is deployed only if it is started as
    they start it."""
    unit = (DEPLOY / "systemd" / "korttipoyta@.service").read_text()
    guide = (ROOT / "docs" / "reliability.md").read_text()
    for server, text in (("uvicorn", unit), ("daphne", guide)):
        [command] = re.findall(rf"-m {server} ((?:.*\\\n)*.*)", text)
        said = command.replace("\\\n", " ").split()
        for options in services.SERVERS[server][1:]:
            for option, value in pairwise([*options, "--"]):
                if option.startswith("--"):
                    assert option in said, (server, option)
                    at = said.index(option)
                    assert value.startswith("--") or said[at + 1] == value, (server, option)


# ---- upgrading -----------------------------------------------------------------------------------

STANDS_IN = """#!/bin/sh
echo "$(basename "$0") $*" >> "$CALLS"
case "$*" in *"$FAILS"*) exit 1;; esac
"""


def upgrade(folder: Path, *ports: str, fails: str = "nothing") -> tuple[int, list[str]]:
    """Upgrade with programs that only note how they are called; how it ended, and the calls."""
    calls = folder / "calls"
    calls.write_text("")
    for name in ("runuser", "systemctl", "curl", "sleep"):
        (folder / name).write_text(STANDS_IN)
        (folder / name).chmod(0o755)
    variables = folder / "korttipoyta.env"
    variables.write_text("ALLOWED_HOSTS=cards.example.org,other.example.org\n")
    environment = {"PATH": f"{folder}:{os.environ['PATH']}", "CALLS": str(calls), "FAILS": fails}
    run = subprocess.run(
        [str(DEPLOY / "upgrade"), *ports],
        env=environment | {"ENVIRONMENT": str(variables)},
        capture_output=True,
        text=True,
        check=False,
    )
    return run.returncode, calls.read_text().splitlines()


def test_an_upgrade_takes_one_process_after_the_other(tmp_path: Path) -> None:
    code, calls = upgrade(tmp_path, "8001", "8002")
    assert code == 0
    steps = [
        re.sub(r".*(make|check|migrate|collectstatic|restart|curl).*", r"\1", c) for c in calls
    ]
    assert steps == ["make", "check", "migrate", "collectstatic", *["restart", "curl"] * 2]
    assert all(call.startswith("runuser -u korttipoyta -- ") for call in calls[:4])
    asked = [call for call in calls if call.startswith("curl")]
    assert "Host: cards.example.org" in asked[0]
    assert "127.0.0.1:8001/readyz" in asked[0]
    assert "127.0.0.1:8002/readyz" in asked[1]


@pytest.mark.parametrize(("fails", "restarts"), [("migrate", []), ("readyz", ["8001"])])
def test_an_upgrade_stops_at_what_fails(tmp_path: Path, fails: str, restarts: list[str]) -> None:
    code, calls = upgrade(tmp_path, "8001", "8002", fails=fails)
    assert code == 1
    assert re.findall(r"restart korttipoyta@(\d+)", "\n".join(calls)) == restarts


def test_an_upgrade_of_nothing_does_nothing(tmp_path: Path) -> None:
    assert upgrade(tmp_path) == (1, [])


def test_an_upgrade_without_the_sites_environment_does_nothing(tmp_path: Path) -> None:
    """It would migrate a database of its own and find the site's settings wanting."""
    run = subprocess.run(
        [str(DEPLOY / "upgrade"), "8001"],
        env={"PATH": os.environ["PATH"], "ENVIRONMENT": str(tmp_path / "nowhere")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 1
    assert "cannot be read" in run.stderr


# ---- backups -------------------------------------------------------------------------------------


def script(name: str, argument: Path, database: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(DEPLOY / name), str(argument)],
        env=services.environment(database) | {"KEEP_BACKUPS": "2"},
        capture_output=True,
        text=True,
        check=False,
    )


NEWER = """
from django.db import connection
with connection.cursor() as cursor:
    cursor.execute("CREATE TABLE newer (id bigint, match bigint REFERENCES game_match (id))")
"""
"""What a newer release might have added before it was found wanting."""
COUNT = "from tables.models import Table; print(Table.objects.count())"
MAKE = "from tables import lobby; lobby.open_table('ristikontra', 4, {}, 'browser', 'Aino', False)"


TABLES = (
    "from django.db import connection; print('newer' in connection.introspection.table_names())"
)


def shell(database: str, code: str) -> str:
    run = subprocess.run(
        [services.PYTHON, "manage.py", "shell", "-v", "0", "-c", code],
        cwd=ROOT,
        env=services.environment(database),
        capture_output=True,
        text=True,
        check=True,
    )
    return run.stdout.strip()


def back_up_and_restore(database: str, folder: Path) -> None:
    shell(database, MAKE)
    run = script("backup", folder, database)
    assert run.returncode == 0, run.stderr
    file = Path(run.stdout.strip())
    assert file.parent == folder
    assert file.stat().st_mode & 0o077 == 0
    shell(database, MAKE)
    assert shell(database, COUNT) == "2"
    shell(database, NEWER)
    run = script("restore", file, database)
    assert run.returncode == 0, run.stderr
    assert shell(database, COUNT) == "1"
    assert shell(database, TABLES) == "False"


def test_backup_and_restore_with_sqlite(tmp_path: Path) -> None:
    database = f"sqlite:///{tmp_path / 'db.sqlite3'}"
    services.migrate(database)
    folder = tmp_path / "backups"
    back_up_and_restore(database, folder)
    for day in range(1, 4):
        (folder / f"korttipoyta-2020010{day}T000000Z.sqlite3").touch()
    (folder / "mine.txt").touch()
    assert script("backup", folder, database).returncode == 0
    kept = sorted(file.name for file in folder.iterdir())
    assert len(kept) == 3
    assert "mine.txt" in kept
    assert not any("2020" in name for name in kept[:-1])


@pytest.mark.slow
def test_backup_and_restore_with_postgresql(tmp_path: Path) -> None:
    with services.postgres() as postgres:
        back_up_and_restore(postgres.database(), tmp_path / "backups")


def test_what_is_no_backup_is_not_restored(tmp_path: Path) -> None:
    database = f"sqlite:///{tmp_path / 'db.sqlite3'}"
    wrong = tmp_path / "x.dump"
    wrong.touch()
    assert script("restore", wrong, database).returncode == 1
    assert script("restore", tmp_path / "nowhere.sqlite3", database).returncode == 1
    assert script("backup", tmp_path, "mysql://x/y").returncode == 1


def test_what_is_not_there_is_not_backed_up(tmp_path: Path) -> None:
    """An empty file among the backups would take the place of a good one."""
    run = script("backup", tmp_path / "backups", f"sqlite:///{tmp_path / 'db.sqlite3'}")
    assert run.returncode == 1
    assert "is not there" in run.stderr
    assert list((tmp_path / "backups").iterdir()) == []
    assert not (tmp_path / "db.sqlite3").exists()
