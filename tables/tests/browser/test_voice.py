"""Talking at a table, in real browsers with a microphone that beeps (CASES 37–39)."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, WebSocketRoute, expect

from conftest import Server, running, whole_chromium
from game.tests.browser import assert_accessible, assert_fits, listen, spoken
from tables.tests import services
from tables.tests.browser.friends import New, open_table
from tables.tests.browser.voices import (
    PATIENCE,
    connected,
    heard,
    join,
    live,
    open_panel,
    seat_talkers,
    talk,
    until_loud,
)


@pytest.fixture(scope="module")
def browser(launch_browser: Callable[..., Browser]) -> Iterator[Browser]:
    browser = launch_browser(executable_path=whole_chromium())
    yield browser
    browser.close()


SHOWN = "p, li"
"""Where the panel's words stand; what was spoken while it is open is kept apart from them."""


def close_panel(page: Page) -> None:
    page.get_by_role("button", name="Back to the table").click()


# ---- quick: one or two people --------------------------------------------------------------------


def test_nothing_is_asked_before_the_button_and_the_page_says_what_others_learn(
    new_person: New, server: Server
) -> None:
    (page,) = seat_talkers(new_person, server.url, 1)
    panel = open_panel(page)
    expect(panel).to_contain_text("can learn your network address (IP)")
    expect(panel).to_contain_text("asks for the microphone when you press “Join voice”")
    expect(panel.get_by_role("button", name="Join voice")).to_be_visible()
    assert_accessible(page, "before the call")
    assert page.evaluate("window.asked") is None
    assert live(page) == (0, 0)
    close_panel(page)
    expect(page.locator(".kp-voice-mine")).to_be_hidden()


def test_two_talk_and_mute_and_leave(new_person: New, server: Server) -> None:
    """CASE 37: connected means that sound was measured; muted means that none comes."""
    aino, toni = pages = seat_talkers(new_person, server.url, 2)
    talk(pages)
    assert aino.evaluate("window.asked.audio.echoCancellation") is True
    until_loud(toni, True)
    assert_accessible(aino, "in the call")
    panel = open_panel(aino)
    panel.get_by_role("button", name="Mute myself").click()
    expect(open_panel(toni)).to_contain_text("connected · muted")
    until_loud(toni, False)
    panel.get_by_role("button", name="Mute myself").click()
    until_loud(toni, True)
    open_panel(toni).get_by_role("button", name="Mute for me").click()
    assert toni.evaluate("[...document.querySelectorAll('audio')].every((one) => one.muted)")
    listen(toni)
    panel.get_by_role("button", name="Leave the call").click()
    expect(panel.get_by_role("button", name="Join voice")).to_be_focused()
    assert live(aino) == (0, 0)
    expect(toni.locator(".kp-voice-person")).to_have_count(1, timeout=PATIENCE)
    toni.wait_for_function("() => window.spoken.join().includes('Aino has left')", timeout=PATIENCE)
    assert "Aino has left the voice call." in spoken(toni)
    assert live(toni) == (1, 0)


def test_a_denied_microphone_has_words_and_a_way_out(new_person: New, server: Server) -> None:
    (page,) = seat_talkers(new_person, server.url, 1, permissions=[])
    panel = join(page)
    expect(panel).to_contain_text("does not let this page use the microphone")
    assert_accessible(page, "the microphone is denied")
    close_panel(page)
    note = page.get_by_role("region", name="Voice")
    expect(note).to_contain_text("does not let this page use the microphone")
    page.context.grant_permissions(["microphone"])
    note.get_by_role("button", name="Try again").click()
    expect(page.locator(".kp-voice-mine")).to_be_visible()
    expect(note).to_be_hidden()
    assert live(page)[0] == 1


