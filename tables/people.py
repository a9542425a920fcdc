"""People without accounts: browsers, holders of seats, invites, return links, names, words.

Nothing at a table opens a seat. A browser has one random token in its session; a seat stores a
keyed hash of it together with table, seat and turn-over; invites and return links are signatures
over the same three.
"""

import re
import secrets
import unicodedata
from collections.abc import Iterable
from enum import StrEnum
from importlib import import_module

from django.conf import settings
from django.contrib.sessions.backends.base import SessionBase
from django.core import signing
from django.http import parse_cookie
from django.utils.crypto import constant_time_compare, salted_hmac

BROWSER = "browser"
AGE = 180 * 24 * 60 * 60
NAME_LENGTH = 24
LINE_LENGTH = 300
BLANKS = "\u115f\u1160\u2800\u3164\uffa0"
"""Letters that nobody sees."""
JOINER = "\u200d"
"""Joins pictures into one, as families are."""
LOOK_ALIKES = str.maketrans(
    "\u0430\u0432\u0435\u043a\u043c\u043d\u043e\u0440\u0441\u0442\u0443\u0445"  # Cyrillic
    "\u0456\u0458\u0455\u04bb\u0501\u051b\u051d"
    "\u03b1\u03b2\u03b5\u03b7\u03b9\u03ba\u03bc\u03bd\u03bf\u03c1\u03c4\u03c5\u03c7"  # Greek
    "01l|\u0131\u0251\u0261\u0585\u057d\u043f"
    "\u0660\u0661",
    "abekmhopctyxijshdqwabenikuvoptuxoiiiiagounoi",
)
"""Small letters of other scripts, and digits, that look like Latin letters."""
CAPITALS = str.maketrans("\u0396\u0397\u039c\u039d\u03a5", "ZHMNY")
"""Greek capitals that look like another Latin letter than their small letters do."""
MARKS = 2
"""Combining marks kept on one letter: enough for every language, too few to climb over lines."""


def browser_of(session: SessionBase) -> str | None:
    """The browser's token, if it has one."""
    token = session.get(BROWSER)
    return token if isinstance(token, str) else None


def session_of(headers: Iterable[tuple[bytes, bytes]]) -> SessionBase:
    """The session that a request's headers name, which may be none; it is read when it is asked."""
    cookies = b"; ".join(value for name, value in headers if name == b"cookie")
    key = parse_cookie(cookies.decode("latin1")).get(settings.SESSION_COOKIE_NAME)
    store: type[SessionBase] = import_module(settings.SESSION_ENGINE).SessionStore
    # None of ours has what cannot be printed, and PostgreSQL takes no text with a zero in it.
    return store(key if key and key.isprintable() else None)


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


class Link(StrEnum):
    """What a signed address is good for: claiming an empty seat, or taking one's own elsewhere.

    With RECORD it is reading a match's record, with its names or (0) without: see `sign_record`.
    """

    INVITE = "invite"
    RETURN = "return"
    RECORD = "record"


def sign(link: Link, table: str, index: int, turnover: int) -> str:
    """The secret part of a seat's address as the seat stands now."""
    return _signer(link).signature(f"{table}/{index}/{turnover}")


def signed(link: Link, signature: str, table: str, index: int, turnover: int) -> bool:
    """Whether this is that secret part."""
    try:
        _signer(link).unsign(f"{table}/{index}/{turnover}:{signature}")
    except signing.BadSignature:
        return False
    return True


def sign_record(match: int, names: bool) -> str:
    """The secret part of a link to the record of a match, which tells the names or does not."""
    return sign(Link.RECORD, "match", match, int(names))


def signed_record(signature: str, match: int) -> bool | None:
    """Whether this is that secret part, of the link with the names; None if it is neither."""
    for names in (True, False):
        if signed(Link.RECORD, signature, "match", match, int(names)):
            return names
    return None


def _signer(link: Link) -> signing.Signer:
    return signing.Signer(salt=f"korttipoyta.{link}", sep=":")


APPS = re.compile(
    r"; wv\)|FBA[NV]/|FB_IAB|Instagram|Line/|Snapchat|TikTok|musical_ly|Telegram|WhatsApp/"
)
"""How the browsers that other apps open links in give themselves away."""


def inside_app(agent: str) -> bool:
    """Whether a page is shown inside another app, whose browser forgets its seats with it."""
    return bool(APPS.search(agent))


def clean_name(text: str) -> str:
    """A name that is harmless wherever it stands: one line, no controls, few stacked marks."""
    return _clean(text[: 8 * NAME_LENGTH], "")[:NAME_LENGTH].strip()


def clean_line(text: str) -> str:
    """A line of chat made harmless in the same way; joined pictures stay joined."""
    return _clean(text, JOINER).strip(JOINER + " ")


def _clean(text: str, kept_controls: str) -> str:
    # Controls first: one between two marks would else hide how many stand on a letter.
    seen = "".join(
        " " if letter.isspace() or letter in BLANKS else letter
        for letter in text
        if letter.isspace() or letter in kept_controls or unicodedata.category(letter)[0] != "C"
    )
    kept: list[str] = []
    marks = 0
    for letter in unicodedata.normalize("NFC", seen):
        if unicodedata.category(letter) in ("Mn", "Me"):
            marks += 1
            if marks > MARKS or not kept or kept[-1] == " ":
                continue
        elif letter != JOINER:
            marks = 0
        elif not kept or kept[-1] in (JOINER, " "):
            continue
        kept.append(letter)
    return " ".join("".join(kept).split())


def likeness(name: str) -> str:
    """What two names have in common when they look the same; empty for an empty name alone."""
    apart = unicodedata.normalize("NFKD", name).translate(CAPITALS)
    folded = apart.casefold().translate(LOOK_ALIKES)
    letters = "".join(letter for letter in folded if unicodedata.category(letter)[0] in "LN")
    return letters or "".join(
        letter for letter in name if unicodedata.category(letter) not in ("Mn", "Me", "Zs")
    )
