"""Together at the table, in real browsers: chat, presence, coming back, another match."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from conftest import Server
from game.tests.browser import (
    assert_accessible,
    assert_accessible_in_every_look,
    assert_fits,
    assert_golden,
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
    finish_deal,
    finish_match,
    focused,
    from_menu,
    hand,
    leave,
    links,
    new_pages,
    open_table,
    play_one,
    seat_four,
    sit_down,
    told,
    trick_cards,
)

pytestmark = pytest.mark.timeout(300)
"""What moves is tested with the board; here it would only take its time."""
GOLDEN = Path(__file__).with_name("announcements.txt")

SPIES = """
window.tones = 0;
window.sounds = 0;
window.notes = [];
window.locks = [];
const RealContext = AudioContext;
window.AudioContext = class extends RealContext {
  constructor() { super(); window.sounds += 1; }
};
const RealTone = OscillatorNode;
window.OscillatorNode = class extends RealTone {
  start(at) { window.tones += 1; super.start(at); }
};
window.Notification = class extends EventTarget {
  static async requestPermission() { return "granted"; }
  constructor(title, options) { super(); window.notes.push([title, options.body]); }
  close() {}
};
class Lock extends EventTarget {
  released = false;
  async release() { this.released = true; this.dispatchEvent(new Event("release")); }
}
Object.defineProperty(navigator, "wakeLock", { value: {
  async request(kind) {
    const lock = new Lock();
    window.locks.push(lock);
    await new Promise((resolve) => setTimeout(resolve, 50));
    return lock;
  },
} });
"""
HELD_LOCKS = "() => window.locks.filter((one) => !one.released).length"
LINES = """(all) => all.map((line) => [".kp-chat-name", ".kp-chat-side", ".kp-chat-text"]
  .map((part) => line.querySelector(part)?.textContent ?? line.textContent))"""


def field_of(page: Page) -> Locator:
    return page.get_by_label("Write to everybody at the table")


def say(page: Page, text: str) -> None:
    """Say a line in a chat that can be seen."""
    field_of(page).fill(text)
    page.keyboard.press("Enter")


def chat_lines(page: Page) -> list[list[str]]:
    """The lines as the page has them: name, side, text."""
    lines: list[list[str]] = page.eval_on_selector_all(".kp-chat-line", LINES)
    return lines


def people(page: Page) -> Locator:
    """The dialog of the people, opened as a person does."""
    box = page.get_by_role("dialog", name="People at the table")
    from_menu(page, "People and my seat")
    expect(box).to_be_visible()
    return box


def back_to_table(box: Locator) -> None:
    box.get_by_role("button", name="Back to the table").click()
    expect(box).to_be_hidden()


def seat_of(page: Page, name: str) -> Locator:
    """Somebody's seat at the board."""
    return page.locator(".kp-seat").filter(has_text=name)


def person(box: Locator, name: str) -> Locator:
    """Somebody's row in the dialog of the people."""
    return box.locator(".kp-people-person").filter(has_text=name)


def dealer(page: Page) -> str:
    return page.locator(".kp-seat[data-dealer] .kp-seat-name").inner_text()


# ---- chat ----------------------------------------------------------------------------------------