@pytest.mark.slow
def test_without_https_the_page_says_so_and_one_may_listen(new_person: New, server: Server) -> None:
    aino, toni = seat_talkers(new_person, server.url, 2)
    toni.add_init_script("Object.defineProperty(window, 'isSecureContext', {value: false})")
    toni.reload()
    panel = open_panel(toni)
    expect(panel).to_contain_text("talking needs https")
    panel.get_by_role("button", name="Only listen").click()
    join(aino)
    connected(aino, 1)
    connected(toni, 1)
    expect(panel).to_contain_text("only listening")
    until_loud(toni, True)
    assert live(toni)[0] == 0
    assert toni.evaluate("window.asked") is None
    expect(panel.get_by_role("button", name="Talk, too")).to_be_hidden()

    # Where it may be asked for, who listens can talk without leaving first.
    panel = open_panel(aino)
    panel.get_by_role("button", name="Leave the call").click()
    panel.get_by_role("button", name="Only listen").click()
    expect(panel).to_contain_text("only listening")
    assert live(aino)[0] == 0
    panel.get_by_role("button", name="Talk, too").click()
    expect(panel.get_by_role("button", name="Mute myself")).to_be_visible()
    assert live(aino)[0] == 1


def test_who_leaves_while_joining_has_no_live_microphone_case_38(
    new_person: New, server: Server
) -> None:
    (page,) = seat_talkers(new_person, server.url, 1)
    page.evaluate("() => { window.gate = new Promise((open) => { window.openGate = open; }); }")
    panel = join(page)
    page.wait_for_function("() => window.tracks.length === 1")
    panel.get_by_role("button", name="Do not join").click()
    page.evaluate("window.openGate()")
    page.wait_for_function("() => window.tracks[0].readyState === 'ended'")
    assert live(page) == (0, 0)
    expect(panel.get_by_role("button", name="Join voice")).to_be_visible()

    def silent(route: WebSocketRoute) -> None:
        route.connect_to_server().on_message(
            lambda text: None if '"joined"' in str(text) else route.send(text)
        )

    page.route_web_socket(re.compile("/socket/"), silent)
    page.reload()
    panel = join(page)
    expect(panel).to_contain_text("joining …")
    panel.get_by_role("button", name="Leave the call").click()
    assert live(page) == (0, 0)


def test_a_table_without_voice_has_none_of_it_case_39(
    new_person: New, server: Server, watch
) -> None:
    watch.expect("microphone is not allowed in this document")
    page = new_person(base_url=server.url, permissions=["microphone"]).new_page()
    open_table(page)
    expect(page.locator(".kp-voice-button")).to_have_count(0)
    refused = page.evaluate(
        "() => navigator.mediaDevices.getUserMedia({audio: true}).then(() => '', (e) => e.name)"
    )
    assert refused == "NotAllowedError"


