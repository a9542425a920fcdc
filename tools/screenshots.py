"""Take the pictures of README.md anew, beside a running site:

    make run
    .venv/bin/python tools/screenshots.py http://127.0.0.1:8000

A picture of a table shows a real match, played here by the computers' policy for all four seats.
The page is handed its tickets and views in place of the server's answers.
"""

import os
import re
import shutil
import sys
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path
from struct import pack
from typing import Any
from zlib import compress, crc32

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

from playwright.sync_api import Browser, Page, Route, sync_playwright  # noqa: E402

from bots import computer  # noqa: E402  (the path comes first)
from bots.computer import PERSON, Ticket  # noqa: E402
from bots.policies import choose_play  # noqa: E402
from bots.tests.positions import opened, state_of  # noqa: E402
from game.engine.cards import rank  # noqa: E402
from game.engine.ristikontra import VALUES, Sheet, State, side, winning  # noqa: E402
from game.tests.deals import GAME  # noqa: E402

PICTURES = ROOT / "docs" / "img"
LARGEST = 250_000
PHONE: dict[str, Any] = {
    "viewport": {"width": 360, "height": 640},
    "device_scale_factor": 2,
    "has_touch": True,
    "is_mobile": True,
}

PIXELS = """async (picture) => {
  const answer = await fetch(`data:image/png;base64,${picture}`);
  const image = await createImageBitmap(await answer.blob());
  const pen = new OffscreenCanvas(image.width, image.height).getContext("2d");
  pen.drawImage(image, 0, 0);
  const reader = new FileReader();
  reader.readAsDataURL(new Blob([pen.getImageData(0, 0, image.width, image.height).data]));
  await new Promise((read) => { reader.onload = read; });
  return [image.width, image.height, reader.result.split(",")[1]];
}"""
"""What a picture consists of: width, height, and red, green, blue and alpha of each point."""

SHADES = bytes(min(255, (shade + 1) // 3 * 3) for shade in range(256))
"""Each shade's substitute. With a third of them the felt loses its grain, and the file its size."""

History = list[Ticket]
"""A computer's turn in the first deal, the end of every deal so far, and the position to show."""


# --- Choosing a position ----------------------------------------------------------------------


def course(seed: int) -> Iterator[tuple[Ticket, State]]:
    """Every position of one match, up to its last counted deal: the same for the same seed."""
    ticket = opened(seed)
    while True:
        state = state_of(ticket)
        while state.turn is not None:
            yield ticket, state
            code = choose_play(GAME, state)
            ticket, state = replace(ticket, plays=[*ticket.plays, code]), GAME.play(state, code)
        yield ticket, state
        if GAME.result(GAME.settle(state)):
            return
        ticket = computer.step(ticket, None)


def first(wanted: Callable[[State], bool]) -> History:
    """The first position that is as wanted, in the first match that comes to one."""
    for seed in count():
        history: History = []
        for ticket, state in course(seed):
            if wanted(state):
                return [*history, ticket]
            if state.turn is None or (not history and state.turn != PERSON):
                history.append(ticket)
    raise AssertionError("there are matches without end")


def a_good_trick(state: State) -> bool:
    """The person, last to act, can take points from the other side. One card came in the dark."""
    if state.turn != PERSON or len(state.trick) != 3 or not any(p.dark for p in state.trick[1:]):
        return False
    hand = state.hands[PERSON]
    return (
        close(state.sheet)
        and 9 <= len(state.stock) <= 17
        and min(map(len, state.piles)) >= 4
        and sum(VALUES.get(rank(play.card), 0) for play in state.trick) >= 10
        and side(winning(state.trick).seat) != side(PERSON)
        and rank(state.trick[0].card) in map(rank, hand)
        and len({card[1] for card in hand}) >= 3
    )


def a_won_deal(state: State) -> bool:
    """A deal that the person's side has just won, in the middle of a match."""
    if state.turn is not None or not close(state.sheet):
        return False
    return close(GAME.settle(state)) and GAME.settle(state).score[0] > state.sheet.score[0]


def close(sheet: Sheet) -> bool:
    """A match without extremes so far: nobody leads by much, and each deal paid one game point."""
    one, two = sheet.score
    return min(one, two) >= 1 and abs(one - two) <= 2 and one + two == sheet.deals


# --- Taking it --------------------------------------------------------------------------------


def open_table(page: Page, address: str, history: History) -> None:
    """Open the computer table and let it see the deals before, so that its sheet is full."""
    left = iter(history)

    def answer(route: Route) -> None:
        ticket = next(left)
        view = GAME.view(state_of(ticket), PERSON)
        route.fulfill(json={"ticket": computer.seal(ticket), "view": view})

    page.route("**/start/", answer)
    page.route("**/step/", answer)
    page.goto(f"{address}/computer/ristikontra/")
    # The page asks by itself for the end of the first deal, since a computer is on turn.
    for deal in range(2, state_of(history[-1]).sheet.deals + 2):
        page.locator("dialog[open] .kp-button--now").click()
        page.locator(".kp-progress", has_text=re.compile(rf"^\S+ {deal}\b")).wait_for()


def open_lesson(page: Page, address: str) -> None:
    """Open the lesson at its first position."""
    page.goto(f"{address}/computer/ristikontra/lesson/")
    page.locator(".kp-board--mine").wait_for()


def take(browser: Browser, name: str, screen: dict[str, Any], shown: Callable[[Page], Any]) -> int:
    """Takes the picture of what ``shown`` opens; its size in bytes."""
    context = browser.new_context(**({"locale": "en", "reduced_motion": "reduce"} | screen))
    page = context.new_page()
    shown(page)
    page.wait_for_load_state("networkidle")
    page.evaluate("document.activeElement.blur()")
    picture = page.screenshot(animations="disabled")
    page.goto("about:blank")
    picture = png(*page.evaluate(PIXELS, b64encode(picture).decode()))
    context.close()
    (PICTURES / f"{name}.png").write_bytes(picture)
    return len(picture)


def png(width: int, height: int, pixels: str) -> bytes:
    """A picture of these points (see ``PIXELS``) that takes as little room as it can."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return pack(">I", len(data)) + kind + data + pack(">I", crc32(kind + data))

    points = bytearray(b64decode(pixels).translate(SHADES))
    del points[3::4]  # nothing is transparent
    lines = (points[at : at + 3 * width] for at in range(0, len(points), 3 * width))
    return b"".join(
        [
            b"\x89PNG\r\n\x1a\n",
            chunk(b"IHDR", pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)),
            chunk(b"IDAT", compress(b"".join(b"\0" + line for line in lines), 9)),
            chunk(b"IEND", b""),
        ]
    )


def desktop(height: int) -> dict[str, Any]:
    """A screen that is cut below something whole."""
    return {"viewport": {"width": 1280, "height": height}}


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
        "table": (desktop(800), lambda page: open_table(page, address, trick)),
        "phone": (PHONE, lambda page: open_table(page, address, trick)),
        "phone-fi": ({**PHONE, "locale": "fi"}, lambda page: open_table(page, address, trick)),
        "phone-pt-br": (
            {**PHONE, "locale": "pt-BR"},
            lambda page: open_table(page, address, trick),
        ),
        "count": (desktop(800), lambda page: open_table(page, address, won)),
        "home": (desktop(985), lambda page: page.goto(f"{address}/")),
        "lesson": (desktop(800), lambda page: open_lesson(page, address)),
        "rules": (desktop(698), lambda page: page.goto(f"{address}/games/ristikontra/")),
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
