"""`make run` as a newcomer uses it, on a copy of the tree without data."""

import shutil
import socket
import stat
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
START_SECONDS = 60


@pytest.fixture
def copy(tmp_path):
    tree = tmp_path / "copy"
    shutil.copytree(
        ROOT, tree, ignore=shutil.ignore_patterns(".venv", "var", ".git", ".*_cache", "__pycache__")
    )
    (tree / ".venv").symlink_to(Path(sys.prefix))
    return tree


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def make_run(tree, port):
    return subprocess.Popen(
        ["make", "run", f"PORT={port}"],
        cwd=tree,
        env={"PATH": "/usr/local/bin:/usr/bin:/bin"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def answers(url, process):
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=5) as answer:
                return answer.status == 200
        except urllib.error.URLError:
            time.sleep(0.1)
    return False


def test_make_run(copy):
    port = free_port()
    first = make_run(copy, port)
    try:
        assert answers(f"http://127.0.0.1:{port}/words.js", first)
        key = copy / "var" / "secret.key"
        assert stat.S_IMODE(key.stat().st_mode) == 0o600

        second = make_run(copy, port)
        output, _ = second.communicate(timeout=START_SECONDS)
        assert second.returncode != 0
        assert f"port {port} is in use; try make run PORT={port + 1}" in output
        assert "Traceback" not in output
    finally:
        first.terminate()
        output, _ = first.communicate(timeout=START_SECONDS)
    assert f"Korttipöytä: http://127.0.0.1:{port}/" in output
    assert "Traceback" not in output
