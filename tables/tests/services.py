"""Scratch services for tests, the bench and `make cluster`: PostgreSQL, Redis, nginx, the site.

Each is a process of its own in a folder of its own, reached by a socket there or by a free port of
the loopback; the machine's own services are never touched. Whoever starts one stops it, and should
the starter die before, the system does (which asks that it be started in the main thread).
"""

from __future__ import annotations

import contextlib
import os
import pwd
import re
import secrets
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TypeVar

import psycopg
import redis as redis_client
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

ROOT = Path(__file__).resolve().parent.parent.parent
PYTHON = sys.executable
KEY = secrets.token_urlsafe(48)
"""The secret key of all sites started here: several processes of one site share it."""
ERROR = re.compile(r" (ERROR|CRITICAL) |\"level\": \"(ERROR|CRITICAL)|Traceback")
START_SECONDS = 30.0
STOP_SECONDS = 15.0


def wait_until(condition: Callable[[], object], seconds: float, what: str) -> None:
    """Look until something holds; an error that names it when it does not in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f"not within {seconds} s: {what}")
        time.sleep(0.005)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class Service:
    """A child process with a log, which can be stopped, killed and started again."""

    goodbye = signal.SIGTERM
    owner: pwd.struct_passwd | None = None
    process: subprocess.Popen[bytes] | None = None
    environment: dict[str, str] | None = None

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.log = folder / f"{type(self).__name__.lower()}.log"

    def command(self) -> list[str]:
        raise NotImplementedError

    def answers(self) -> bool:
        """Whether it serves already."""
        raise NotImplementedError

    @property
    def pid(self) -> int:
        assert self.process is not None
        return self.process.pid

    def as_owner(self, *command: str) -> list[str]:
        """The command as its owner runs it, told when this process dies."""
        become = ["setpriv", "--pdeathsig", self.goodbye.name.removeprefix("SIG")]
        if self.owner is not None:
            user, group = str(self.owner.pw_uid), str(self.owner.pw_gid)
            become += ["--reuid", user, "--regid", group, "--clear-groups"]
        return [*become, "--", *command]

    def start(self) -> None:
        self.launch()
        self.until_it_serves()

    def launch(self) -> None:
        """Start it and do not wait for it."""
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                self.as_owner(*self.command()),
                cwd=ROOT if self.owner is None else self.folder,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                process_group=0,  # a Ctrl-C is for whoever has started it
            )

    def until_it_serves(self) -> None:
        try:
            wait_until(
                lambda: self.process is None or self.process.poll() is not None or self.answers(),
                START_SECONDS,
                f"{self.command()[0]} answers",
            )
        except TimeoutError:
            self.stop()
            raise
        if self.process is None or self.process.poll() is not None:
            raise RuntimeError(f"{type(self).__name__} did not start:\n{self.log.read_text()}")

    def stop(self) -> None:
        """Ask it to stop, and see to it that it has."""
        if self.process is None:
            return
        self.process.send_signal(self.goodbye)
        try:
            self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process = None

    def ended(self, seconds: float = STOP_SECONDS) -> int:
        """Wait for its own end; the exit status."""
        assert self.process is not None
        status = self.process.wait(seconds)
        self.process = None
        return status

    def kill(self) -> None:
        """End it at once, as if the machine had."""
        assert self.process is not None
        self.process.kill()
        self.process.wait()
        self.process = None


# ---- PostgreSQL ----------------------------------------------------------------------------------


def _program(name: str) -> str:
    found = shutil.which(name) or next(
        iter(sorted(map(str, Path("/usr/lib/postgresql").glob(f"*/bin/{name}")), reverse=True)),
        None,
    )
    if found is None:
        raise RuntimeError(f"{name} is missing: run tools/system_packages.sh")
    return found


class Postgres(Service):
    """A PostgreSQL of its own on a socket in its folder."""

    goodbye = signal.SIGINT  # "fast": do not wait for clients to leave
    USER = "postgres"

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        if os.geteuid() == 0:  # which PostgreSQL refuses to run as
            self.owner = pwd.getpwnam("postgres")
            os.chown(folder, self.owner.pw_uid, self.owner.pw_gid)
        self.data = folder / "data"
        self.databases = 0
        made = subprocess.run(
            self.as_owner(
                *(_program("initdb"), "--pgdata", str(self.data), "--username", self.USER),
                *("--auth", "trust", "--encoding", "UTF8", "--locale", "C", "--no-sync"),
            ),
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        if made.returncode:
            raise RuntimeError(f"initdb failed:\n{made.stdout}{made.stderr}")

    def command(self) -> list[str]:
        return [
            *(_program("postgres"), "-D", str(self.data), "-k", str(self.folder)),
            *("-h", "", "-F", "-c", "max_connections=60", "-c", "shared_buffers=32MB"),
        ]

    def answers(self) -> bool:
        try:
            self._connect().close()
        except psycopg.OperationalError:
            return False
        return True

    def _connect(self) -> psycopg.Connection[tuple[object, ...]]:
        return psycopg.connect(
            host=str(self.folder), user=self.USER, dbname="postgres", autocommit=True
        )

    def _url(self, name: str) -> str:
        return f"postgres://{self.USER}@/{name}?host={self.folder}"

    def database(self) -> str:
        """The address of a new database with the site's tables in it, all empty."""
        with self._connect() as connection:
            if not self.databases:
                connection.execute("CREATE DATABASE blank")
                migrate(self._url("blank"))
            self.databases += 1
            name = f"site{self.databases}"
            connection.execute(f"CREATE DATABASE {name} TEMPLATE blank".encode())
        return self._url(name)


