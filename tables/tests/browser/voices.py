"""People who talk at a table, in real browsers with a microphone that beeps."""

from collections.abc import Callable
from typing import Any

from playwright.sync_api import BrowserContext, Locator, Page, expect

from tables.tests.browser.friends import sit_down

New = Callable[..., BrowserContext]
PATIENCE = 60_000
"""Milliseconds: four browsers that talk keep a small machine busy."""

WATCH = """
window.lines = [];
window.tracks = [];
const Line = RTCPeerConnection;
window.RTCPeerConnection = class extends Line {
  constructor(...all) { super(...all); window.lines.push(this); }
};
if (navigator.mediaDevices) {
  const ask = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
  window.gate = Promise.resolve();
  navigator.mediaDevices.getUserMedia = async (wanted) => {
    window.asked = wanted;
    const stream = await ask(wanted);
    window.tracks.push(...stream.getTracks());
    await window.gate;
    return stream;
  };
}
"""
"""Keeps what the page opens, for the measurements below."""

HEARD = """async () => {
  const open = window.lines.filter((line) => line.connectionState !== "closed");
  return Promise.all(open.map(async (line) => {
    const all = [...(await line.getStats()).values()];
    const sound = all.find((one) => one.type === "inbound-rtp") ?? {};
    const pair = all.find((one) => one.type === "candidate-pair" && one.nominated
      && one.state === "succeeded");
    const way = all.find((one) => one.id === pair?.localCandidateId);
    return {bytes: sound.bytesReceived ?? 0, energy: sound.totalAudioEnergy ?? 0,
      way: way?.candidateType ?? null};
  }));
}"""
"""Of each open connection how much sound has come, how loud it was in sum, and by what way."""

LIVE = """() => [
  window.tracks.filter((track) => track.readyState === "live").length,
  window.lines.filter((line) => line.connectionState !== "closed").length,
]"""
"""How many tracks of the microphone are live, and how many connections open."""

Heard = list[dict[str, Any]]


def seat_talkers(new_person: New, base: str, count: int = 4, **options: Any) -> list[Page]:
    """So many people at a table with voice; the second has a phone. The cards are dealt when they
    are four."""
    pages = []
    for seat in range(count):
        look: dict[str, Any] = {"viewport": {"width": 1280, "height": 800}}
        if seat == 1:
            look = {
                "viewport": {"width": 360, "height": 640},
                "has_touch": True,
                "is_mobile": True,
            }
        person = new_person(**({"base_url": base, "permissions": ["microphone"]} | look | options))
        person.add_init_script(WATCH)
        pages.append(person.new_page())
    host, *guests = pages
    host.goto("/tables/new/ristikontra/")
    host.get_by_label("Your name").fill("Aino")
    host.get_by_label("Voice at the table").check()
    host.get_by_role("button", name="Open the table").click()
    fields = host.locator(".kp-lobby-invite .kp-input")
    fields.nth(2).wait_for()
    invites = [field.input_value() for field in fields.all()]
    for guest, link, name in zip(guests, invites, ("Toni", "Sara", "Ville"), strict=False):
        sit_down(guest, link, name)
    for page in pages:
        shown = ".kp-status-what:not(:empty)" if count == 4 else ".kp-lobby-seat"
        page.locator(shown).first.wait_for()
    return pages


def open_panel(page: Page) -> Locator:
    """The panel of the call, opened."""
    panel = page.get_by_role("dialog", name="Voice")
    if not panel.count():
        page.locator(".kp-voice-button").click()
        panel.wait_for()
    return panel


def join(page: Page) -> Locator:
    """Join the call; the panel stays open."""
    panel = open_panel(page)
    panel.get_by_role("button", name="Join voice").click()
    return panel


def connected(page: Page, others: int) -> None:
    """Wait until the page says that it hears so many others."""
    rows = page.locator(".kp-voice-person")
    try:
        expect(rows.get_by_text("connected")).to_have_count(others, timeout=PATIENCE)
    except AssertionError:
        raise AssertionError(f"not connected: {rows.all_inner_texts()}, {heard(page)}") from None


def talk(pages: list[Page]) -> None:
    """All join, and all hear all."""
    for page in pages:
        join(page)
    for page in pages:
        connected(page, len(pages) - 1)


def heard(page: Page) -> Heard:
    found: Heard = page.evaluate(HEARD)
    return found


def live(page: Page) -> tuple[int, int]:
    """How many microphone tracks are live, and connections open."""
    tracks, lines = page.evaluate(LIVE)
    return tracks, lines


def louder(page: Page, seconds: float = 1.3) -> float:
    """How much energy comes in during a while, in sum."""

    def energy() -> float:
        return sum(float(one["energy"]) for one in heard(page))

    before = energy()
    page.wait_for_timeout(seconds * 1000)
    return energy() - before


def until_loud(page: Page, loud: bool, tries: int = 20) -> None:
    """Wait until sound comes in, or until none does."""
    for _ in range(tries):
        if (louder(page) > 1e-6) == loud:
            return
    raise AssertionError(f"{'no' if loud else 'still some'} sound comes in: {heard(page)}")
