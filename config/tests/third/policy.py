"""How the computer plays Third: the last card it may."""

from typing import Any


def facts(view: dict[str, Any], played: list[str]) -> list[str]:
    """All it is given: what it may play."""
    legal: list[str] = view["legal"]
    return legal


def policy(facts: list[str]) -> str:
    """The code the computer plays."""
    return facts[-1]
