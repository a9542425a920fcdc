"""What the first visit to a page costs, in a real browser on a slow phone's network.

The site in production behind nginx, one process; Chromium with an empty cache, held down to a slow
4G. `python -m bench.first_visit --help` tells the options, `bench/README.md` what the figures mean.
Prints JSON.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import shutil
import statistics
import sys
from contextlib import ExitStack
from typing import Any

from playwright.async_api import Browser, async_playwright

from tables.tests import services
from tables.tests.people_online import Person, sit_together

SLOW_4G = {
    "offline": False,
    "latency": 150,
    "downloadThroughput": 1_600_000 / 8,
    "uploadThroughput": 750_000 / 8,
}
"""A round trip of 150 ms, 1.6 Mbit/s down, 750 kbit/s up: what Lighthouse calls slow 4G."""
PHONE: dict[str, Any] = {
    "viewport": {"width": 360, "height": 640},
    "device_scale_factor": 2,
    "is_mobile": True,
    "has_touch": True,
}
PAGES = {
    "home": ("/", ".kp [data-contrast]:not([hidden])"),
    "rules": ("/games/ristikontra/", ".kp [data-contrast]:not([hidden])"),
    "computer table": ("/computer/ristikontra/", ".kp-hand .kp-card"),
    "shared table": ("", ".kp-hand .kp-card"),
}
"""Each page: where it is, and what is there once it can be used. A table has its hand then."""
WATCH = """
  window.__usable = new Promise((resolve) => {
    const look = () => {
      const drawn = performance.getEntriesByType("resource").some(
        (one) => one.name.includes("/cards.") && one.responseEnd > 0);
      if (document.querySelector(%s) && drawn) {
        resolve(performance.now());
      } else {
        requestAnimationFrame(look);
      }
    };
    look();
  });
"""
PAINTED = """
  new Promise((resolve) => new PerformanceObserver((list) => {
    const first = list.getEntriesByName("first-contentful-paint")[0];
    if (first) resolve(first.startTime);
  }).observe({type: "paint", buffered: true}))
"""


class Visit:
    """What the browser asks for, and who made it ask."""

    def __init__(self) -> None:
        self.asked: dict[str, dict[str, Any]] = {}
        self.bytes: dict[str, int] = {}
        self.depths: dict[str, int] = {}
        """By address: 1 for the page, 2 for what it names, one more for what that names."""

    def request(self, event: dict[str, Any]) -> None:
        address = event["request"]["url"]
        if address.startswith("data:"):
            return
        initiator = event["initiator"]
        frames = initiator.get("stack", {}).get("callFrames", [])
        by = initiator.get("url") or (frames[0]["url"] if frames else "")
        self.asked[event["requestId"]] = event
        self.depths.setdefault(address, self.depths.get(by, 0) + 1)

    def loaded(self, event: dict[str, Any]) -> None:
        if event["requestId"] in self.asked:
            self.bytes[event["requestId"]] = event["encodedDataLength"]

    def figures(self) -> dict[str, Any]:
        # What a script asks for with fetch() is the match, not the page.
        files = [one for one in self.asked.values() if one.get("type") != "Fetch"]
        return {
            "requests": len(files),
            "kilobytes": round(sum(self.bytes.get(one["requestId"], 0) for one in files) / 1000, 1),
            "depth": max(self.depths[one["request"]["url"]] for one in files),
        }


async def visit(
    browser: Browser, address: str, usable: str, cookies: dict[str, str], network: dict[str, Any]
) -> dict[str, Any]:
    """Open a page with nothing in the cache, and wait until it can be used."""
    context = await browser.new_context(**PHONE, ignore_https_errors=True)
    if cookies:
        await context.add_cookies(
            [{"name": name, "value": value, "url": address} for name, value in cookies.items()]
        )
    page = await context.new_page()
    await page.add_init_script(WATCH % json.dumps(usable))
    devtools = await context.new_cdp_session(page)
    told = Visit()
    devtools.on("Network.requestWillBeSent", told.request)
    devtools.on("Network.loadingFinished", told.loaded)
    await devtools.send("Network.enable")
    await devtools.send("Network.emulateNetworkConditions", network)
    await page.goto(address, wait_until="load")
    ready = await page.evaluate("window.__usable")
    painted = await page.evaluate(PAINTED)
    await page.wait_for_load_state("networkidle")
    figures = told.figures()
    await context.close()
    return figures | {"first_paint_ms": painted, "usable_ms": max(ready, painted)}


async def measure(site: services.Nginx, runs: int, network: dict[str, Any]) -> dict[str, Any]:
    """Each page's figures; of the times the medians."""
    people = [Person(site.url, site.trust) for _ in range(4)]
    await sit_together(people)
    for person in people:
        await person.hang_up()
    found: dict[str, Any] = {}
    async with async_playwright() as playwright:
        program = os.environ.get("CHROMIUM") or shutil.which("chromium-headless-shell")
        browser = await playwright.chromium.launch(
            executable_path=program or shutil.which("chromium"),
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
        )
        for name, (path, usable) in PAGES.items():
            cookies = {} if path else dict(people[0].web.cookies)
            address = site.url + (path or f"/tables/{people[0].code}/")
            visits = [await visit(browser, address, usable, cookies, network) for _ in range(runs)]
            times = {
                one: round(statistics.median(visit[one] for visit in visits))
                for one in ("first_paint_ms", "usable_ms")
            }
            found[name] = visits[0] | times
        await browser.close()
    for person in people:
        await person.leave_site()
    return found


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.first_visit", description=__doc__)
    parser.add_argument("--runs", type=int, default=5, help="visits to each page (5)")
    parser.add_argument("--server", choices=services.SERVERS, default="daphne")
    parser.add_argument("--rtt", type=float, default=SLOW_4G["latency"], help="in ms (150)")
    options = parser.parse_args()
    with ExitStack() as stack:
        stack.enter_context(services.static_files())
        folder = stack.enter_context(services.scratch("visit"))
        database = f"sqlite:///{folder / 'db.sqlite3'}"
        services.migrate(database)
        surroundings = {"PRODUCTION": "1", "ALLOWED_HOSTS": "localhost", "TABLES_PROXIES": "1"}
        site = services.Site(folder, database, server=options.server, **surroundings)
        nginx = services.Nginx(folder, site.port)
        site.environment = (site.environment or {}) | {"ORIGINS": nginx.url}
        stack.enter_context(services.running(site))
        stack.enter_context(services.running(nginx))
        network = SLOW_4G | {"latency": options.rtt}
        figures = asyncio.run(measure(nginx, options.runs, network))
    print(json.dumps({"network": network, "pages": figures}, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
