"""What tests of the computer table share: opening it at a chosen position, and playing on."""

import os
from collections.abc import Callable
from dataclasses import replace
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page

from bots import computer
from bots.views import PEOPLE_ONLY
from game.engine.base import Options, thaw
from game.engine.registry import AnyGame, find
from game.tests.browser import set_pace

Open = Callable[..., None]


@pytest.fixture
def open_table() -> Open:
    """Opens the computer table; ``sheet``, ``pack`` and ``plays`` choose where the match stands."""

    def open_at(
        page: Page,
        pace: str = "instant",
        sheet: dict[str, object] | None = None,
        pack: list[str] | None = None,
        plays: list[str] | None = None,
        key: str = "ristikontra",
        seats: int = 4,
        **options: str | int,
    ) -> None:
        game = find(key)
        ticket = computer.start(game, seats, options)
        ticket = replace(
            ticket,
            sheet={**ticket.sheet, **(sheet or {})},
            pack=pack or ticket.pack,
            plays=plays or [],
        )
        _, state = computer.position(ticket)
        answer = {"ticket": computer.seal(ticket), "view": game.view(state, computer.PERSON)}
        page.route("**/start/", lambda route: route.fulfill(json=answer))
        page.goto(f"/computer/{key}/?{choice(game, seats, options)}")
        page.locator(".kp-status-what:not(:empty)").wait_for()
        if state.turn is not None:
            set_pace(page, pace)

    return open_at


def choice(game: AnyGame, seats: int, options: Options) -> str:
    """What the form of seats and options leaves in the address."""
    chosen = {name: options.get(name, values[0]) for name, values in game.options.items()}
    asked = {name: value for name, value in chosen.items() if name not in PEOPLE_ONLY}
    return urlencode({"seats": seats, **asked} if len(game.seats) > 1 else asked)


def new_sheet(dealer: int, score: tuple[int, int] = (0, 0), held: int = 0) -> dict[str, object]:
    """A sheet as a ticket holds it."""
    sheet = find("ristikontra").open(4, {}, dealer)
    return thaw(replace(sheet, score=score, held=held))


@pytest.fixture
def update_golden() -> bool:
    """Whether golden files are to be written anew: UPDATE_GOLDEN=1."""
    return os.environ.get("UPDATE_GOLDEN") == "1"
