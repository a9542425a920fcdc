"""Records in real browsers: their pages, watching, and checking the promises."""

import json
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.templatetags.static import static
from playwright.sync_api import BrowserContext, Page, expect

from conftest import Server, Watch
from game.engine.cards import PACK
from game.records import commitment, dumps, parse, play
from game.replays import frames
from game.tests.browser import (
    assert_accessible,
    assert_accessible_in_every_look,
    assert_fits,
    listen,
    spoken,
)
from tables.tests.browser.friends import (
    finish_match,
    from_menu,
    hand,
    leave,
    open_table,
    play_one,
    seat_four,
    sit_down,
)

FILES = Path(__file__).resolve().parents[3] / "game" / "tests" / "records"
PHONE = {"viewport": {"width": 360, "height": 640}, "has_touch": True, "is_mobile": True}
New = Callable[..., BrowserContext]


def line(key: str, number: int) -> str:
    return (FILES / f"{key}.jsonl").read_text().splitlines()[number]


def sealed(text: str) -> dict[str, Any]:
    """A record whose every deal has a salt and its commitment."""
    data: dict[str, Any] = json.loads(text)
    rng = random.Random(text)
    for deal in data["deals"]:
        deal["salt"] = rng.randbytes(32).hex()
        deal["commitment"] = commitment(deal["salt"], deal["pack"].split())
    return data


def drop(page: Page, content: str | bytes, name: str = "match.json") -> None:
    """Choose a file on the page for any record."""
    raw = content.encode() if isinstance(content, str) else content
    file: Any = {"name": name, "mimeType": "application/json", "buffer": raw}
    page.locator("#kp-file-field").set_input_files(file)


def watch_file(page: Page, content: str) -> None:
    """Open a record's stage from the page for any file."""
    page.goto("/records/")
    drop(page, content)
    page.get_by_role("button", name="Watch again").click()
    page.locator(".kp-status-what:not(:empty)").wait_for()


def place(page: Page) -> str:
    return page.locator("#kp-place-words").inner_text()


def press(page: Page, name: str, times: int = 1) -> None:
    for _ in range(times):
        page.locator("#kp-player").get_by_role("button", name=name, exact=True).click()


# ---- from the table to its record ----------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_finished_match_leads_to_its_record_and_the_promises_were_kept(
    new_person: New, short_server: Server
) -> None:
    pages = seat_four(new_person, short_server.url)
    host = pages[0]
    expect(host.get_by_role("link", name="Record of the match")).to_have_count(0)
    finish_match(pages)
    for page in pages:
        page.get_by_role("button", name="Look at the table").click()
    host.get_by_role("link", name="Record of the match").click()
    expect(host.locator("#kp-told-title")).to_contain_text(re.compile("(Aino and Sara|Toni) .*won"))
    host.get_by_role("button", name="Check the packs").click()
    expect(host.locator("#kp-verdict")).to_contain_text("this browser was promised")
    expect(host.locator("#kp-verdict")).to_have_attribute("data-state", "kept")
    assert_accessible_in_every_look(host, "the record")

    # Another tab was told nothing: it says so. And a promise that differs is found.
    host.evaluate("sessionStorage.clear()")
    host.reload()
    host.get_by_role("button", name="Check the packs").click()
    expect(host.locator("#kp-unseen")).to_be_visible()
    host.evaluate(
        "(match) => sessionStorage.setItem(`korttipoyta.promises.${match}`,"
        " JSON.stringify({1: '0'.repeat(64)}))",
        host.evaluate("JSON.parse(document.getElementById('kp-page').textContent).promises"),
    )
    host.get_by_role("button", name="Check the packs").click()
    expect(host.locator("#kp-verdict")).to_have_attribute("data-state", "broken")
    expect(host.locator("#kp-checks li").first).to_contain_text("not the pack that this browser")

    # The link without names, for anybody.
    host.get_by_label("leave the names out").check()
    address = host.get_by_label("Link", exact=True).input_value()
    stranger = new_person(base_url=short_server.url, **PHONE).new_page()
    stranger.goto(address)
    expect(stranger.locator("#kp-told-title")).to_contain_text(
        re.compile("(Seat 1 and Seat 3|Seat 2 and Seat 4) won")
    )
    assert "Aino" not in stranger.content()
    with stranger.expect_download() as download:
        stranger.get_by_role("link", name="Download the record").click()
    record = parse(Path(download.value.path()).read_text())
    assert record.names is None
    stranger.get_by_role("button", name="Watch again").tap()
    stranger.locator(".kp-status-what:not(:empty)").wait_for()
    assert_fits(stranger)
    assert_accessible(stranger, "watching on a phone")

    # Another match with the same seats: the record of the first stays within reach.
    host.get_by_role("link", name="Back to your table").click()
    pages[1].get_by_role("button", name="Again with the same seats").tap()
    expect(host.get_by_role("link", name="Record of the match")).to_be_visible()


