"""The site starts with nothing set, and a half-set production site does not start."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.checks import run_checks
from django.test import Client

from config.secret_key import read_or_make
from tables.checks import production
from tools.audit import verdict

ROOT = Path(__file__).resolve().parents[2]
PATH_ONLY = {"PATH": os.environ["PATH"]}


def manage(environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env=PATH_ONLY | environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_checks_are_clean():
    assert [found for found in run_checks() if not found.is_silenced()] == []


def test_a_key_is_all_it_needs():
    run = manage({"SECRET_KEY": "x"}, "check", "--fail-level", "WARNING")
    assert run.returncode == 0, run.stderr


def test_secret_key_is_private_and_written_once(tmp_path):
    file = tmp_path / "var" / "secret.key"
    first = read_or_make(file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert len(first) >= 50
    assert read_or_make(file) == first
    assert list(file.parent.iterdir()) == [file]


FULL = {
    "PRODUCTION": True,
    "DEBUG": False,
    "ALLOWED_HOSTS": ["cards.example.org"],
    "ORIGINS": ["https://cards.example.org"],
    "SECRET_KEY": "k" * 50,
    "SECRET_KEY_FROM_FILE": False,
}


@pytest.mark.parametrize(
    ("change", "ids"),
    [
        ({}, []),
        ({"DEBUG": True}, ["tables.E001"]),
        ({"ALLOWED_HOSTS": []}, ["tables.E002"]),
        ({"ALLOWED_HOSTS": ["*"]}, ["tables.E002"]),
        ({"ORIGINS": []}, ["tables.E003"]),
        ({"ORIGINS": ["http://cards.example.org"]}, ["tables.E003"]),
        ({"SECRET_KEY_FROM_FILE": True}, ["tables.E004"]),
        ({"SECRET_KEY": "k" * 49}, ["tables.E005"]),
        ({"PRODUCTION": False, "DEBUG": True, "ORIGINS": []}, []),
    ],
)
def test_half_set_production(change, ids, settings):
    for name, value in (FULL | change).items():
        setattr(settings, name, value)
    assert [error.id for error in production()] == ids


def test_half_set_production_stops_commands_and_server():
    half = {"PRODUCTION": "1", "SECRET_KEY": "x"}
    expected = {"tables.E002", "tables.E003", "tables.E005"}
    command = manage(half, "check")
    server = subprocess.run(
        [sys.executable, "-m", "daphne", "-p", "0", "config.asgi:application"],
        cwd=ROOT,
        env=PATH_ONLY | half,
        capture_output=True,
        text=True,
        check=False,
    )
    for run in (command, server):
        assert run.returncode != 0
        assert all(id in run.stderr for id in expected), run.stderr


def test_every_answer_carries_the_policies():
    answer = Client().get("/words.js")
    assert answer.status_code == 200
    policy = answer["Content-Security-Policy"]
    assert "unsafe" not in policy
    for part in ("default-src 'self'", "object-src 'none'", "frame-ancestors 'none'"):
        assert part in policy
    assert answer["Referrer-Policy"] == "same-origin"
    assert not answer.cookies


def test_modules_import_hashed_modules(tmp_path):
    """What a module imports is named by its hash, so that both may be cached for good."""
    source = tmp_path / "source"
    source.mkdir()
    (source / "entry.js").write_text('import { a } from "./other.js";\na();\n')
    (source / "other.js").write_text("export const a = () => 1;\n")
    run = manage(
        {"SECRET_KEY": "x", "STATIC_ROOT": str(tmp_path / "out")},
        "shell",
        "-c",
        "from django.conf import settings\n"
        "from django.core.management import call_command\n"
        f"settings.STATICFILES_DIRS = [{str(source)!r}]\n"
        "call_command('collectstatic', interactive=False, verbosity=0)\n",
    )
    assert run.returncode == 0, run.stderr
    (entry,) = (tmp_path / "out").glob("entry.*.js")
    (other,) = (tmp_path / "out").glob("other.*.js")
    assert f"./{other.name}" in entry.read_text()


def test_audit_fails_only_on_a_vulnerability_that_was_found():
    flaw = {"id": "PYSEC-1", "fix_versions": ["2.0"]}
    bad = {"name": "thing", "version": "1.0", "vulns": [flaw]}
    good = {"name": "other", "version": "1.0", "vulns": []}
    assert verdict([good, bad], 2) == (
        "Audit: known vulnerabilities\nthing 1.0: PYSEC-1, fixed in 2.0",
        1,
    )
    words, code = verdict([good], 2)
    assert (code, "1 of 2" in words) == (0, True)
    words, code = verdict([], 2)
    assert (code, "not done" in words) == (0, True)