def test_what_is_said_at_the_table(new_person: New, short_server: Server) -> None:
    cables: list[Cable] = []
    pages = seat_four(new_person, short_server.url, prepare=lambda one: cables.append(Cable(one)))
    host, phone, third, fourth = pages
    folded = phone.get_by_role("button", name=re.compile("^Chat"))
    assert_fits(phone)
    assert_accessible_in_every_look(phone, "the board with the chat folded")

    # Everybody reads name and side; folded, the chat counts what is new.
    written = "Hello from <b>Aino</b><img src=x onerror=alert(1)> gnp z\u0351\u0352"
    say(host, written.replace("gnp", "\u202egnp\u202c") + "\u0357\u035b")
    for page in pages:
        expect(page.locator(".kp-chat-text")).to_have_text(written)
        assert chat_lines(page) == [["Aino", "side one", written]]
        assert page.locator(".kp-chat-text img, .kp-chat-text b").count() == 0
        assert page.locator("bdi.kp-chat-text, bdi.kp-chat-name").count() == 2
    expect(folded).to_have_accessible_name("Chat, 1 new line")
    assert_fits(phone)

    # CASE 29: each line once and in order, though one is offline in between.
    cables[2].cut()
    say(host, "two")
    say(third, "said without a network")
    expect(third.locator(".kp-chat-line--unsent")).to_contain_text("Sending")
    expect(folded).to_have_accessible_name("Chat, 2 new lines")
    folded.tap()
    expect(field_of(phone)).to_be_focused()
    expect(folded).to_have_accessible_name("Chat")
    assert_accessible_in_every_look(phone, "the chat open on a phone")
    say(phone, "three")
    expect(host.locator(".kp-chat-line")).to_have_count(3)
    assert len(chat_lines(third)) == 2
    cables[2].mend()
    for page in pages:
        expect(page.locator(".kp-chat-line:not(.kp-chat-line--unsent)")).to_have_count(4)
        assert chat_lines(page)[1:] == [
            ["Aino", "side one", "two"],
            ["Toni", "side two", "three"],
            ["Sara", "side one", "said without a network"],
        ]
    phone.get_by_role("button", name="Close the chat").tap()
    expect(folded).to_be_focused()

    # CASE 28: what is a key at the table is a letter in the chat; elsewhere C opens the chat.
    seat = find(pages, "me")
    page = pages[seat]
    page.locator(".kp-board").focus()
    page.keyboard.press("c")
    expect(field_of(page)).to_be_focused()
    page.keyboard.type("dark 1 dlsc?")
    assert page.locator("dialog[open], .kp-last:not([hidden]), .kp-part--refused").count() == 0
    page.keyboard.press("Enter")
    for one in pages:
        expect(one.locator(".kp-chat-line").last).to_contain_text("dark 1 dlsc?")
        assert trick_cards(one) == []
    if page in (phone, fourth):
        page.keyboard.press("Escape")
        expect(page.get_by_role("button", name=re.compile("^Chat"))).to_be_focused()

    # Who writes very fast is told so, and nothing of what was written is lost.
    texts = [f"fast {number}" for number in range(12)]
    third.evaluate(
        """(texts) => {
          const field = document.getElementById("kp-chat-field");
          for (const text of texts) { field.value = text; field.form.requestSubmit(); }
        }""",
        texts,
    )
    expect(third.locator("#kp-chat .kp-chat-problem")).to_contain_text("You are writing very fast.")
    expect(third.locator("#kp-alert")).to_contain_text("You are writing very fast.")
    expect(third.locator(".kp-chat-line--unsent")).to_have_count(0)
    said = [text for _, _, text in chat_lines(third) if text.startswith("fast")]
    returned = re.findall(r"fast \d+", field_of(third).input_value())
    expect(third.locator(".kp-chat-line").last).to_be_in_viewport()
    assert returned
    assert sorted(said + returned) == sorted(texts)
    assert_accessible_in_every_look(third, "the chat beside the table")

    # CASE 30: one of us is muted, for the one who wants it and across a reload.
    box = people(phone)
    row = person(box, "Sara")
    row.get_by_role("button", name="Mute for me (Sara)").click()
    expect(row.get_by_role("button", name="Mute for me (Sara)")).to_have_attribute(
        "aria-pressed", "true"
    )
    assert_accessible_in_every_look(phone, "the people")
    back_to_table(box)
    phone.reload()
    at_the_board(phone)
    muted = phone.locator(".kp-chat-line", has_text="A line by Sara, whom you have muted.")
    expect(muted).to_have_count(sum(name == "Sara" for name, _, _ in chat_lines(third)))
    assert not any("fast" in text for _, _, text in chat_lines(phone))
    assert host.locator(".kp-chat-line", has_text="fast").count() == len(said)
    box = people(phone)
    person(box, "Sara").get_by_role("button", name="Mute for me").click()
    expect(muted).to_have_count(0)


# ---- attention -----------------------------------------------------------------------------------


def with_spies(page: Page) -> None:
    page.add_init_script(SPIES)