@pytest.mark.timeout(240)
def test_the_record_of_a_match_that_was_left(new_person: New, short_server: Server) -> None:
    pages = seat_four(new_person, short_server.url)
    host, phone = pages[:2]
    play_one(pages)
    leave(pages[3])
    for page in (host, phone):
        page.get_by_role("dialog").get_by_role("button", name="Look at the table").click()
    phone.get_by_role("link", name="Record of the match").tap()
    expect(phone.locator("#kp-told-title")).to_have_text("A draw: somebody left the table")
    phone.get_by_role("button", name="Watch again").tap()
    expect(phone.locator("#kp-seat option:checked")).to_have_text("Toni")  # its own seat's view
    press(phone, "One play on")
    expect(phone.locator(".kp-status-why")).to_have_text(
        "The match ends here: somebody left the table."
    )
    phone.keyboard.press(".")
    expect(phone.locator("#kp-polite")).to_contain_text("This is the end of the record.")
    pages[3].go_back()
    pages[3].get_by_role("dialog").get_by_role("button", name="Look at the table").click()
    pages[3].get_by_role("link", name="Record of the match").click()
    expect(pages[3].locator("#kp-told-title")).to_be_visible()


def test_while_a_match_runs_its_record_says_only_that(
    new_person: New, server: Server, watch
) -> None:
    watch.expect("409")
    host = new_person(base_url=server.url).new_page()
    guests = [new_person(base_url=server.url).new_page() for _ in range(3)]
    for guest, link in zip(guests, open_table(host), strict=True):
        sit_down(guest, link)
    host.locator(".kp-status-what:not(:empty)").wait_for()
    table = host.url
    host.goto(f"{table}records/1/")
    expect(host.get_by_role("heading", level=1)).to_contain_text("when the match has ended")
    host.get_by_role("link", name="Back to your table").click()
    from_menu(host, "Leave the table")


# ---- any file ------------------------------------------------------------------------------------


def test_any_record_can_be_dropped_and_is_told(page: Page) -> None:
    page.goto("/records/")
    assert_accessible(page, "the page for any record")
    drop(page, "\n".join(line("ristikontra", n) for n in (3, 13)))
    expect(page.locator("#kp-told-title")).to_contain_text("won, 7–1")
    expect(page.locator("#kp-told-title")).to_be_focused()
    assert page.locator(".kp-chart-deal").count() == 8
    page.get_by_text("The same as a table").click()
    rows = page.locator(".kp-details tbody tr")
    assert rows.count() == 8
    points = play(parse(line("ristikontra", 3))).counts[0]["points"]
    expect(rows.first).to_contain_text(f"1{points[0]}{points[1]}")
    assert_accessible_in_every_look(page, "a dropped record")
    page.get_by_label("This file has several matches").select_option(label="Match 2")
    expect(page.locator("#kp-told-title")).to_have_text("A draw: somebody left the table")


def test_a_record_can_be_dropped_with_the_mouse(page: Page) -> None:
    page.goto("/records/")
    page.evaluate(
        """(text) => {
          const data = new DataTransfer();
          data.items.add(new File([text], "match.json", {type: "application/json"}));
          const target = document.getElementById("kp-drop");
          for (const type of ["dragover", "drop"]) {
            const how = {bubbles: true, cancelable: true, dataTransfer: data};
            target.dispatchEvent(new DragEvent(type, how));
          }
        }""",
        line("cleaning", 0),
    )
    expect(page.locator("#kp-told-title")).to_be_visible()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("hello", "not JSON"),
        ("{}", "not a record"),
        (b"\x89PNG\r\n", "not JSON"),
        (" " * 300_000, "too large"),
        (line("wrong", 4), "deal 1, play 51: The stock is empty"),
    ],
    ids=["text", "object", "picture", "large", "wrong"],
)
def test_what_is_no_right_record_is_told_in_words(
    page: Page, content: str | bytes, words: str, watch
) -> None:
    watch.expect("413")
    page.goto("/records/")
    drop(page, line("ristikontra", 3))
    expect(page.locator("#kp-told-title")).to_be_visible()
    drop(page, content)
    expect(page.locator("#kp-problem")).to_contain_text(words)
    expect(page.locator("#kp-told")).to_be_hidden()


