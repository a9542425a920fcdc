"""People without accounts: browsers, holders of seats, invites, names.

Nothing secret is stored. A browser has one random token in its session; a seat stores a keyed hash
of it together with table, seat and turn-over; an invite is a signature over the same three.
"""

import secrets
import unicodedata

from django.conf import settings
from django.contrib.sessions.backends.base import SessionBase
from django.core import signing
from django.utils.crypto import constant_time_compare, salted_hmac

BROWSER = "browser"
AGE = 180 * 24 * 60 * 60
NAME_LENGTH = 24
MARKS = 2
"""Combining marks kept on one letter: enough for every language, too few to climb over lines."""


def browser_of(session: SessionBase) -> str | None:
    """The browser's token, if it has one."""
    token = session.get(BROWSER)
    return token if isinstance(token, str) else None


def make_browser(session: SessionBase) -> str:
    """The browser's token, written on its first claim and never again."""
    token = browser_of(session)
    if token is None:
        token = session[BROWSER] = secrets.token_urlsafe(24)
        session.set_expiry(AGE)
    return token


def holders(browser: str, table: str, index: int, turnover: int) -> list[str]:
    """The hashes by which this browser would hold that seat: by the secret key, then by former."""
    text = f"{browser}/{table}/{index}/{turnover}"
    keys = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    return [
        salted_hmac("korttipoyta.holder", text, secret=key, algorithm="sha256").hexdigest()
        for key in keys
    ]


def holds(holder: str, browser: str, table: str, index: int, turnover: int) -> bool:
    """Whether a seat's stored holder is this browser."""
    return bool(holder) and any(
        constant_time_compare(holder, one) for one in holders(browser, table, index, turnover)
    )


def invite(table: str, index: int, turnover: int) -> str:
    """The secret part of an invite's address."""
    return _signer().signature(f"{table}/{index}/{turnover}")


def invites(signature: str, table: str, index: int, turnover: int) -> bool:
    """Whether this is the invite for that seat as it stands now."""
    try:
        _signer().unsign(f"{table}/{index}/{turnover}:{signature}")
    except signing.BadSignature:
        return False
    return True


def _signer() -> signing.Signer:
    return signing.Signer(salt="korttipoyta.invite", sep=":")


def clean_name(text: str) -> str:
    """A name that is harmless wherever it stands: one line, no controls, few stacked marks."""
    # Controls first: one between two marks would else hide how many stand on a letter.
    seen = "".join(
        " " if letter.isspace() else letter
        for letter in text[: 8 * NAME_LENGTH]
        if letter.isspace() or unicodedata.category(letter)[0] != "C"
    )
    kept: list[str] = []
    marks = 0
    for letter in unicodedata.normalize("NFC", seen):
        if unicodedata.category(letter) in ("Mn", "Me"):
            marks += 1
            if marks > MARKS or not kept or kept[-1] == " ":
                continue
        else:
            marks = 0
        kept.append(letter)
    return " ".join("".join(kept).split())[:NAME_LENGTH].strip()


def likeness(name: str) -> str:
    """What two names have in common when they look the same; empty for an empty name alone."""
    folded = unicodedata.normalize("NFKD", name).casefold()
    letters = "".join(letter for letter in folded if unicodedata.category(letter)[0] in "LN")
    return letters or "".join(
        letter for letter in name if unicodedata.category(letter) not in ("Mn", "Me", "Zs")
    )