@pytest.mark.slow
def test_whose_turn_it_is_calls(new_person: New, server: Server) -> None:
    """Title, bell, notification, a screen that stays awake; and the count, closed once."""
    pages = seat_four(new_person, server.url, prepare=with_spies)
    host = pages[0]
    for page in pages:
        page.wait_for_function("() => window.locks.length === 1")
    seat = find(pages, "me")
    for index, page in enumerate(pages):
        mine = "● Your turn · " if index == seat else ""
        expect(page).to_have_title(f"{mine}Ristikontra with friends · Korttipöytä")

    # The bell rings for who wants it only, and only when a turn begins.
    following = [pages[(seat + step) % 4] for step in range(1, 4)]
    one, two, three = following
    for page in (one, three):
        settings = open_settings(page)
        expect(settings.get_by_label("None")).to_be_checked()
        settings.get_by_label("A bell when it is my turn").check()
        assert page.evaluate("window.tones") == 2  # it sounds once, to be heard and allowed
        settings.get_by_role("button", name="Back to the table").click()
    play_one(pages)
    expect(one).to_have_title(re.compile("^● Your turn"))
    one.wait_for_function("() => window.tones === 4")
    expect(pages[seat]).not_to_have_title(re.compile("Your turn"))

    # "Back in a minute" is seen by all, and over when its owner plays.
    box = people(one)
    box.get_by_role("button", name="I am back in a minute").click()
    expect(box.get_by_role("button", name="I am back in a minute")).to_have_attribute(
        "aria-pressed", "true"
    )
    back_to_table(box)
    for page in pages:
        if page is not one:
            expect(page.locator(".kp-seat[data-absent]")).to_contain_text("back in a minute")
    playable(one).first.click()
    for page in pages:
        expect(page.locator(".kp-seat[data-absent]")).to_have_count(0)
    expect(two).to_have_title(re.compile("^● Your turn"))
    assert [page.evaluate("window.sounds") for page in (two, pages[seat])] == [0, 0]
    assert three.evaluate("window.tones") == 2

    # A notification where a computer's page is hidden; phones are not offered one.
    assert pages[1].get_by_label("Notify me").is_hidden()
    wants = next(page for page in (three, pages[seat]) if page is not pages[1])
    box = open_settings(wants).get_by_label("Notify me when it is my turn")
    expect(box).not_to_be_checked()
    box.check()
    wants.get_by_role("button", name="Back to the table").click()
    wants.evaluate(
        "Object.defineProperty(document, 'hidden', {get: () => true, configurable: true})"
    )
    while (seat := find(pages, "me")) != pages.index(wants):
        playable(pages[seat]).first.click()
    assert wants.evaluate("window.notes") == [
        ["Your turn", "Ristikontra with friends · Korttipöytä"]
    ]
    wants.evaluate("delete document.hidden")

    # The count stays closed after one closing, though another has dealt on.
    finish_deal(pages)
    host.get_by_role("button", name="Next deal").click()
    for page in pages[1:]:
        expect(page.get_by_role("button", name="To the table")).to_be_focused()
        page.keyboard.press("Enter")
        expect(page.locator("dialog[open]")).to_have_count(0)
        assert focused(page) != ""
    for _ in range(5):
        play_one(pages)
    for page in pages:
        expect(page.locator(".kp-progress")).to_contain_text("Deal 2 · trick 2")
        expect(page.locator("dialog[open]")).to_have_count(0)
    pages[2].reload()
    at_the_board(pages[2])
    expect(pages[2].locator("dialog[open]")).to_have_count(0)

    # The screen is kept awake while there is a match, by one lock, and no longer.
    for page in (host, pages[1]):
        assert page.evaluate(HELD_LOCKS) == 1
        assert page.evaluate("window.locks.length") == 1
    leave(pages[3])
    for page in pages[:3]:
        page.wait_for_function("() => window.locks.every((one) => one.released)")
        expect(page).to_have_title("Ristikontra with friends · Korttipöytä")


# ---- one's own seat elsewhere, and a seat that is lost -------------------------------------------