# ---- the promises --------------------------------------------------------------------------------


def test_the_browser_computes_what_python_computes(page: Page) -> None:
    page.goto("/records/")
    rng = random.Random(5)
    packs = [(rng.randbytes(32).hex(), " ".join(rng.sample(PACK, 52))) for _ in range(25)]
    computed = page.evaluate(
        """async ([address, packs]) => {
          const { commitment } = await import(address);
          return Promise.all(packs.map(([salt, pack]) => commitment(salt, pack)));
        }""",
        [static("korttipoyta/js/verify.js"), packs],
    )
    assert computed == [commitment(salt, pack.split()) for salt, pack in packs]
    # A deal that was promised and that the record leaves out is as good as a changed one.
    salt, pack = packs[0]
    checks = page.evaluate(
        """async ([address, deal, promised]) => {
          const { verify } = await import(address);
          return verify([deal], promised);
        }""",
        [
            static("korttipoyta/js/verify.js"),
            {"pack": pack, "salt": salt, "commitment": computed[0]},
            {1: computed[0], 2: computed[1]},
        ],
    )
    assert checks == [
        {"deal": 1, "kept": True, "told": True},
        {"deal": 2, "kept": None, "told": False},
    ]


@pytest.mark.parametrize("what", ["pack", "salt", "commitment"])
def test_the_browser_finds_what_was_tampered_with_whatever_the_server_says(
    page: Page, what: str
) -> None:
    data = sealed(line("ristikontra", 3))
    page.goto("/records/")
    drop(page, json.dumps(data))
    page.get_by_role("button", name="Check the packs").click()
    expect(page.locator("#kp-verdict")).to_have_text("8 packs match their promises.")
    deal = data["deals"][4]
    cards = deal["pack"].split()
    swapped = " ".join([*cards[:-2], cards[-1], cards[-2]])
    deal[what] = {"pack": swapped, "salt": "1" * 64, "commitment": "2" * 64}[what]
    drop(page, json.dumps(data))
    expect(page.locator("#kp-problem")).to_contain_text("deal 5: the commitment is not that")
    page.get_by_role("button", name="Check the packs").click()
    expect(page.locator("#kp-verdict")).to_have_text("1 pack is not the one that was promised.")
    broken = page.locator("#kp-checks li[data-state=broken]")
    expect(broken).to_have_text("Deal 5: the promise in the record is not that of this pack.")
    assert_accessible(page, "a broken promise")


def test_a_record_without_promises_says_so(page: Page) -> None:
    data = json.loads(line("ristikontra", 3))
    for deal in data["deals"]:
        deal.pop("salt", None)
    page.goto("/records/")
    drop(page, json.dumps(data))
    page.get_by_role("button", name="Check the packs").click()
    expect(page.locator("#kp-verdict")).to_contain_text("no promise that could be checked")


def test_over_plain_http_the_page_says_how_to_check_elsewhere(page: Page) -> None:
    page.add_init_script("Object.defineProperty(globalThis.crypto, 'subtle', {value: undefined})")
    page.goto("/records/")
    drop(page, line("ristikontra", 3))
    page.get_by_role("button", name="Check the packs").click()
    expect(page.locator("#kp-verdict")).to_contain_text("only over https")
    expect(page.locator("#kp-verdict")).to_contain_text("manage.py replay")


