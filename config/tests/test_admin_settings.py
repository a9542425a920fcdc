"""Where moderators log in, and with what, is the site's to set."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BEGIN = """
from django.core.management import call_command
from django.test import Client
call_command("migrate", verbosity=0)
"""
WHERE = """
print(Client(SERVER_NAME="localhost").get("/admin/").status_code,
      Client(SERVER_NAME="localhost").get("/backstage/").status_code)
"""
FACTOR = r"""
call_command("collectstatic", interactive=False, verbosity=0)  # django-otp has files too
from django.contrib.auth import get_user_model
from django_otp.plugins.otp_static.models import StaticDevice
user = get_user_model().objects.create_superuser("mari", password="a long pass phrase")
device = StaticDevice.objects.create(user=user, name="x")
device.token_set.create(token="abc123")
for token in ("abc123", "", "wrong"):  # after a wrong one the device waits a second
    browser = Client(SERVER_NAME="localhost")
    form = {"username": "mari", "password": "a long pass phrase", "otp_token": token}
    form["otp_device"] = device.persistent_id
    browser.post("/admin/login/", form)
    print(browser.get("/admin/").status_code)
import re
browser = Client(SERVER_NAME="localhost")
page = browser.get("/admin/login/")
assert "style-src" not in page["Content-Security-Policy"]  # so that it is as everything: 'self'
inline = r"<style|<script(?![^>]*\bsrc=)|<[^>]* (style|on[a-z]+)="
print(len(re.findall(inline, page.content.decode())))
browser.force_login(user, "django.contrib.auth.backends.ModelBackend")
print(browser.get("/admin/").status_code)
"""


def run(code: str, folder: Path, **environment: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "manage.py", "shell", "-v", "0", "-c", BEGIN + code],
        cwd=ROOT,
        env={
            "PATH": os.environ["PATH"],
            "SECRET_KEY": "x",
            "DATABASE_URL": f"sqlite:///{folder / 'db.sqlite3'}",
            "STATIC_ROOT": os.environ["STATIC_ROOT"],
            "LOG_LEVEL": "CRITICAL",
        }
        | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_the_address_of_admin_is_the_sites_to_choose(tmp_path: Path) -> None:
    assert run(WHERE, tmp_path) == ["302", "404"]
    assert run(WHERE, tmp_path, ADMIN_PATH="/backstage/") == ["404", "302"]
    assert run(WHERE, tmp_path, ADMIN_PATH="") == ["404", "404"]


def test_a_second_factor_by_setting(tmp_path: Path) -> None:
    told = run(FACTOR, tmp_path, MODERATION_SECOND_FACTOR="1", STATIC_ROOT=str(tmp_path / "static"))
    assert told == ["200", "302", "302", "0", "302"]
