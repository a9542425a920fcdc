"""No rule of ours reaches outside its root, so that a host's page keeps its own looks."""

import re
from pathlib import Path

import pytest

FILES = sorted(Path(__file__).resolve().parents[2].glob("static/korttipoyta/css/*.css"))


def selectors(text: str) -> list[str]:
    """Every selector of a stylesheet, without those of keyframes."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    text = re.sub(r"@keyframes [^{]+\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}", "", text)
    found = []
    for heads in re.findall(r"([^{};]+)\{", text):
        if not heads.strip().startswith("@"):
            found += [head.strip() for head in re.split(r",(?![^(]*\))", heads)]
    return found


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_every_rule_is_of_ours(file: Path) -> None:
    rules = selectors(file.read_text())
    assert len(rules) > 3
    assert [one for one in rules if not re.match(r"(:where\()?\.kp\b|\.kp-", one)] == []