# ---- Redis ---------------------------------------------------------------------------------------


class Redis(Service):
    """A Redis of its own on a socket in its folder; it keeps nothing over a restart."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.socket = folder / "redis.sock"
        self.url = f"unix://{self.socket}"

    def command(self) -> list[str]:
        program = shutil.which("redis-server")
        if program is None:
            raise RuntimeError("redis-server is missing: run tools/system_packages.sh")
        return [
            *(program, "--port", "0", "--unixsocket", str(self.socket), "--dir", str(self.folder)),
            *("--save", "", "--appendonly", "no", "--daemonize", "no"),
        ]

    def answers(self) -> bool:
        with self.client() as client:
            try:
                return bool(client.ping())
            except (redis_client.ConnectionError, FileNotFoundError):
                return False

    def client(self) -> redis_client.Redis:
        return redis_client.Redis(unix_socket_path=str(self.socket))


# ---- coturn --------------------------------------------------------------------------------------


class Coturn(Service):
    """A TURN server of its own that shares a secret with the site, as in docs/coturn.md, but here
    for this machine alone."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.port = free_port()
        self.secret = "what site and relay share"
        self.url = f"turn:127.0.0.1:{self.port}?transport=udp"

    def command(self) -> list[str]:
        program = shutil.which("turnserver")
        if program is None:
            raise RuntimeError("turnserver is missing: run tools/system_packages.sh")
        return [
            *(program, "-n", "--no-cli", "--no-tls", "--no-dtls", "--allow-loopback-peers"),
            *("--listening-ip", "127.0.0.1", "--listening-port", str(self.port)),
            *("--relay-ip", "127.0.0.1", "--realm", "korttipoyta"),
            *("--use-auth-secret", "--static-auth-secret", self.secret),
            *("--pidfile", str(self.folder / "pid"), "--db", str(self.folder / "db")),
            *("--log-file", "stdout"),
        ]

    def answers(self) -> bool:
        try:
            socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
        except OSError:
            return False
        return True

    def takes(self, name: str, password: str) -> bool:
        """Whether it relays for somebody with this name and password."""
        run = subprocess.run(
            [
                *("turnutils_uclient", "-y", "-c", "-n", "1", "-m", "1", "-l", "20"),
                *("-u", name, "-w", password, "-p", str(self.port), "127.0.0.1"),
            ],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        return "Total transmit time" in run.stdout and "Cannot complete" not in run.stdout


# ---- the site ------------------------------------------------------------------------------------


SERVERS = {
    "daphne": (
        "from daphne.cli import CommandLineInterface as site\nsite.entrypoint()",
        ["--bind", "127.0.0.1", "--ping-interval", "15", "--ping-timeout", "10"],
        ["--websocket-max-frame-size", "16384", "--websocket-max-message-size", "65536"],
        ["--verbosity", "0", "--no-server-name"],
    ),
    "uvicorn": (
        "import uvicorn\nuvicorn.main()",
        ["--host", "127.0.0.1", "--ws-ping-interval", "15", "--ws-ping-timeout", "10"],
        ["--ws", "websockets-sansio", "--ws-max-size", "16384"],
        ["--ws-per-message-deflate", "false", "--lifespan", "off", "--no-proxy-headers"],
        ["--log-level", "warning", "--no-access-log", "--no-server-header"],
    ),
}
"""How each server is started with the same limits: what Python runs, and its options."""
CLEANLY = (0, -signal.SIGTERM)
"""How a server ends that is asked to: Daphne by itself, uvicorn in the end by the same signal."""


class Site(Service):
    """The site as it really runs: a server in a process of its own, at its own port for life.

    ``settings`` are environment variables that `config.settings` reads. ``first`` is Python that
    the process runs before it serves: how a test makes it fail at a chosen moment.
    """

    def __init__(
        self, folder: Path, database: str, first: str = "", server: str = "daphne", **settings: str
    ) -> None:
        super().__init__(folder)
        self.port = free_port()
        self.log = folder / f"site-{self.port}.log"
        self.url = f"http://127.0.0.1:{self.port}"
        self.first = first
        self.server = server
        self.environment = environment(database) | {"ORIGINS": self.url} | settings

    def command(self) -> list[str]:
        run, *options = SERVERS[self.server]
        return [
            *(PYTHON, "-c", f"{self.first}\n{run}", "--port", str(self.port)),
            *(one for some in options for one in some),
            "config.asgi:application",
        ]

    def answers(self) -> bool:
        try:
            socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
        except OSError:
            return False
        return True

    def memory(self) -> dict[str, float]:
        """Its resident memory now and at most, in MiB."""
        status = Path(f"/proc/{self.pid}/status").read_text()
        lines = dict(line.split(":", 1) for line in status.splitlines())
        return {
            name: round(int(lines[field].split()[0]) / 1024, 1)
            for name, field in {"now": "VmRSS", "most": "VmHWM"}.items()
        }

    def descriptors(self) -> int:
        """How many files and connections it has open."""
        return sum(1 for _ in Path(f"/proc/{self.pid}/fd").iterdir())

    def processor_seconds(self) -> float:
        """How long it has kept a processor busy."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def environment(database: str) -> dict[str, str]:
    """What a process of the site is told of its surroundings."""
    inherited = {name: value for name, value in os.environ.items() if name != "REDIS_URL"}
    return inherited | {
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "SECRET_KEY": KEY,
        "DATABASE_URL": database,
        # Everybody here comes from one address.
        "TABLES_OPEN_RATE": "1000000",
        "TABLES_CLAIM_RATE": "1000000",
    }


def manage(database: str, *arguments: str) -> None:
    """Run a management command of the site on a database."""
    run = subprocess.run(
        [PYTHON, "manage.py", *arguments, "--verbosity", "0"],
        cwd=ROOT,
        env=environment(database),
        capture_output=True,
        text=True,
        check=False,
    )
    if run.returncode:
        raise RuntimeError(f"manage.py {arguments[0]} failed:\n{run.stderr}")


def migrate(database: str) -> None:
    manage(database, "migrate", "--noinput")


# ---- nginx ---------------------------------------------------------------------------------------


def certificate(folder: Path) -> tuple[Path, Path]:
    """A certificate for localhost, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    signed = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    files = folder / "fullchain.pem", folder / "privkey.pem"
    files[0].write_bytes(signed.public_bytes(serialization.Encoding.PEM))
    files[1].write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return files


class Nginx(Service):
    """nginx with the file of deploy/, on ports of its own, in front of the sites at these ports.

    Without ``tls`` it speaks plain http on its one port. One address may ask for ``limits`` pages a
    second, and ten times that at once; for as many as it likes by default, because everybody here
    comes from one.
    """

    def __init__(
        self, folder: Path, *sites: int, port: int = 0, tls: bool = True, limits: int = 0
    ) -> None:
        super().__init__(folder)
        self.port, self.plain, self.tls = port or free_port(), free_port(), tls
        chain, key = certificate(folder)
        text = (ROOT / "deploy" / "nginx" / "korttipoyta.conf").read_text()
        upstream = "".join(f"    server 127.0.0.1:{site} max_fails=0;\n" for site in sites)
        text = re.sub(r"(    server 127\.0\.0\.1:\d+ .*;\n)+", upstream, text)
        static = os.environ.get("STATIC_ROOT") or str(ROOT / "var" / "static")
        for old, new in (
            ("listen 443", f"listen 127.0.0.1:{self.port}"),
            ("listen 80", f"listen 127.0.0.1:{self.plain}"),
            ("/etc/letsencrypt/live/cards.example.org/fullchain.pem", str(chain)),
            ("/etc/letsencrypt/live/cards.example.org/privkey.pem", str(key)),
            ("https://cards.example.org$", f"https://localhost:{self.port}$"),
            ("server_name cards.example.org", "server_name localhost"),
            ("/var/log/nginx", str(folder)),
            ("/var/www/korttipoyta/static", static),
        ):
            if old not in text:
                raise RuntimeError(f"{old} is not in the file of deploy/nginx/")
            text = text.replace(old, new)
        text = re.sub(r"    listen \[::\].*\n", "", text)
        if not tls:
            text = text.replace(" ssl http2;", ";")
            text = re.sub(r"    ssl_.*\n", "", text)
        text = re.sub(r" rate=\d+r/s;", f" rate={limits or 100_000}r/s;", text)
        text = re.sub(r" burst=\d+", f" burst={10 * limits or 60_000}", text)
        if not limits:
            text = re.sub(r"( limit_conn \w+ )\d+", r"\g<1>60000", text)
        self.file = folder / "nginx.conf"
        temporary = "".join(
            f"{kind}_temp_path {folder}/{kind};\n"
            for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        )
        self.file.write_text(
            f"worker_processes 1;\ndaemon off;\npid {folder}/pid;\n"
            f"error_log {folder}/error.log;\nworker_rlimit_nofile 16384;\n"
            "events { worker_connections 8192; }\n"
            f"http {{\ninclude /etc/nginx/mime.types;\n{temporary}{text}}}\n"
        )

    def command(self) -> list[str]:
        found = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
        if found is None:
            raise RuntimeError("nginx is missing: run tools/system_packages.sh")
        user = ["-g", "user root;"] if os.geteuid() == 0 else []
        return [found, "-c", str(self.file), "-p", str(self.folder), *user]

    def answers(self) -> bool:
        try:
            socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
        except OSError:
            return False
        return True

    @property
    def url(self) -> str:
        return f"{'https' if self.tls else 'http'}://localhost:{self.port}"

    @property
    def trust(self) -> ssl.SSLContext | None:
        """What believes its certificate."""
        if not self.tls:
            return None
        return ssl.create_default_context(cafile=str(self.folder / "fullchain.pem"))


# ---- all of it together --------------------------------------------------------------------------


@dataclass(frozen=True)
class Cluster:
    """The site on several processes, as docs/deploying.md has it; all of it serves."""

    database: str
    postgres: Postgres
    redis: Redis
    sites: list[Site]
    nginx: Nginx

    @property
    def url(self) -> str:
        return self.nginx.url

    def listening(self) -> int:
        """How many processes wait for each other's rings."""
        with self.redis.client() as client:
            return int(client.info("clients")["blocked_clients"])

    def logs(self) -> dict[str, str]:
        """What each process of the site has logged."""
        return {site.log.name: site.log.read_text() for site in self.sites}


def errors_in(log: str) -> list[str]:
    """The lines of a log that tell of errors."""
    return [line for line in log.splitlines() if ERROR.search(line)]


@contextlib.contextmanager
def static_files() -> Iterator[None]:
    """The static files, collected into a scratch folder unless the environment says where they
    are."""
    with contextlib.ExitStack() as stack:
        if "STATIC_ROOT" not in os.environ:
            os.environ["STATIC_ROOT"] = str(stack.enter_context(scratch("static")))
            stack.callback(os.environ.pop, "STATIC_ROOT")
            manage("sqlite://:memory:", "collectstatic", "--noinput")
        yield


@contextlib.contextmanager
def cluster(
    processes: int = 2,
    *,
    server: str = "uvicorn",
    port: int = 0,
    tls: bool = True,
    limits: int = 0,
    first: str = "",
    started: Postgres | None = None,
    settings: Mapping[str, str] | None = None,
) -> Iterator[Cluster]:
    """PostgreSQL (or a new database in one that has been ``started``), Redis, ``processes`` of the
    site and nginx before them, in scratch folders; stopped and gone afterwards. With ``tls`` the
    site is in production. ``first`` and ``settings`` as in `Site`."""
    with contextlib.ExitStack() as stack:
        server_of_data = started or stack.enter_context(postgres())
        layer = stack.enter_context(redis())
        folder = stack.enter_context(scratch("cluster"))
        database = server_of_data.database()
        surroundings = {"REDIS_URL": layer.url, "TABLES_PROXIES": "1", "ALLOWED_HOSTS": "localhost"}
        if tls:
            surroundings["PRODUCTION"] = "1"
        surroundings |= settings or {}
        sites = [Site(folder, database, first, server, **surroundings) for _ in range(processes)]
        nginx = Nginx(folder, *(site.port for site in sites), port=port, tls=tls, limits=limits)
        for number, site in enumerate(sites, 1):
            assert site.environment is not None
            site.environment |= {"ORIGINS": nginx.url, "PROCESS_NAME": str(number)}
        for service in (*sites, nginx):
            service.launch()
            stack.callback(service.stop)
        for service in (*sites, nginx):
            service.until_it_serves()
        yield Cluster(database, server_of_data, layer, sites, nginx)


# ---- as context managers -------------------------------------------------------------------------

S = TypeVar("S", bound=Service)


@contextlib.contextmanager
def scratch(prefix: str) -> Iterator[Path]:
    """A folder that goes away again, with a short name: a socket's address has 107 letters."""
    with tempfile.TemporaryDirectory(prefix=f"{prefix}-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


@contextlib.contextmanager
def postgres() -> Iterator[Postgres]:
    """A PostgreSQL that serves."""
    with scratch("pg") as folder, running(Postgres(folder)) as service:
        yield service


@contextlib.contextmanager
def redis() -> Iterator[Redis]:
    """A Redis that serves."""
    with scratch("redis") as folder, running(Redis(folder)) as service:
        yield service


@contextlib.contextmanager
def coturn() -> Iterator[Coturn]:
    """A coturn that relays."""
    with scratch("turn") as folder, running(Coturn(folder)) as service:
        yield service


@contextlib.contextmanager
def running(service: S) -> Iterator[S]:
    service.start()
    try:
        yield service
    finally:
        service.stop()