@pytest.mark.slow
def test_a_seat_goes_elsewhere_and_is_given_up(
    new_person: New, short_server: Server, watch
) -> None:
    watch.expect("Failed to load resource")
    pages = seat_four(new_person, short_server.url)
    host, phone, third, fourth = pages
    play_one(pages)

    # CASE 3: its holder alone has the way back, as a link and as a picture.
    box = people(fourth)
    box.get_by_text("My seat on another device").click()
    link = box.get_by_label("My return link").input_value()
    picture = box.get_by_alt_text("QR code of my return link")
    expect(picture).to_be_visible()
    assert_accessible(fourth, "my return link")
    address = str(picture.get_attribute("src"))
    assert fourth.request.get(address).headers["content-type"] == "image/svg+xml"
    for page in (host, phone, third):
        assert page.request.get(f"{short_server.url}{address}").status == 404
    back_to_table(box)
    cards, trick = hand(fourth), trick_cards(fourth)

    elsewhere = new_person(viewport={"width": 360, "height": 640}).new_page()
    elsewhere.goto(link)
    expect(elsewhere.get_by_role("heading", level=1)).to_have_text("Take your seat here?")
    assert_accessible_in_every_look(elsewhere, "a return link")
    expect(fourth.locator("dialog[open]")).to_have_count(0)  # looking has moved nothing
    elsewhere.get_by_role("button", name="Take my seat here").click()
    at_the_board(elsewhere)
    assert hand(elsewhere) == cards
    assert trick_cards(elsewhere) == trick
    gone = fourth.get_by_role("dialog", name="You are not at this table any more")
    expect(gone).to_have_accessible_description(re.compile("^Your seat has moved to another"))
    assert_accessible(fourth, "the seat has moved")
    pages[3] = elsewhere
    while find(pages, "me") != 3:
        play_one(pages)
    fourth.evaluate(
        "() => document.querySelectorAll('.kp-hand .kp-card').forEach((c) => c.click())"
    )
    before, lying = told(elsewhere), len(trick_cards(elsewhere)) % 4  # a full trick is swept away
    fourth.reload()
    expect(fourth.get_by_role("heading", level=1)).to_contain_text("do not have a seat")
    assert hand(elsewhere) == cards
    assert told(elsewhere) == before
    playable(elsewhere).first.click()
    for page in pages:
        expect(page.locator(".kp-trick .kp-play")).to_have_count(lying + 1)
    fourth.goto(link)
    expect(fourth.get_by_role("heading", level=1)).to_contain_text("return link has been used")
    assert_accessible(fourth, "a used return link")
    host.goto(link)  # and who sits here has a seat already
    expect(host.get_by_role("link", name="Back to your table")).to_be_visible()
    host.get_by_role("link", name="Back to your table").click()
    at_the_board(host)

    # A seat that is here cannot be given up; one that is away can, when all the others agree.
    name = "Guest 3"
    box = people(host)
    expect(person(box, name)).to_contain_text("here")
    assert box.get_by_role("button", name="I agree to a new invite").count() == 0
    cards = hand(elsewhere)
    elsewhere.context.close()
    agree = box.get_by_role("button", name=f"I agree to a new invite ({name})")
    agree.click()
    expect(agree).to_have_attribute("aria-pressed", "true")
    expect(person(box, name)).to_contain_text("For a new invite: Aino.")
    assert_accessible(host, "a seat to be given up")
    expect(phone.locator("#kp-polite")).to_contain_text("Aino agrees to a new invite")
    for page in (phone, third):
        assert box.get_by_label("Link for Guest 3").count() == 0
        other = people(page)
        mine = other.get_by_role("button", name=f"I agree to a new invite ({name})")
        mine.click()
        expect(mine.and_(other.locator("[aria-pressed=false]"))).to_have_count(0)
        back_to_table(other)
    expect(box.get_by_label("Link for Guest 3")).to_be_visible()
    assert_accessible(host, "a new invite for a lost seat")
    invite = box.get_by_label("Link for Guest 3").input_value()
    back_to_table(box)
    assert people(phone).get_by_label("Link for Guest 3").count() == 0
    back_to_table(phone.get_by_role("dialog", name="People at the table"))
    newcomer = new_person().new_page()
    sit_down(newcomer, invite, "Väinö")
    at_the_board(newcomer)
    assert hand(newcomer) == cards
    pages[3] = newcomer
    for page in pages:
        texts = [text for _, _, text in chat_lines(page)]
        assert texts[0].startswith("The seat of Guest 3 was given up.")
        assert texts[1:] == ["Väinö has sat down."]
    play_one(pages)


# ---- the match ends, and another begins ----------------------------------------------------------


def heard(page: Page, until: str) -> list[str]:
    """The sentences spoken since the last call, once these words have been."""
    page.wait_for_function("(words) => window.spoken.join(' ').includes(words)", arg=until)
    texts: list[str] = page.evaluate("window.spoken.splice(0)")
    return re.split(r"(?<=[.!]) +", " ".join(texts).replace("\u00a0", ""))


