"""Four friends in four browsers at one table."""

import random
import re

import pytest
from playwright.sync_api import Page, Route, WebSocket, WebSocketRoute, expect

from conftest import Server
from game.tests.browser import (
    AWAITED,
    assert_accessible,
    assert_fits,
    listen,
    open_settings,
    playable,
    spoken,
)
from tables.tests.browser.friends import (
    Cable,
    New,
    at_the_board,
    find,
    finish_match,
    from_menu,
    hand,
    leave,
    links,
    open_table,
    play_one,
    seat_four,
    sit_down,
    told,
    trick_cards,
)

pytestmark = pytest.mark.timeout(300)


@pytest.fixture
def four(new_person: New, short_server: Server) -> list[Page]:
    return seat_four(new_person, short_server.url)


def test_four_friends_play_a_match_from_four_links(four: list[Page], watch) -> None:
    """One by keyboard only, one on a phone, one reloading, one losing the network."""
    watch.expect("ERR_INTERNET_DISCONNECTED")
    host, phone, keyboard, reloader = four
    assert_fits(phone)
    plays = 0
    while True:
        host.wait_for_timeout(50)  # else asking alone keeps the pages busy
        states = [page.evaluate(AWAITED) for page in four]
        if "me" in states:
            seat = states.index("me")
            page = four[seat]
            if page is keyboard:
                page.locator(".kp-board").focus()
                page.keyboard.press("1")
                while page.evaluate("document.activeElement.getAttribute('aria-disabled')"):
                    page.keyboard.press("ArrowRight")
                page.keyboard.press("Enter")
            elif page is phone:
                playable(page).first.tap()
            else:
                playable(page).first.click()
            plays += 1
            if plays % 11 == 0:
                reloader.reload()
                reloader.locator(".kp-status-what:not(:empty)").wait_for()
            if plays == 6:
                host.context.set_offline(True)
                expect(host.locator("#kp-trouble")).to_be_visible()
                host.context.set_offline(False)
                expect(host.locator("#kp-trouble")).to_be_hidden()
        elif states.count("dialog") == 4:
            if host.locator(".kp-count-title").inner_text().startswith("You have"):
                break
            host.get_by_role("button", name="Next deal").click()
            for page in (phone, keyboard, reloader):
                page.get_by_role("button", name="To the table").click()
    titles = [page.locator(".kp-count-title").inner_text() for page in four]
    assert titles[0] == titles[2]
    assert titles[1] == titles[3]
    assert {title.split()[2] for title in titles[:2]} == {"won", "lost"}
    assert_accessible(host, "the end of the match")
    reloader.reload()
    expect(reloader.get_by_role("dialog")).to_contain_text("You have")


def test_everybody_sees_the_same_trick_and_only_their_own_hand(four: list[Page]) -> None:
    for _ in range(3):
        seat = play_one(four)
        expect(four[seat].locator(".kp-part--refused")).to_have_count(0)
        others = [page for page in four if page is not four[seat]]
        for page in others:
            expect(page.locator(".kp-trick .kp-play")).to_have_count(_ + 1)
    assert len({tuple(trick_cards(page)) for page in four}) == 1
    hands = [set(hand(page)) for page in four]
    assert all(len(hand) == 6 for hand in hands)
    assert len(set.union(*hands)) == 24
    names = [
        page.locator(".kp-seat[data-area=seat-left] .kp-seat-name").inner_text() for page in four
    ]
    assert names == ["Toni", "Sara", "Guest 3", "Aino"]  # clockwise the same for all


@pytest.mark.slow
def test_the_count_stays_until_its_owner_closes_it(four: list[Page], short_server: Server) -> None:
    third = four[2]
    finish_match(four)
    third.reload()
    expect(third.get_by_role("dialog", name="The result")).to_be_visible()
    third.get_by_role("button", name="Look at the table").click()
    third.reload()
    third.locator(".kp-status-what:not(:empty)").wait_for()
    expect(third.get_by_role("button", name=re.compile("Show the"))).to_be_visible()
    expect(third.get_by_role("dialog")).to_have_count(0)


def test_offline_the_board_does_not_pretend(new_person: New, short_server: Server) -> None:
    """CASE 17: no connection, and a card is tapped."""
    cables: list[Cable] = []
    four = seat_four(new_person, short_server.url, prepare=lambda one: cables.append(Cable(one)))
    seat = find(four, "me")
    page, cable = four[seat], cables[seat]
    cards = page.locator(".kp-hand .kp-card").count()
    cable.cut()
    playable(page).first.click()
    expect(page.locator(".kp-status-why")).to_contain_text("nothing has been played")
    assert page.locator(".kp-hand .kp-card").count() == cards
    expect(page.locator(".kp-trick .kp-play")).to_have_count(0)
    cable.mend()
    playable(page).first.click()
    expect(page.locator(".kp-trick .kp-play")).to_have_count(1)


