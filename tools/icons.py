"""Make the site's icons and its share image anew, beside a running site:

    make run
    .venv/bin/python tools/icons.py http://127.0.0.1:8000

Icons are drawn from static/korttipoyta/img/icon.svg; the share image, which chat apps show beside a
link, is made of the front page's own cards.
"""

import sys
from base64 import b64encode
from pathlib import Path
from struct import pack

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from playwright.sync_api import Browser, sync_playwright  # noqa: E402  (the path comes first)

from tools.screenshots import PIXELS, chromium, png  # noqa: E402

IMAGES = ROOT / "static" / "korttipoyta" / "img"
GREEN = "#14392c"

ICON = """([ground, share]) => {
  document.documentElement.style.background = ground;
  document.body.replaceChildren();
  document.body.style.cssText = "margin:0;display:grid;place-items:center;height:100vh";
  const image = new Image();
  image.style.cssText = `display:block;width:${share}vw`;
  document.body.append(image);
  image.src = "%s";
  return image.decode();
}"""
"""The icon alone on a page: on this ground, as wide as this share of it in percent."""

SHARE = """() => {
  const page = document.querySelector(".kp");
  const cards = page.querySelector(".kp-hero-cards");
  const mark = page.querySelector(".kp-brand-mark");
  const box = document.createElement("div");
  const words = document.createElement("div");
  words.append(mark, "Korttipöytä");
  box.append(cards, words);
  page.replaceChildren(box);
  box.style.cssText = "position:fixed;inset:0;display:grid;align-content:center;"
    + "justify-items:center;gap:64px;color:#f4f1e6;"
    + "background:#14392c radial-gradient(75% 95% at 50% 42%, #2a6a52, #14392c 92%)";
  cards.style.cssText = "--card-w:176px;padding:0";
  words.style.cssText = "display:flex;align-items:center;gap:22px;font-size:64px;"
    + "font-weight:800;letter-spacing:-0.01em;line-height:1";
  mark.style.cssText = "width:72px;height:72px";
}"""


def icon(browser: Browser, size: int, ground: str, share: int) -> bytes:
    """The icon as a picture of this size."""
    svg = b64encode((IMAGES / "icon.svg").read_bytes()).decode()
    page = browser.new_page(viewport={"width": size, "height": size})
    page.goto("about:blank")
    page.evaluate(ICON % f"data:image/svg+xml;base64,{svg}", [ground, share])
    picture = page.screenshot(omit_background=ground == "transparent")
    page.close()
    return picture


def share_image(browser: Browser, address: str) -> bytes:
    """1200 by 630 points, as those who show links ask for."""
    context = browser.new_context(
        viewport={"width": 1200, "height": 630}, reduced_motion="reduce", color_scheme="light"
    )
    page = context.new_page()
    page.goto(address)
    page.wait_for_load_state("networkidle")
    page.evaluate(SHARE)
    picture = page.screenshot()
    page.goto("about:blank")
    small = png(*page.evaluate(PIXELS, b64encode(picture).decode()))
    context.close()
    return small


def favicon(pictures: dict[int, bytes]) -> bytes:
    """Pictures in one file, as browsers ask for at /favicon.ico."""
    head = pack("<HHH", 0, 1, len(pictures))
    entries, data = b"", b""
    start = len(head) + 16 * len(pictures)
    for size, picture in pictures.items():
        entries += pack("<BBBBHHII", size, size, 0, 0, 1, 32, len(picture), start + len(data))
        data += picture
    return head + entries + data


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit("usage: tools/icons.py ADDRESS (of the site that make run started)")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(**chromium())
        files = {
            "icon-192.png": icon(browser, 192, "transparent", 100),
            "icon-512.png": icon(browser, 512, "transparent", 100),
            # Some systems cut a circle out of it: nothing of the cards comes near the edge.
            "icon-maskable.png": icon(browser, 512, GREEN, 84),
            "apple-touch-icon.png": icon(browser, 180, GREEN, 100),
            "favicon.ico": favicon(
                {size: icon(browser, size, "transparent", 100) for size in (16, 32, 48)}
            ),
            "share.png": share_image(browser, sys.argv[1]),
        }
        browser.close()
    for name, data in files.items():
        (IMAGES / name).write_bytes(data)
        print(f"static/korttipoyta/img/{name}: {len(data) / 1000:.1f} kB")


if __name__ == "__main__":
    main()