@pytest.mark.slow
def test_the_match_ends_and_another_begins(
    new_person: New, short_server: Server, update_golden: bool
) -> None:
    pages = seat_four(new_person, short_server.url)
    host, phone, third, fourth = pages
    listen(host)
    golden: list[str] = []

    # Said, gone, come back, renamed: heard by a reader, and seen.
    phone.get_by_role("button", name=re.compile("^Chat")).tap()
    say(phone, "Good luck!")
    expect(host.locator(".kp-chat-line")).to_have_count(1)
    say(third, "And to you")
    golden += heard(host, "And to you")
    phone.get_by_role("button", name="Close the chat").tap()
    address, context = fourth.url, fourth.context
    fourth.close()
    expect(seat_of(host, "Guest 3")).to_contain_text("away")
    golden += heard(host, "away")
    assert_fits(phone)
    fourth = pages[3] = context.new_page()
    fourth.goto(address)
    expect(seat_of(host, "Guest 3")).not_to_contain_text("away")
    golden += heard(host, "back")
    box = people(fourth)
    name = box.get_by_label("My name")
    name.fill("\u0410ino")  # its first letter is Cyrillic
    name.press("Enter")
    expect(box).to_contain_text("a name that looks the same")
    assert_accessible(fourth, "a name that looks the same")
    name.fill("Väinö")
    box.get_by_role("button", name="Change").click()
    expect(person(box, "Väinö")).to_contain_text("you")
    expect(box).not_to_contain_text("a name that looks the same")
    back_to_table(box)
    for page in pages[:3]:
        expect(seat_of(page, "Väinö")).to_be_visible()
    golden += heard(host, "Väinö")

    # The result, and what comes after it.
    finish_match(pages)
    results = [page.locator(".kp-count-title").inner_text() for page in pages]
    assert results[0] == results[2]
    assert {result.split()[2] for result in results[:2]} == {"won", "lost"}
    assert_accessible(host, "the result")
    for page in pages:
        page.get_by_role("button", name="Look at the table").click()
        expect(page.locator(".kp-again-words")).to_have_text(results[pages.index(page)])
        assert page.locator(".kp-again-past").is_hidden()
    assert_fits(phone)
    assert_accessible_in_every_look(host, "after the match")
    assert_accessible(phone, "after the match on a phone")
    names = ["You", "Toni", "Sara", "Väinö"]
    dealt = names.index(dealer(host))
    host.evaluate("window.spoken.splice(0)")
    yes = "Again with the same seats"
    for page in pages[1:]:
        page.get_by_role("button", name=yes).click()
        expect(page.get_by_role("button", name=yes)).to_have_attribute("aria-pressed", "true")
    expect(host.locator(".kp-again-votes")).to_have_text(
        "Toni, Sara, Väinö say yes. Still to say yes: Aino."
    )
    host.get_by_role("button", name=yes).click()
    for page in pages:
        expect(page.locator(".kp-progress")).to_contain_text("Deal 1 · trick 1")
        expect(page.locator("#kp-again")).to_be_hidden()
        assert len(hand(page)) == 6
    assert dealer(host) == names[(dealt + 1) % 4]
    assert host.evaluate("document.activeElement.closest('.kp-hand') !== null")
    golden += [
        text for text in heard(host, " dealt.") if text.startswith("Another") or "yes" in text
    ]
    assert_golden(GOLDEN, "\n".join(golden) + "\n", update_golden)

    # Earlier results stay; a seat that is missing gets a new invite.
    leave(fourth)
    for page in pages[:3]:
        page.get_by_role("dialog", name="The match is a draw").get_by_role(
            "button", name="Look at the table"
        ).click()
        page.get_by_text("Earlier matches at this table").click()
        earlier = page.locator(".kp-again-earlier li")
        expect(earlier).to_have_text([f"{results[pages.index(page)]} Record"])
        page.get_by_role("button", name=yes).click()
    give = host.get_by_role("button", name="Väinö is away: give the seat a new invite")
    expect(give).to_be_visible()
    assert_accessible(host, "a missing seat after the match")
    give.click()
    for page in pages[:3]:
        expect(page.locator(".kp-lobby-seat").nth(3)).to_contain_text("empty")
    assert_accessible(host, "waiting for another match")
    newcomer = new_person().new_page()
    host.locator(".kp-lobby-invite .kp-input").wait_for()
    sit_down(newcomer, links(host)[0], "Pekka")
    pages[3] = newcomer
    for page in pages:
        expect(page.locator(".kp-progress")).to_contain_text("Deal 1 · trick 1")
        assert len(hand(page)) == 6
    assert dealer(host) == ["You", "Toni", "Sara", "Pekka"][(dealt + 2) % 4]
    play_one(pages)