def test_leaving_during_a_match_is_a_draw_for_all(four: list[Page], watch) -> None:
    watch.expect("net::ERR_FAILED")
    host, phone, third, fourth = four
    play_one(four)
    listen(host)
    listen(third)
    third.route("**/js/again.*.js", lambda route: route.abort())
    from_menu(fourth, "Leave the table")
    dialog = fourth.get_by_role("dialog", name="Leave the table?")
    expect(dialog).to_contain_text("draw")
    assert_accessible(fourth, "leaving")
    dialog.get_by_role("button", name="Stay").click()
    leave(fourth)
    assert fourth.url.endswith("/left/drawn/")
    expect(fourth.get_by_role("heading", level=1)).to_have_text("You have left the table")
    for page in (host, phone, third):
        box = page.get_by_role("dialog", name="The match is a draw")
        expect(box).to_have_accessible_description(re.compile("^Guest 3 left the table. The match"))
        if page is third:
            page.wait_for_function("() => window.spoken.join().includes('could not be loaded')")
        box.get_by_role("button", name="Look at the table").click()
        assert told(page) == "The match is a draw."
    # What comes after the match can be asked for again where it could not be had.
    third.unroute("**/js/again.*.js")
    third.get_by_role("button", name="Try again").click()
    expect(third.get_by_role("button", name="Again with the same seats")).to_be_focused()
    expect(third.get_by_text("could not be loaded")).to_be_hidden()
    # Who has left is not told to be away besides.
    expect(host.locator(".kp-seat", has_text="Guest 3")).to_contain_text("away")
    third.get_by_role("button", name="Again with the same seats").click()
    host.wait_for_function("() => window.spoken.join().includes('Sara says yes')")
    assert "is away" not in spoken(host)
    # What somebody has closed stays closed on this screen, as the count does.
    host.reload()
    expect(host.locator(".kp-status-what")).to_have_text("The match is a draw.")
    expect(host.locator("dialog[open]")).to_have_count(0)


def test_what_comes_late_opens_nothing_over_what_was_opened_since(
    new_person: New, server: Server
) -> None:
    page = new_person(base_url=server.url).new_page()
    open_table(page)
    listen(page)
    held: list[Route] = []
    page.route("**/js/people.*.js", lambda route: held.append(route))
    from_menu(page, "People and my seat")
    page.wait_for_function("() => window.spoken.includes('Loading …')")
    settings = open_settings(page)
    held[0].continue_()
    people = page.locator("dialog", has_text="My seat on another device")
    people.wait_for(state="attached")
    expect(people).to_be_hidden()
    expect(settings).to_be_visible()
    settings.get_by_role("button", name="Back to the table").click()
    from_menu(page, "People and my seat")
    expect(people).to_be_visible()


def test_closing_a_tab_is_not_leaving(four: list[Page]) -> None:
    """Not even the host's: nobody is told of an end, and the tab can be opened again."""
    address, context = four[0].url, four[0].context
    four[0].close()
    for page in four[1:]:
        expect(page.locator("dialog[open]")).to_have_count(0)
    back = context.new_page()
    back.goto(address)
    back.locator(".kp-status-what:not(:empty)").wait_for()
    pages = [back, *four[1:]]
    play_one(pages)
    for page in pages:
        expect(page.locator(".kp-trick .kp-play")).to_have_count(1)


# ---- before the first deal -----------------------------------------------------------------------


def test_the_lobby_says_who_sits_where(new_person: New, server: Server) -> None:
    host, guest = new_person().new_page(), new_person().new_page()
    invites = open_table(host)
    assert_accessible(host, "the host's lobby")
    rows = host.locator(".kp-lobby-seat")
    expect(rows.nth(0)).to_contain_text("Aino")
    expect(rows.nth(0)).to_contain_text("side one")
    expect(rows.nth(1)).to_contain_text("side two · empty")
    expect(rows.nth(2)).to_contain_text("side one")
    guest.goto(invites[1])
    expect(guest.get_by_role("heading", level=1)).to_have_text("Aino invites you to Ristikontra")
    expect(guest.locator(".kp-lead")).to_contain_text("Your partner is Aino.")
    assert_accessible(guest, "an invite")
    sit_down(guest, invites[1], "Sara")
    expect(rows.nth(2)).to_contain_text("Sara")
    expect(host.locator("#kp-polite")).to_contain_text("Sara has sat down.")
    assert_accessible(guest, "a guest's lobby")
    assert guest.locator(".kp-lobby-invite").count() == 0
    host.locator(".kp-lobby-qr summary").first.click()
    expect(host.locator(".kp-qr").first).to_have_attribute("src", re.compile("qr.svg"))
    picture = host.request.get(str(host.locator(".kp-qr").first.get_attribute("src")))
    assert picture.ok
    assert picture.headers["content-type"] == "image/svg+xml"
    assert guest.request.get(picture.url).status == 404


