"""What browser tests share: whose turn it is, what was spoken, what axe finds."""

from pathlib import Path
from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page
from playwright.sync_api import TimeoutError as PlaywrightTimeout

WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]

PLAYS = """
  .kp-board--mine .kp-hand .kp-card:not([aria-disabled]),
  .kp-board--mine .kp-button--main:not([aria-disabled], [hidden])
"""
"""What may be pressed to play now: cards, and the buttons of plays that are no card."""

AWAITED = f"""() => {{
  if (document.querySelector("dialog[open]")) return "dialog";
  return document.querySelector(`{PLAYS}`) ? "me" : false;
}}"""

CONTRAST = "(on) => document.querySelector('.kp').classList.toggle('kp-contrast', on)"

LISTEN = """() => {
  window.spoken = [];
  const regions = "#kp-polite, #kp-alert, .kp-speech";
  new MutationObserver((changes) => {
    const changed = changes.map((change) => change.target.parentElement?.closest(regions)
      ?? change.target.closest?.(regions));
    const modal = [...document.querySelectorAll("dialog:modal")].at(-1);
    for (const region of new Set(changed)) {
      const heard = !modal || modal.contains(region);
      if (region?.textContent && heard) window.spoken.push(region.textContent.trim());
    }
  }).observe(document.body, {childList: true, characterData: true, subtree: true});
}"""
"""The page's regions, and those that dialogs get when they open: what is said outside an open
dialog, or just before it opens, is not heard."""


PROMPTED = """(before) => {
  const what = document.querySelector(".kp-status-what").textContent;
  return window.spoken.slice(before).some((text) => text.includes(what)) && window.spoken.length;
}"""


def awaited(page: Page) -> str:
    """Waits until this page's person is on turn ("me") or a dialog asks something ("dialog")."""
    try:
        return str(page.wait_for_function(AWAITED).json_value())
    except PlaywrightTimeout as error:
        shown = page.locator("body").inner_text()
        raise AssertionError(f"neither on turn nor asked; the page shows:\n{shown}") from error


def playable(page: Page) -> Locator:
    """The cards of the hand that may be played now."""
    return page.locator(".kp-hand .kp-card:not([aria-disabled])")


def open_settings(page: Page) -> Locator:
    """Open the settings as on any screen, from the menu."""
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("dialog", name="Menu").get_by_role("button", name="Settings").click()
    return page.get_by_role("dialog", name="Settings")


def set_pace(page: Page, pace: str) -> None:
    """Choose the pace in the settings: slow, normal, fast or instant."""
    settings = open_settings(page)
    settings.get_by_role("radio", name=pace.capitalize()).check()
    settings.get_by_role("button", name="Back to the table").click()


def listen(page: Page) -> None:
    """From now on keep what the live regions say; `spoken` reads it."""
    page.evaluate(LISTEN)


def spoken(page: Page) -> str:
    """All that was said since `listen`, in order, as one text."""
    return " ".join(page.evaluate("window.spoken"))


def prompted(page: Page, before: int | None) -> int:
    """Waits until it has been said that it is this page's turn, after the first ``before`` texts
    since `listen` (None: without waiting); how many have been said then. Who plays sooner than
    that is not told any more."""
    if before is None:
        return int(page.evaluate("window.spoken.length"))
    return int(page.wait_for_function(PROMPTED, arg=before).json_value())


def assert_accessible(page: Page, state: str) -> None:
    """No violation of WCAG 2.2 A and AA, nor of axe's best practices."""
    page.evaluate("Promise.all(document.getAnimations().map((a) => a.finished.catch(() => null)))")
    options: dict[str, Any] = {"runOnly": {"type": "tag", "values": WCAG}}
    found = Axe().run(page, options=options)
    assert found.violations_count == 0, f"{state}:\n{found.generate_report()}"


def assert_accessible_in_every_look(page: Page, state: str) -> None:
    """As `assert_accessible`: as it is, in high contrast, where text has seven to one, and with
    forced colours."""
    assert_accessible(page, state)
    page.evaluate(CONTRAST, True)
    options: dict[str, Any] = {
        "runOnly": {"type": "tag", "values": WCAG},
        "rules": {"color-contrast-enhanced": {"enabled": True}},
    }
    found = Axe().run(page, options=options)
    assert found.violations_count == 0, f"{state}, high contrast:\n{found.generate_report()}"
    page.evaluate(CONTRAST, False)
    page.emulate_media(forced_colors="active")
    assert_accessible(page, f"{state}, forced colours")
    page.emulate_media(forced_colors="none")


def assert_fits(page: Page) -> None:
    """Nothing to scroll, in either direction."""
    width, height = page.evaluate(
        "[document.documentElement.scrollWidth - innerWidth,"
        " document.documentElement.scrollHeight - innerHeight]"
    )
    assert (width, height) <= (0, 0), f"{width} and {height} px too large"


def assert_golden(path: Path, text: str, update: bool) -> None:
    """The text equals the file's; with UPDATE_GOLDEN=1 the file is written instead."""
    if update:
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8"), f"{path.name} tells otherwise"