# ---- before the first deal -----------------------------------------------------------------------


def test_the_lobby_becomes_the_board(new_person: New, short_server: Server) -> None:
    pages = new_pages(new_person, short_server.url, with_spies)
    host, first, second, third = pages
    invites = open_table(host)
    rows = host.locator(".kp-lobby-seat")
    listen(host)

    # The focus stays in the row whose seat is claimed.
    host.get_by_role("button", name="New link (Guest 1)").focus()
    sit_down(first, invites[0], "Toni")
    expect(rows.nth(1)).to_contain_text("Toni")
    assert host.evaluate("document.activeElement.closest('.kp-lobby-seat') !== null")
    assert focused(host) == "Free this seat (Toni)"
    assert_accessible_in_every_look(host, "a lobby")
    assert_accessible(first, "a lobby on a phone")
    say(host, "We wait for Sara")
    expect(first.get_by_role("button", name="Chat, 1 new line")).to_be_visible()

    # Who goes away is away there too.
    first.goto("about:blank")
    expect(rows.nth(1)).to_contain_text("away")
    first.go_back()
    expect(rows.nth(1)).not_to_contain_text("away")

    sit_down(second, invites[1], "Sara")
    expect(rows.nth(2)).to_contain_text("Sara")
    assert host.evaluate("window.locks.length") == 0

    # Somebody is about to leave when the match begins: the question closes, and says why.
    from_menu(first, "Leave the table")
    question = first.get_by_role("dialog", name="Leave the table?")
    expect(question).to_contain_text("Your seat becomes free")
    host.get_by_role("button", name="Copy (Guest 3)").focus()
    sit_down(third, invites[2])
    expect(question).to_be_hidden()
    expect(first.locator("#kp-alert")).to_contain_text("Leaving now does something else")
    for page in pages:
        at_the_board(page)
        page.wait_for_function("() => window.locks.length === 1")
    assert host.evaluate("document.activeElement.closest('.kp-hand') !== null")
    assert len(hand(first)) == 6
    play_one(pages)

    # Who comes for the first time has sat down, also the last; only who was away is back.
    host.wait_for_function("() => window.spoken.join().includes('Guest 3 has sat down.')")
    texts = spoken(host)
    for name in ("Toni", "Sara", "Guest 3"):
        assert f"{name} has sat down." in texts
        assert (f"{name} is back." in texts) == (name == "Toni")


def test_a_new_link_pressed_late_puts_nobody_out(
    new_person: New, short_server: Server, watch
) -> None:
    """On a page that does not know yet who has just sat down."""
    watch.expect("409 (Conflict)")
    host, guest = (new_person(base_url=short_server.url).new_page() for _ in range(2))
    cable = Cable(host)
    invite = open_table(host)[1]
    cable.cut()
    sit_down(guest, invite, "Sara")
    guest.locator(".kp-lobby-seat").first.wait_for()
    with host.expect_response("**/renew/") as answer:
        host.get_by_role("button", name="New link (Guest 2)").click()
    assert answer.value.status == 409
    expect(host.locator("#kp-alert")).to_contain_text("The table has changed meanwhile.")
    cable.mend()
    expect(host.locator(".kp-lobby-seat").nth(2)).to_contain_text("Sara")
    assert guest.locator("dialog[open]").count() == 0


def test_the_ninth_tab_closes_the_oldest(new_person: New, short_server: Server) -> None:
    """And the oldest stays closed, instead of pushing the next one out."""
    context: BrowserContext = new_person(base_url=short_server.url)
    tabs = [context.new_page()]
    open_table(tabs[0])
    for _ in range(8):
        tabs.append(context.new_page())
        tabs[-1].goto(tabs[0].url)
        tabs[-1].locator(".kp-lobby-seat").first.wait_for()
    box = tabs[0].get_by_role("dialog", name="Open in too many tabs")
    expect(box).to_contain_text("Go on in another one")
    assert_accessible(tabs[0], "too many tabs")
    tabs[0].evaluate("dispatchEvent(new Event('online'))")
    say(tabs[8], "Still here")
    for tab in tabs[1:]:
        expect(tab.locator(".kp-chat-line")).to_contain_text("Still here")
        assert tab.locator("dialog[open]").count() == 0
    assert tabs[0].locator(".kp-chat-line").count() == 0
    expect(box).to_be_visible()