def test_renewing_and_freeing(new_person: New, server: Server, watch) -> None:
    watch.expect("Failed to load resource")
    host, guest = new_person().new_page(), new_person().new_page()
    first = open_table(host)
    field = host.get_by_label("Link for Guest 1")
    host.evaluate("window.loaded = 'once'")
    host.get_by_role("button", name="New link (Guest 1)").click()
    expect(field).not_to_have_value(first[0])
    expect(host.locator("#kp-polite")).to_contain_text("There is a new link")
    second = links(host)
    assert first[0] != second[0]
    assert first[1:] == second[1:]
    guest.goto(first[0])
    expect(guest.get_by_role("heading", level=1)).to_contain_text("replaced by a newer one")
    assert_accessible(guest, "a renewed invite")
    sit_down(guest, second[0], "Toni")
    guest.locator(".kp-lobby-seat").first.wait_for()
    free = host.get_by_role("button", name="Free this seat (Toni)")
    asked = host.get_by_role("dialog", name="Free this seat?")
    free.click()
    expect(asked).to_contain_text("Toni loses the seat")
    assert_accessible(host, "freeing a seat")
    asked.get_by_role("button", name="No").click()
    expect(asked).to_be_hidden()
    assert guest.locator("dialog[open]").count() == 0
    free.click()
    asked.get_by_role("button", name="Free it").click()
    expect(guest.get_by_role("dialog")).to_contain_text("Your seat at this table has been freed")
    expect(host.locator(".kp-lobby-seat").nth(1)).to_contain_text("empty")
    assert host.evaluate("window.loaded") == "once"
    third = links(host)
    assert third[0] != second[0]
    sit_down(guest, third[0], "Toni")
    expect(host.locator(".kp-lobby-seat").nth(1)).to_contain_text("Toni")


def test_leaving_before_the_first_deal(new_person: New, server: Server, watch) -> None:
    watch.expect("Failed to load resource")
    host, guest, other = (new_person().new_page() for _ in range(3))
    invites = open_table(host)
    sit_down(guest, invites[0], "Toni")
    sit_down(other, invites[1], "Sara")
    other.locator(".kp-lobby-seat").first.wait_for()
    leave(guest)
    assert guest.url.endswith("/left/freed/")
    expect(guest.locator(".kp-lead")).to_contain_text("free again")
    expect(host.locator(".kp-lobby-seat").nth(1)).to_contain_text("empty")
    assert links(host)[0] != invites[0]
    leave(host)
    assert host.url.endswith("/left/closed/")
    expect(host.locator(".kp-lead")).to_contain_text("The table is closed")
    expect(other.get_by_role("dialog", name="The table is closed")).to_contain_text("Aino")
    assert_accessible(other, "a closed table")
    host.goto(host.url.removesuffix("left/closed/"))
    expect(host.get_by_role("dialog", name="The table is closed")).to_contain_text("You closed it")
    guest.goto(invites[2])
    expect(guest.get_by_role("heading", level=1)).to_contain_text("over")
    expect(guest.get_by_role("link", name="Open a new table")).to_be_visible()


def test_kind_pages(new_person: New, server: Server, watch) -> None:
    watch.expect("Failed to load resource")
    host, guest, stranger = (new_person().new_page() for _ in range(3))
    invites = open_table(host)
    sit_down(guest, invites[0])
    for address, words in (
        (invites[0], "taken"),
        (host.url, "do not have a seat"),
        ("/tables/0000000000/", "gone"),
        ("/invites/0000000000/1/x/", "gone"),
    ):
        stranger.goto(address)
        expect(stranger.get_by_role("heading", level=1)).to_contain_text(words)
        assert_accessible(stranger, address)
    guest.goto(invites[1])  # who sits here already is taken to the table
    guest.wait_for_url("**/tables/*/")


PRESS = """() => document.querySelector(
  ".kp-board--mine .kp-hand .kp-card:not([aria-disabled])")?.click()"""
