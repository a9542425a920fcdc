"""How the voices of two browsers find each other: STUN and TURN servers, and leave to use them.

A TURN server and this site share a secret. From it comes a name and password that are good for
some hours (coturn's ``use-auth-secret``, the draft "A REST API For Access To TURN Services"): the
name is the second at which they end, a colon and the caller; the password a keyed hash of the name.
"""

import base64
import hashlib
import hmac
import time
from typing import Any

from tables.conf import setting

TURN = ("turn:", "turns:")


def turns() -> bool:
    """Whether there is a TURN server."""
    return any(address.startswith(TURN) for address in setting("TABLES_ICE"))


def relay() -> str:
    """Whether voice may go by a relay: ``only``, by each person's ``choice``, or ``none``."""
    if setting("TABLES_RELAY_ONLY"):
        return "only"
    return "choice" if turns() else "none"


def servers(caller: str) -> dict[str, Any]:
    """What a page that joins the call is told: the servers as a browser takes them, whether the
    relay alone may be used, and for how many seconds all this is good."""
    seconds = setting("TABLES_TURN_SECONDS")
    straight = [one for one in setting("TABLES_ICE") if not one.startswith(TURN)]
    relays = [one for one in setting("TABLES_ICE") if one.startswith(TURN)]
    listed: list[dict[str, Any]] = [{"urls": straight}] if straight else []
    if relays:
        name, password = credentials(caller, int(time.time()) + seconds)
        listed.append({"urls": relays, "username": name, "credential": password})
    return {"ice": listed, "relay": setting("TABLES_RELAY_ONLY"), "seconds": seconds}


def credentials(caller: str, until: int) -> tuple[str, str]:
    """A name and password for the TURN server, good until that second."""
    name = f"{until}:{caller}"
    key = setting("TABLES_TURN_SECRET").encode()
    return name, base64.b64encode(hmac.digest(key, name.encode(), hashlib.sha1)).decode()
