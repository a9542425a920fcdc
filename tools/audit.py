"""Ask for known vulnerabilities of what is installed. Fails on one that is found; where the
service cannot be asked, says so and goes on.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

FIRST = "django=="


def installed() -> list[str]:
    pip = [sys.executable, "-m", "pip", "freeze", "--disable-pip-version-check"]
    lines = subprocess.run(pip, capture_output=True, text=True, check=True).stdout.splitlines()
    return [line for line in lines if "==" in line]


def ask(requirements: list[str]) -> list[dict[str, Any]]:
    """The report on each package the service knows; none when it was not reached."""
    with tempfile.TemporaryDirectory() as folder:
        listed, report = Path(folder, "requirements.txt"), Path(folder, "report.json")
        listed.write_text("\n".join(requirements))
        subprocess.run(
            [
                *(sys.executable, "-m", "pip_audit", "--disable-pip", "--no-deps"),
                *("--requirement", str(listed), "--progress-spinner", "off", "--timeout", "15"),
                *("--format", "json", "--output", str(report)),
            ],
            capture_output=True,
            check=False,
        )
        if not report.exists() or not report.read_text():
            return []
        found = json.loads(report.read_text())["dependencies"]
        return [package for package in found if "skip_reason" not in package]


def verdict(known: list[dict[str, Any]], asked: int) -> tuple[str, int]:
    """What to print, and the exit code."""
    if not known:
        return "Audit: not done, the service with known vulnerabilities was not reached", 0
    found = [
        f"{package['name']} {package['version']}: {flaw['id']},"
        f" fixed in {', '.join(flaw['fix_versions']) or 'no version yet'}"
        for package in known
        for flaw in package["vulns"]
    ]
    if found:
        return "\n".join(["Audit: known vulnerabilities", *found]), 1
    return f"Audit: no known vulnerability; {len(known)} of {asked} packages looked up", 0


def main() -> None:
    packages = installed()
    known = ask([line for line in packages if line.lower().startswith(FIRST)])
    if known:
        known = ask(packages)
    words, code = verdict(known, len(packages))
    print(words)
    sys.exit(code)


if __name__ == "__main__":
    main()