LAST = """() => [document.querySelector(".kp-progress").textContent,
  [...document.querySelectorAll(".kp-last-play")].map((one) => one.dataset.card).join()]"""


# ---- the connection ------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_socket_heals_what_a_bad_network_does(new_person: New, short_server: Server) -> None:
    """Through a seeded proxy that drops, doubles and delays frames, both ways."""
    dice = random.Random(7)
    pages = seat_four(new_person, short_server.url)
    bad = pages[0]

    def proxy(route: WebSocketRoute) -> None:
        server = route.connect_to_server()
        kept: list[str] = []

        def unreliable(send):
            def passed(message: str | bytes) -> None:
                luck = dice.random()
                if luck < 0.2:
                    return
                send(message)
                if luck > 0.8:
                    send(message)
                if 0.5 < luck < 0.6:
                    kept.append(str(message))
                elif kept and luck < 0.5:
                    send(kept.pop())

            return passed

        route.on_message(unreliable(server.send))
        server.on_message(unreliable(route.send))

    bad.route_web_socket(re.compile("/socket/"), proxy)
    bad.clock.install()
    bad.reload()
    good = pages[1]
    for _ in range(400):
        bad.clock.run_for(1000)
        for page in pages:
            page.evaluate(PRESS)
        if "trick 6" in good.locator(".kp-progress").inner_text():
            break
    else:
        raise AssertionError("the table stands still")
    # Nobody plays on; whatever was lost, within two pings the page knows what the others know.
    for _ in range(20):
        bad.clock.run_for(1000)
        good.evaluate("() => new Promise(requestAnimationFrame)")
    assert bad.evaluate(LAST) == good.evaluate(LAST)


def test_the_socket_is_replaced_when_nobody_answers(four: list[Page]) -> None:
    """A phone wakes: the socket says open and nothing answers (CASE 11)."""
    page = four[3]
    sockets: list[str] = []
    silent = False

    def proxy(route: WebSocketRoute) -> None:
        sockets.append(route.url)
        server = route.connect_to_server()
        route.on_message(lambda message: None if silent else server.send(message))
        server.on_message(lambda message: None if silent else route.send(message))

    page.route_web_socket(re.compile("/socket/"), proxy)
    page.clock.install()
    page.reload()
    page.locator(".kp-status-what:not(:empty)").wait_for()
    assert len(sockets) == 1
    silent = True
    page.clock.run_for(10_000)  # a ping is due
    page.clock.run_for(8_500)  # and its answer overdue
    silent = False
    for _ in range(50):
        if len(sockets) > 1:
            break
        page.clock.run_for(100)
    assert len(sockets) == 2


def test_nothing_of_a_third_party_and_no_referrer_problem(new_person: New, server: Server) -> None:
    page = new_person().new_page()
    hosts: set[str] = set()

    def seen(route: Route) -> None:
        hosts.add(route.request.url.split("/")[2])
        route.continue_()

    page.route("**/*", seen)
    open_table(page)
    assert hosts == {server.url.split("/")[2]}


def reload_without_board(page: Page) -> tuple[Route, list[WebSocket]]:
    """Load the page anew and keep its board's module on the way, until the snapshot is there; the
    request for the module, and the page's sockets, to which others will be added."""
    held: list[Route] = []
    sockets: list[WebSocket] = []
    heard: list[str] = []

    def listened(socket: WebSocket) -> None:
        sockets.append(socket)
        socket.on("framereceived", lambda frame: heard.append(str(frame)))

    page.on("websocket", listened)
    page.route(re.compile(r"/js/board\.[^/]*js$"), lambda route: held.append(route))
    page.reload(wait_until="commit")
    while not (held and any('"snapshot"' in frame for frame in heard)):
        page.wait_for_timeout(20)
    assert hand(page) == []
    return held[0], sockets


def test_the_socket_opens_while_the_board_still_comes(four: list[Page]) -> None:
    page = four[3]
    board, sockets = reload_without_board(page)
    board.continue_()
    at_the_board(page)
    assert len(hand(page)) == 6
    play_one(four)
    expect(page.locator(".kp-trick .kp-play")).to_have_count(1)  # what comes later is heard as well
    assert len(sockets) == 1


def test_a_page_whose_board_does_not_come_is_nobody_at_the_table(four: list[Page]) -> None:
    page = four[3]
    page.clock.install()
    board, sockets = reload_without_board(page)
    with sockets[0].expect_event("close"):
        page.clock.run_for(20_000)
    board.continue_()
    at_the_board(page)
    assert len(sockets) == 2