# ---- slow: four people, and what may go wrong ----------------------------------------------------


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_four_talk_reload_and_are_switched_off(new_person: New, server: Server, watch) -> None:
    """All six pairs are measured, both ways; one loads the page anew; the host ends it all."""
    pages = seat_talkers(new_person, server.url)
    aino, toni, sara, ville = pages
    talk(pages)
    for page in pages:
        for _ in range(20):
            sounds = heard(page)
            if len(sounds) == 3 and all(one["bytes"] > 0 and one["energy"] > 0 for one in sounds):
                break
            page.wait_for_timeout(500)
        else:
            raise AssertionError(f"not everybody is heard: {sounds}")
        close_panel(page)
    assert_fits(toni)
    expect(toni.locator(".kp-hand .kp-card")).to_have_count(6)
    for card in toni.locator(".kp-hand .kp-card").all():
        expect(card).to_be_in_viewport(ratio=1)
    expect(aino.locator(".kp-seat[data-speaking]").first).to_be_visible()
    assert_accessible(toni, "a phone in the call")
    expect(aino.locator(".kp-voice-button")).to_contain_text("4 in the call")

    # Keys: M mutes.
    aino.locator(".kp-board").focus()
    aino.keyboard.press("m")
    expect(aino.locator(".kp-voice-mine")).to_have_attribute("aria-pressed", "true")
    expect(toni.locator(".kp-seat[data-voice=muted]")).to_have_count(1)

    # Sara's page is loaded anew: she is back by herself, muted or not as before.
    sara.reload()
    for page in (aino, toni, ville):
        open_panel(page)
    connected(sara, 3)
    for page in (aino, toni, ville):
        connected(page, 3)
    assert live(sara) == (1, 3)
    until_loud(sara, True)

    # The host switches voice off, for good.
    panel = open_panel(aino)
    panel.get_by_text("Switch voice off for everybody").click()
    expect(panel).to_contain_text("cannot be switched on again")
    panel.get_by_role("button", name="Switch it off for good").click()
    for page in pages:
        expect(page.locator(".kp-voice-button")).to_have_count(0)
        expect(page.locator(".kp-voice-mine")).to_have_count(0)
        assert live(page) == (0, 0)
        expect(page.get_by_role("region", name="Voice")).to_contain_text(
            "Voice has been switched off"
        )
        expect(page.locator("[data-voice]")).to_have_count(0)
    assert_fits(toni)  # also with a word under the bar
    toni.reload()
    toni.locator(".kp-status-what:not(:empty)").wait_for()
    expect(toni.locator(".kp-voice-button")).to_have_count(0)


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_voices_go_on_while_the_server_is_away(new_person: New, tmp_path: Path, watch) -> None:
    watch.expect("WebSocket connection")
    with running(Server(tmp_path)) as server:
        aino, toni = pages = seat_talkers(new_person, server.url, 2)
        talk(pages)
        server.stop()
        expect(aino.locator("#kp-trouble")).to_be_visible()
        until_loud(toni, True)
        server.start()
        expect(aino.locator("#kp-trouble")).to_be_hidden(timeout=PATIENCE)
        expect(toni.locator("#kp-trouble")).to_be_hidden(timeout=PATIENCE)
        until_loud(toni, True)
        for page in pages:
            assert live(page) == (1, 1)
            assert page.evaluate("window.lines.length") == 1, "the same line as before"
            expect(page.locator(".kp-voice-count")).to_have_text("2")
        # Who joins afterwards finds both.
        toni.reload()
        connected(toni, 1)
        connected(aino, 1)


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_push_to_talk_other_devices_and_one_that_is_unplugged(
    new_person: New, server: Server
) -> None:
    aino, toni = pages = seat_talkers(new_person, server.url, 2)
    talk(pages)
    panel = open_panel(aino)
    panel.get_by_label(re.compile("Push to talk")).check()
    until_loud(toni, False)
    close_panel(aino)
    button = aino.get_by_role("button", name="Hold to talk")
    button.hover()
    aino.mouse.down()
    until_loud(toni, True)
    aino.mouse.up()
    until_loud(toni, False)
    panel = open_panel(aino)
    panel.get_by_label(re.compile("Push to talk")).uncheck()
    until_loud(toni, True)
    microphones = panel.get_by_label("Microphone", exact=True)
    microphones.select_option(index=2)
    aino.wait_for_function("() => window.tracks.length === 2")
    aino.wait_for_function("() => window.tracks[0].readyState === 'ended'")
    until_loud(toni, True)
    panel.get_by_label("Speaker").select_option(index=1)
    # It is unplugged: the usual one takes over, and the page says so.
    aino.evaluate(
        "() => { const track = window.tracks.at(-1); track.stop(); "
        "track.dispatchEvent(new Event('ended')); }"
    )
    expect(panel).to_contain_text("Your microphone has gone. This one is used now")
    until_loud(toni, True)
    panel.get_by_role("button", name="All right").click()
    expect(panel.locator(SHOWN, has_text="Your microphone has gone")).to_have_count(0)
    # And then there is none at all.
    aino.evaluate(
        "() => { navigator.mediaDevices.getUserMedia = () => "
        "Promise.reject(new DOMException('', 'NotFoundError')); "
        "const track = window.tracks.at(-1); track.stop(); "
        "track.dispatchEvent(new Event('ended')); }"
    )
    expect(panel).to_contain_text("nobody hears you")
    expect(panel).to_contain_text("only listening")
    connected(toni, 1)


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_browser_that_holds_the_sound_back_is_told_to_tap(
    new_person: New, server: Server
) -> None:
    """CASE 37: the page says who does not hear, on both sides."""
    aino, toni = pages = seat_talkers(new_person, server.url, 2)
    toni.evaluate(
        """() => {
          const play = HTMLMediaElement.prototype.play;
          window.held = true;
          HTMLMediaElement.prototype.play = function () {
            return window.held ? Promise.reject(new DOMException("", "NotAllowedError"))
              : play.call(this);
          };
        }"""
    )
    for page in pages:
        join(page)
    expect(open_panel(toni)).to_contain_text("held back until you tap", timeout=PATIENCE)
    expect(open_panel(aino)).to_contain_text("does not hear you yet", timeout=PATIENCE)
    close_panel(toni)
    note = toni.get_by_role("region", name="Voice")
    expect(note).to_contain_text("holds the voices back")
    assert_accessible(toni, "a word about voice")
    toni.evaluate("window.held = false")
    note.get_by_role("button", name="Tap to hear").click()
    expect(note).to_be_hidden(timeout=PATIENCE)
    open_panel(toni)
    connected(toni, 1)
    expect(open_panel(aino)).not_to_contain_text("does not hear you yet", timeout=PATIENCE)


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_who_cannot_be_reached_is_named_and_found_when_the_way_is_free(
    new_person: New, server: Server
) -> None:
    pages = seat_talkers(new_person, server.url, 2)
    aino = pages[0]
    for page in pages:  # candidates that lead nowhere, for a while
        page.evaluate(
            """() => {
              const add = RTCPeerConnection.prototype.addIceCandidate;
              window.walled = true;
              RTCPeerConnection.prototype.addIceCandidate = function (way) {
                return window.walled ? Promise.resolve() : add.call(this, way);
              };
            }"""
        )
        join(page)
    expect(open_panel(aino)).to_contain_text("No way is found to Toni", timeout=PATIENCE)
    expect(open_panel(aino)).to_contain_text("cannot be reached")
    assert_accessible(aino, "somebody cannot be reached")
    for page in pages:
        page.evaluate("window.walled = false")
    open_panel(aino).get_by_role("button", name="Try again").click()
    for page in pages:
        connected(page, 1)
    expect(open_panel(aino).locator(SHOWN, has_text="No way is found")).to_have_count(0)


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_second_page_of_a_seat_takes_the_call_over(new_person: New, server: Server) -> None:
    aino, toni = pages = seat_talkers(new_person, server.url, 2)
    talk(pages)
    close_panel(aino)
    other = aino.context.new_page()
    other.goto(aino.url)
    other.locator(".kp-lobby-seat").first.wait_for()
    join(other)
    connected(other, 1)
    expect(aino.get_by_role("region", name="Voice")).to_contain_text("goes on in another")
    assert live(aino) == (0, 0)
    connected(toni, 1)


