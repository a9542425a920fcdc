"""The tables' settings with their defaults, so that a site need name only what it changes."""

from typing import Any

from django.conf import settings

DEFAULTS: dict[str, Any] = {
    "TABLES_PULSE": 10.0,  # seconds between two looks for lost rings
    "TABLES_LEASE": 25.0,  # seconds a seat counts as here after its process was last heard of
    "TABLES_GRACE": 3.0,  # seconds a page may take to come back before its seat is called away
    "TABLES_DEADLINE": 2.0,  # seconds after which a page is told "saving"
    "TABLES_LISTEN": 15.0,  # seconds after which a process joins the channel layer anew
    "TABLES_DRAIN": 8.0,  # seconds a stopping process takes to say goodbye
    "TABLES_PROXIES": 0,  # proxies in front that each add to X-Forwarded-For
    "TABLES_RATE": 8.0,  # messages a seat may send a second
    "TABLES_BURST": 32.0,  # and how many at once
    "TABLES_OPEN_RATE": 20,  # tables one address may open a minute
    "TABLES_CLAIM_RATE": 60,  # seats one address may claim a minute
    "TABLES_ICE": [],  # addresses of STUN and TURN servers for voice (docs/coturn.md)
    "TABLES_TURN_SECRET": "",  # what the TURN server's static-auth-secret is
    "TABLES_TURN_SECONDS": 6 * 60 * 60,  # how long a name and password for it are good
    "TABLES_RELAY_ONLY": False,  # voice goes through the TURN server alone, never straight
    "TABLES_REPORT_RATE": 10,  # reports one address may make a minute
    "TABLES_KEEP_TABLES": 14,  # days after which `prune` erases a table nobody has been at
    "TABLES_KEEP_CHAT": 24,  # hours after its match for which chat is kept
    "TABLES_KEEP_ADDRESSES": 24,  # hours for which the hash of an address is kept
    "TABLES_KEEP_REPORTS": 90,  # days for which a resolved report is kept
    "TABLES_RECORD_DAYS": 90,  # days for which a link opens the record of a match
    "TABLES_REPLAY_RATE": 60,  # deals of records one address may have played again a minute; of
    # long records, by each 16 kB one fewer
}


def setting(name: str) -> Any:
    """The site's value of a setting, or its default. KeyError: there is no such setting."""
    return getattr(settings, name, DEFAULTS[name])
