"""What all tests share: their environment, and for browser tests the real server and a watch.

A browser test asks for `page` (or `browser` and opens contexts of its own) and goes to "/".
"""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
os.environ.setdefault("SECRET_KEY", "the key of the tests, which guards nothing that matters")
IS_WORKER = "PYTEST_XDIST_WORKER" in os.environ
if not IS_WORKER:
    _scratch = tempfile.TemporaryDirectory(prefix="tests-", ignore_cleanup_errors=True)
    os.environ["STATIC_ROOT"] = f"{_scratch.name}/static"

from django.conf import settings  # noqa: E402  (the environment comes first)
from django.utils import translation  # noqa: E402
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, WebError  # noqa: E402

ROOT = Path(__file__).resolve().parent
START_SECONDS = 30
SLOW_SECONDS = 600
"""A slow test may take this long: whole matches do on a busy machine."""

assert settings.SECRET_KEY  # loads the settings, so that pytest-django finds them
# A file as in earnest: of a database in memory, readers and a writer refuse each other.
settings.DATABASES["default"].setdefault("TEST", {})["NAME"] = str(
    Path(os.environ["STATIC_ROOT"]).parent / "tests"
)


def pytest_sessionstart(session: pytest.Session) -> None:
    """Collect the static files once, before any worker starts."""
    if not IS_WORKER and not session.config.option.collectonly:
        from django.core.management import call_command

        call_command("collectstatic", interactive=False, verbosity=0)


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    """A request leaves its thread in its reader's language; the next test begins in English."""
    with translation.override("en"):
        yield


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if {"browser", "server", "short_server"} & set(getattr(item, "fixturenames", ())):
            item.add_marker("browser")
        if item.get_closest_marker("slow") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(SLOW_SECONDS))


class Server:
    """The site as it really runs: Daphne in a process of its own, on a database of its own."""

    def __init__(
        self, folder: Path, application: str = "config.asgi:application", **environment: str
    ) -> None:
        self.application = application
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port: int = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.log = folder / "server.log"
        self.environment = os.environ | {
            "DATABASE_URL": f"sqlite:///{folder / 'db.sqlite3'}",
            "SECRET_KEY": settings.SECRET_KEY,
            "ORIGINS": self.url,
            **environment,
        }
        self.manage("migrate", "--verbosity", "0")

    def manage(self, *arguments: str) -> str:
        """Run a management command on the server's database."""
        run = subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert run.returncode == 0, run.stderr
        return run.stdout

    def start(self) -> None:
        with self.log.open("a") as log:
            self.process = subprocess.Popen(
                [
                    *(sys.executable, "-m", "daphne", "-b", "127.0.0.1", "-p", str(self.port)),
                    *("--ping-interval", "15", "--ping-timeout", "10", "-v", "0"),
                    self.application,
                ],
                cwd=ROOT,
                env=self.environment,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
            except OSError:
                time.sleep(0.05)
            else:
                return
        self.stop()
        pytest.fail(f"the server did not start:\n{self.log.read_text()}")

    def stop(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(timeout=15)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


@contextmanager
def running(server: Server) -> Iterator[Server]:
    """The server, started, and at its end stopped and its log found to be without complaint."""
    # The browser's loop lives in the test's thread; Django must not take it for an async view.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
    server.start()
    yield server
    server.stop()
    log = server.log.read_text()
    assert "Traceback" not in log, f"the server's log:\n{log}"
    assert "ERROR" not in log, f"the server's log:\n{log}"


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running(Server(tmp_path_factory.mktemp("server"))) as server:
        yield server


@pytest.fixture(scope="session")
def short_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server whose matches begin at 6–6, so that the next deal with a winner ends them."""
    folder = tmp_path_factory.mktemp("short")
    with running(Server(folder, "config.tests.short_asgi:application")) as server:
        yield server


@pytest.fixture(scope="session")
def base_url(server: Server) -> str:
    return server.url


def whole_chromium() -> str:
    """The browser with all its parts: microphones, say."""
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium")
    assert chromium, "Chromium is needed: run tools/system_packages.sh"
    return chromium


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    # The shell without windows shows the same pages for less work, where Debian has it.
    chromium = shutil.which("chromium-headless-shell") or whole_chromium()
    flags = [
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        # A microphone that beeps, and voices between pages of one machine.
        "--use-fake-device-for-media-stream",
        "--allow-loopback-in-peer-connection",
    ]
    if os.geteuid() == 0:
        flags.append("--no-sandbox")
    return {
        **browser_type_launch_args,
        "executable_path": chromium,
        "args": [*browser_type_launch_args.get("args", []), *flags],
    }


@pytest.fixture(scope="session")
def browser_context_args(browser_context_args: dict[str, Any]) -> dict[str, Any]:
    """People who asked their system for stillness, unless a test is about motion."""
    return {**browser_context_args, "reduced_motion": "reduce"}


class Watch:
    """Collects what pages complain about: console errors (among them every refusal by the
    Content-Security-Policy) and uncaught exceptions."""

    def __init__(self) -> None:
        self.complaints: list[str] = []
        self.expected: list[str] = []

    def over(self, context: BrowserContext) -> BrowserContext:
        context.on("console", self._console)
        context.on("weberror", self._error)
        return context

    def expect(self, words: str) -> None:
        """Let complaints pass that contain these words: this test provokes them."""
        self.expected.append(words)

    def unexpected(self) -> list[str]:
        return [c for c in self.complaints if not any(words in c for words in self.expected)]

    def _console(self, message: ConsoleMessage) -> None:
        text = message.text
        if message.type == "error" or "Content Security Policy" in text:
            self.complaints.append(f"{text} ({message.location.get('url', '')})")

    def _error(self, error: WebError) -> None:
        self.complaints.append(f"uncaught: {error.error}")


@pytest.fixture(autouse=True)
def watch(request: pytest.FixtureRequest) -> Iterator[Watch]:
    """Every browser test fails when one of its pages complained."""
    watch = Watch()
    if "context" in request.fixturenames:
        watch.over(request.getfixturevalue("context"))
    yield watch
    assert not watch.unexpected(), "\n".join(watch.unexpected())


@pytest.fixture
def new_person(
    browser: Browser, browser_context_args: dict[str, Any], watch: Watch
) -> Iterator[Callable[..., BrowserContext]]:
    """Opens a browser context of its own for one more person, watched and closed at the end."""
    opened: list[BrowserContext] = []

    def new(**options: Any) -> BrowserContext:
        opened.append(watch.over(browser.new_context(**(browser_context_args | options))))
        return opened[-1]

    yield new
    for context in opened:
        context.close()