# ---- slow: the relay -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def relayed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A site whose voices go by a relay alone."""
    with services.coturn() as coturn:
        settings = {
            "TABLES_ICE": coturn.url,
            "TABLES_TURN_SECRET": coturn.secret,
            "TABLES_RELAY_ONLY": "1",
        }
        folder = tmp_path_factory.mktemp("relayed")
        with running(Server(folder, **settings)) as server:
            yield server
        assert coturn.secret not in server.log.read_text()


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_four_talk_through_the_relay_alone(new_person: New, relayed: Server) -> None:
    pages = seat_talkers(new_person, relayed.url)
    expect(open_panel(pages[0])).to_contain_text("nobody at the table learns your network address")
    talk(pages)
    for page in pages:
        sounds = heard(page)
        assert [one["way"] for one in sounds] == ["relay"] * 3, sounds
        assert all(one["bytes"] > 0 for one in sounds)
        spoken_of = page.evaluate("() => window.lines.map((line) => line.localDescription.sdp)")
        assert not [sdp for sdp in spoken_of if "typ host" in sdp]


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_one_may_choose_the_relay_for_oneself(new_person: New, tmp_path: Path, watch) -> None:
    watch.expect("WebSocket connection")  # pages outlive their server here
    with services.coturn() as coturn:
        settings = {"TABLES_ICE": coturn.url, "TABLES_TURN_SECRET": coturn.secret}
        with running(Server(tmp_path, **settings)) as server:
            aino, toni = pages = seat_talkers(new_person, server.url, 2)
            open_panel(aino).get_by_label(re.compile("Hide my network address")).check()
            talk(pages)
            assert [one["way"] for one in heard(aino)] == ["relay"]
            told = toni.evaluate("() => window.lines.map((line) => line.remoteDescription.sdp)")
            assert not [sdp for sdp in told if "typ host" in sdp]
