"""Take the pictures of README.md anew, beside a running site:

    make run
    .venv/bin/python tools/screenshots.py http://127.0.0.1:8000

A picture of a table shows a real match, played here by the computers' policy for all four seats.
The page is handed its tickets and views in place of the server's answers.
"""

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

from playwright.sync_api import Browser, Page, Route, sync_playwright  # noqa: E402

from bots import computer  # noqa: E402  (the path comes first)
from bots.computer import PERSON, Ticket  # noqa: E402
from bots.policies import choose_play  # noqa: E402
from bots.tests.positions import opened, state_of  # noqa: E402
from game.engine.cards import rank  # noqa: E402
from game.engine.ristikontra import VALUES, State, winning  # noqa: E402

PICTURES = ROOT / "docs" / "img"
LARGEST = 250_000
DESKTOP: dict[str, Any] = {"viewport": {"width": 1280, "height": 800}}
PHONE: dict[str, Any] = {
    "viewport": {"width": 360, "height": 640},
    "device_scale_factor": 2,
    "has_touch": True,
    "is_mobile": True,
}

History = list[Ticket]
"""The end of every deal so far, and last of all the position to be shown."""


# --- Choosing a position ----------------------------------------------------------------------


def course(seed: int) -> Iterator[Ticket]:
    """Every ticket of one match, the same for the same seed, up to its last counted deal."""
    ticket = opened(seed)
    while True:
        yield ticket
        game, state = computer.position(ticket)
        if state.turn is None and game.result(game.settle(state)):
            return
        mine = state.turn == PERSON
        ticket = computer.step(ticket, choose_play(game, state) if mine else None)


def first(wanted: Callable[[Ticket, State], bool]) -> History:
    """The first position that is as wanted, in the first match that comes to one."""
    for seed in count():
        history: History = []
        for ticket in course(seed):
            state = state_of(ticket)
            if wanted(ticket, state):
                return [*history, ticket]
            if state.turn is None:
                history.append(ticket)
    raise AssertionError("there are matches without end")


def a_good_trick(ticket: Ticket, state: State) -> bool:
    """The person decides over a full table: three cards, one of them dark, and points."""
    if state.turn != PERSON or len(state.trick) != 3 or not any(p.dark for p in state.trick):
        return False
    led = rank(state.trick[0].card)
    hand = state.hands[PERSON]
    return (
        state.sheet.deals in (3, 4)
        and min(state.sheet.score) >= 1
        and 8 <= len(state.stock) <= 16
        and min(map(len, state.piles)) >= 4
        and sum(VALUES.get(rank(play.card), 0) for play in state.trick) >= 14
        and winning(state.trick).seat % 2 == 1
        and any(rank(card) == led for card in hand)
        and len({card[1] for card in hand}) == 4
        and sum(rank(card) in "JQK" for card in hand) in (1, 2)
    )


def a_won_deal(ticket: Ticket, state: State) -> bool:
    """A deal that the person's side has just won, after one that was held."""
    if state.turn is not None or state.sheet.held == 0:
        return False
    score = computer.position(ticket)[0].count(state)["score"]
    return bool(score[0] > state.sheet.score[0] and min(score) >= 1 and max(score) < 7)


# --- Taking it --------------------------------------------------------------------------------


def open_table(page: Page, address: str, history: History) -> None:
    """Open the computer table and let it see the deals before, so that its sheet is full."""
    left = iter(history)

    def answer(route: Route) -> None:
        ticket = next(left)
        game, state = computer.position(ticket)
        view = game.view(state, PERSON)
        route.fulfill(json={"ticket": computer.seal(ticket), "view": view})

    page.route("**/start/", answer)
    page.route("**/step/", answer)
    page.goto(f"{address}/computer/ristikontra/")
    for number in range(1, len(history)):
        page.get_by_role("button", name="Next deal").click()
        page.locator(".kp-progress", has_text=f"Deal {number + 1}").wait_for()
    page.locator(".kp-status-what:not(:empty)").wait_for()


def take(browser: Browser, name: str, screen: dict[str, Any], shown: Callable[[Page], None]) -> int:
    """The size of the picture of what ``shown`` opens."""
    context = browser.new_context(locale="en", reduced_motion="reduce", **screen)
    page = context.new_page()
    shown(page)
    page.wait_for_load_state("networkidle")
    file = PICTURES / f"{name}.png"
    page.screenshot(path=file, animations="disabled")
    context.close()
    return file.stat().st_size


def chromium() -> dict[str, Any]:
    """How the browser is started: as the tests do it."""
    program = os.environ.get("CHROMIUM") or shutil.which("chromium")
    if program is None:
        sys.exit("Chromium is needed: run tools/system_packages.sh")
    flags = ["--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
    return {
        "executable_path": program,
        "args": [*flags, "--no-sandbox"] if os.geteuid() == 0 else flags,
    }


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit("usage: tools/screenshots.py ADDRESS (of the site that make run started)")
    address = sys.argv[1].rstrip("/")
    PICTURES.mkdir(parents=True, exist_ok=True)
    trick, won = first(a_good_trick), first(a_won_deal)
    pictures: dict[str, tuple[dict[str, Any], Callable[[Page], Any]]] = {
        "table": (DESKTOP, lambda page: open_table(page, address, trick)),
        "phone": (PHONE, lambda page: open_table(page, address, trick)),
        "count": (DESKTOP, lambda page: open_table(page, address, won)),
        "home": (DESKTOP, lambda page: page.goto(f"{address}/")),
        "rules": (DESKTOP, lambda page: page.goto(f"{address}/games/ristikontra/")),
    }
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(**chromium())
        sizes = {name: take(browser, name, *how) for name, how in pictures.items()}
        browser.close()
    for name, size in sizes.items():
        print(f"docs/img/{name}.png: {size // 1000} kB")
    if max(sizes.values()) > LARGEST:
        sys.exit(f"A picture is larger than {LARGEST // 1000} kB.")


if __name__ == "__main__":
    main()