# ---- watching ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "number"), [("ristikontra", 3), ("cleaning", 0), ("ristiseiska", 4)]
)
def test_every_seat_is_shown_what_the_engine_shows_it(page: Page, key: str, number: int) -> None:
    match = play(parse(line(key, number)))
    shown = frames(match, 0)
    watch_file(page, line(key, number))
    page.locator("#kp-seat").select_option("all")
    for at in (0, 1, 2, 9, len(shown) // 2, len(shown) - 1):
        page.locator("#kp-place").fill(str(at))
        expect(page.locator("#kp-place-words")).to_have_text(f"Play {at} of {len(shown) - 1}")
        hands = page.locator(".kp-watch .kp-board").evaluate_all(
            "(all) => all.map((one) => [...one.querySelectorAll('.kp-hand .kp-card')]"
            ".map((card) => card.dataset.code).sort())"
        )
        assert sorted(hands) == sorted(sorted(view["hand"]) for view in shown[at])
    for seat in range(match.record.seats):
        page.locator("#kp-seat").select_option(str(seat))
        page.locator("#kp-place").fill("9")
        assert hand(page) == sorted(shown[9][seat]["hand"])
        assert page.locator(".kp-watch .kp-board").count() == 1


def test_stepping_by_play_and_by_trick_and_from_deal_to_deal(page: Page) -> None:
    watch_file(page, line("ristikontra", 3))
    assert place(page) == "Play 0 of 52"
    press(page, "One play on", 2)
    assert place(page) == "Play 2 of 52"
    expect(page.locator(".kp-trick .kp-play")).to_have_count(2)
    press(page, "One play back")
    expect(page.locator(".kp-trick .kp-play")).to_have_count(1)
    press(page, "One trick or round on")
    assert place(page) == "Play 4 of 52"
    press(page, "One trick or round on", 2)
    assert place(page) == "Play 12 of 52"
    press(page, "One trick or round back")
    assert place(page) == "Play 8 of 52"
    page.get_by_role("combobox", name="Deal").select_option("3")
    expect(page.locator(".kp-progress")).to_contain_text("Deal 3 · trick 1")
    press(page, "One play back")
    expect(page.locator(".kp-progress")).to_contain_text("Deal 2 · trick 13")
    page.get_by_role("button", name="Show the count").click()
    assert_accessible(page, "a count in a record")
    page.get_by_role("button", name="Next deal").click()
    expect(page.locator(".kp-progress")).to_contain_text("Deal 3 · trick 1")
    page.get_by_role("combobox", name="Deal").select_option("8")
    expect(page.locator(".kp-progress")).to_contain_text("Deal 8 ")
    page.locator("#kp-place").fill("52")
    expect(page.locator(".kp-status-what")).to_contain_text("the match, ")
    expect(page.get_by_role("button", name="Show the result")).to_be_visible()
    page.keyboard.press(".")
    expect(page.locator("#kp-polite")).to_contain_text("This is the end of the record.")


def test_steps_may_come_faster_than_tricks_are_swept(page: Page) -> None:
    """Seen by one who plays last to a trick and draws, while the trick before still lies."""
    shown = frames(play(parse(line("ristikontra", 0))), 0)
    hands = [[set(view["hand"]) for view in one] for one in shown]
    at, seat = next(
        (at, one[0]["turn"])
        for at, one in enumerate(shown[:28])
        if at % 4 == 3 and at > 3 and hands[at + 1][one[0]["turn"]] - hands[at][one[0]["turn"]]
    )
    watch_file(page, line("ristikontra", 0))
    page.locator("#kp-seat").select_option(str(seat))
    page.get_by_role("button", name="One play on").evaluate(
        "(button, times) => [...Array(times)].forEach(() => button.click())", at + 1
    )
    expect(page.locator("#kp-place-words")).to_have_text(f"Play {at + 1} of 52")
    assert hand(page) == sorted(hands[at + 1][seat])


def test_watching_by_keyboard_and_ear(page: Page) -> None:
    watch_file(page, line("ristikontra", 3))
    listen(page)
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_focused()
    page.keyboard.press(".")
    first = parse(line("ristikontra", 3)).deals[0].plays[0]
    words = json.loads(page.locator("#kp-words").text_content() or "")["cards"]
    expect(page.locator("#kp-polite")).to_contain_text(words.get(first, "from the stock"))
    page.keyboard.press("n")
    expect(page.locator("#kp-place-words")).to_have_text("Play 4 of 52")
    expect(page.locator("#kp-polite")).to_contain_text("Play 4 of 52.")
    page.keyboard.press(",")
    page.keyboard.press("b")
    expect(page.locator("#kp-place-words")).to_have_text("Play 0 of 52")
    page.locator("#kp-place").focus()
    page.keyboard.press("End")
    expect(page.locator("#kp-place")).to_have_attribute("aria-valuetext", "Play 52 of 52")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#kp-place-words")).to_have_text("Play 1 of 52")
    assert "seven of" in spoken(page) or "of " in spoken(page)
    assert_accessible_in_every_look(page, "watching")
    page.get_by_role("button", name="To the record").click()
    expect(page.get_by_role("button", name="Watch again")).to_be_focused()


def test_it_plays_by_itself_and_pauses(page: Page) -> None:
    watch_file(page, line("ristiseiska", 4))
    page.get_by_role("combobox", name="Pace").select_option(label="Fast")
    press(page, "Play")
    expect(page.locator("#kp-place-words")).to_have_text(re.compile("Play [3-9] of"))
    press(page, "Pause")
    stands = place(page)
    page.wait_for_timeout(1200)
    assert place(page) == stands
    # To the end: it stops there, and begins again when it is asked to.
    last = page.locator("#kp-deal option").count()
    page.get_by_role("combobox", name="Deal").select_option(str(last))
    expect(page.locator(".kp-progress")).to_contain_text(f"Deal {last} ")
    slider = page.locator("#kp-place")
    slider.fill(str(int(slider.get_attribute("max") or 0) - 1))
    press(page, "Play")
    expect(page.locator("#kp-polite")).to_contain_text("This is the end of the record.")
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()


def test_nothing_can_be_played_in_a_record(page: Page) -> None:
    watch_file(page, line("ristikontra", 3))
    lead = play(parse(line("ristikontra", 3))).states[0][0].turn
    page.locator("#kp-seat").select_option(str(lead))
    page.locator(".kp-hand .kp-card").first.click()
    expect(page.locator(".kp-status-why")).to_have_text("This is a record: nothing can be played.")
    assert place(page) == "Play 0 of 52"
    press(page, "One play on")
    assert place(page) == "Play 1 of 52"
    assert page.get_by_role("button", name="Play in the dark").count() == 0


def test_a_board_that_cannot_be_loaded_is_told_and_asked_for_again(
    page: Page, watch: Watch
) -> None:
    watch.expect("ERR_FAILED")
    page.goto("/records/")
    drop(page, line("ristiseiska", 4))
    page.route("**/ristiseiska.*.js", lambda route: route.abort())
    page.get_by_role("button", name="Watch again").click()
    expect(page.locator("#kp-problem")).to_contain_text("This could not be loaded.")
    expect(page.locator("#kp-problem")).to_be_in_viewport()
    expect(page.get_by_role("button", name="Watch again")).to_be_focused()
    page.unroute("**/ristiseiska.*.js")
    page.get_by_role("button", name="Watch again").click()
    page.locator(".kp-status-what:not(:empty)").wait_for()
    page.get_by_role("button", name="To the record").click()
    expect(page.locator("#kp-problem")).to_be_hidden()


def test_a_deal_that_cannot_be_had_is_told_and_no_end(page: Page, watch: Watch) -> None:
    watch.expect("ERR_INTERNET_DISCONNECTED")
    watch_file(page, line("ristikontra", 3))
    page.context.set_offline(True)
    page.get_by_role("combobox", name="Deal").select_option("2")
    expect(page.locator("#kp-place-words")).to_contain_text("This could not be loaded.")
    expect(page.locator("#kp-alert")).to_contain_text("This could not be loaded.")
    expect(page.get_by_role("combobox", name="Deal")).to_have_value("1")
    page.context.set_offline(False)
    page.get_by_role("combobox", name="Deal").select_option("2")
    expect(page.locator(".kp-progress")).to_contain_text("Deal 2 · trick 1")
    assert place(page) == "Play 0 of 52"


@pytest.mark.parametrize("key", ["ristikontra", "ristiseiska"])
def test_it_all_fits_on_a_phone(new_person: New, server: Server, key: str) -> None:
    page = new_person(base_url=server.url, **PHONE).new_page()
    watch_file(page, line(key, 0))
    press(page, "One play on")
    assert_fits(page)
    assert_accessible(page, "watching on a phone")
    page.locator("#kp-seat").select_option("all")
    assert_accessible(page, "all hands on a phone")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.parametrize("path", ["/fairness/", "/statistics/", "/records/"])
@pytest.mark.parametrize("look", [{}, PHONE], ids=["desktop", "phone"])
def test_the_plain_pages_are_for_everybody(
    new_person: New, server: Server, path: str, look: dict[str, Any]
) -> None:
    page = new_person(base_url=server.url, **look).new_page()
    page.goto(path)
    assert_accessible_in_every_look(page, path)
    page.emulate_media(color_scheme="dark")
    assert_accessible(page, f"{path} in the dark")
    width = look.get("viewport", {"width": 1280})["width"]
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_record_reads_in_the_dark_and_keeps_nothing(page: Page) -> None:
    page.emulate_media(color_scheme="dark")
    page.goto("/records/")
    drop(page, dumps(parse(line("ristiseiska", 4))))
    expect(page.locator("#kp-told-title")).to_be_visible()
    assert_accessible(page, "a record in the dark")
    assert page.context.cookies() == []
    assert page.evaluate("localStorage.length + sessionStorage.length") == 0
