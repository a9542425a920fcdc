"""The computer table for every body: keyboard, screen reader, contrast, any screen."""

import random
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from bots.tests.browser.conftest import Open, new_sheet
from bots.tests.browser.test_computer_table import BARRED, BARRED_PLAYS, match_over
from game.tests.browser import (
    assert_accessible,
    assert_fits,
    awaited,
    listen,
    open_settings,
    playable,
    prompted,
    spoken,
)
from game.tests.deals import find_deal, shuffled, stack

GOLDEN = Path(__file__).with_name("announcements.txt")


def focused(page: Page) -> str:
    """The accessible name of what has the focus; empty when nothing has."""
    return str(
        page.evaluate(
            "document.activeElement === document.body ? '' :"
            " document.activeElement.getAttribute('aria-label')"
            " ?? document.activeElement.textContent"
        )
    )


def to_hand(page: Page) -> None:
    """Go to the hand as a keyboard user does, and on to its first card."""
    for _ in range(9):
        if page.evaluate("document.activeElement.closest('.kp-hand') !== null"):
            break
        page.keyboard.press("Tab")
    page.keyboard.press("Home")


# --- Keyboard ---------------------------------------------------------------------------------


def test_a_match_by_keyboard_alone(page: Page, open_table: Open) -> None:
    open_table(page, sheet=new_sheet(3, (6, 6)))
    to_hand(page)
    for number in range(200):
        if awaited(page) == "dialog":
            if match_over(page):
                break
            page.keyboard.press("Enter")
            continue
        if number % 5 == 4 and playable(page).count():
            page.keyboard.press("d")
            if page.locator(".kp-part--refused").count() == 0:
                continue
        for _ in range(7):
            if page.evaluate("document.activeElement.getAttribute('aria-disabled')") is None:
                break
            page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter" if number % 2 else " ")
    assert match_over(page)
    assert focused(page) == "Play again"
    page.keyboard.press("Enter")
    expect(page.locator(".kp-progress")).to_contain_text("Deal 1")


def test_the_hand_is_one_tab_stop_with_arrows(page: Page, open_table: Open) -> None:
    open_table(page, sheet=new_sheet(3))
    cards = page.locator(".kp-hand .kp-card")
    names = [cards.nth(at).get_attribute("aria-label") for at in range(6)]
    to_hand(page)
    assert focused(page) == names[0]
    page.keyboard.press("ArrowLeft")
    assert focused(page) == names[5]
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    assert focused(page) == names[1]
    page.keyboard.press("End")
    assert focused(page) == names[5]
    page.keyboard.press("4")
    assert focused(page) == names[3]
    page.keyboard.press("Tab")
    assert focused(page) == "Play in the dark"
    page.keyboard.press("Shift+Tab")
    assert focused(page) == names[3]


def test_tab_goes_through_the_page_in_reading_order(page: Page, open_table: Open) -> None:
    open_table(page, sheet=new_sheet(3))
    page.get_by_role("button", name="Score").focus()
    order = [focused(page)]
    for _ in range(9):
        page.keyboard.press("Tab")
        order.append(focused(page).strip())
    order[0] = " ".join(order[0].split())
    first_card = page.locator(".kp-hand [tabindex='0']").get_attribute("aria-label")
    assert order == [
        "Score: We 0 They 0 +0 held",
        "?Keys and commands",
        "Settings",
        "Menu",
        first_card,
        "Play in the dark",
        "Last trick",
        "Pause",
        "",  # the command field, which has a label
        "",  # and out of the page
    ]


HAND = """(cards) => [
  cards.map((card) => card.getAttribute("aria-label")),
  cards.map((card) => card.hasAttribute("aria-disabled")),
]"""


@pytest.mark.slow
def test_the_focus_is_never_lost_over_a_hundred_plays(page: Page, open_table: Open) -> None:
    rng = random.Random(5)
    open_table(page, sheet=new_sheet(3))
    to_hand(page)
    plays = 0
    while plays < 100:
        if awaited(page) == "dialog":
            assert focused(page) in ("Next deal", "Play again")
            page.keyboard.press("Enter")
            expect(page.locator("dialog[open]")).to_have_count(0)
            again = awaited(page)
            assert again == "me", page.locator("dialog[open]").inner_text()
            assert focused(page) != ""
            continue
        names, barred = page.locator(".kp-hand .kp-card").evaluate_all(HAND)
        at = rng.choice([at for at in range(len(names)) if not barred[at]])
        page.keyboard.press(str(at + 1))
        assert focused(page) == names[at]
        page.keyboard.press("Enter")
        plays += 1
        kept = [name for name in names if name != names[at]]
        if awaited(page) == "me":
            # The neighbour has it: not a card just drawn, and no play of others took it away.
            neighbour = kept[min(at, len(kept) - 1)]
            assert focused(page).split(",")[0] == str(neighbour).split(",")[0]


def test_keys_can_be_switched_off_and_do_nothing_while_typing(page: Page, open_table: Open) -> None:
    open_table(page, sheet=new_sheet(3))
    field = page.get_by_label("Command", exact=True)
    field.focus()
    page.keyboard.type("dl1p")
    assert field.input_value() == "dl1p"
    expect(page.locator(".kp-trick .kp-play")).to_have_count(0)
    settings = open_settings(page)
    settings.get_by_role("checkbox", name="Single keys").uncheck()
    settings.get_by_role("button", name="Back to the table").click()
    playable(page).first.focus()
    page.keyboard.press("d")
    page.keyboard.press("p")
    expect(page.locator(".kp-trick .kp-play")).to_have_count(0)
    expect(page.get_by_role("button", name="Pause")).to_have_attribute("aria-pressed", "false")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("d")
    expect(page.locator(".kp-trick .kp-play")).to_have_count(0)


def test_dialogs_give_the_focus_back(page: Page, open_table: Open) -> None:
    open_table(page, sheet=new_sheet(3))
    to_hand(page)
    page.keyboard.press("3")
    card = focused(page)
    for key, title in (("?", "Keys and commands"), ("s", "Score")):
        page.keyboard.press(key)
        expect(page.get_by_role("dialog", name=title)).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)
        assert focused(page) == card


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        ("hand", "seven of clubs, seven of diamonds, seven of hearts, seven of spades, king of"),
        ("trick", "No card has been played to this trick."),
        ("last", "You: seven of hearts. West: four of clubs."),
        ("stock", "16 cards in the stock."),
        ("piles", "Cards in our pile: 12. In their pile: 0."),
        ("score", "Score: you 0, they 0."),
        ("turn", "Your turn: you lead. Sevens may not be led now"),
        ("7s", "Sevens may not be led now"),
        ("dark", "No dark lead while sevens are barred"),
        ("2c", "That card is not in your hand."),
        ("xyzzy", "There is no command “xyzzy”."),
    ],
)
def test_the_command_field_answers(page: Page, open_table: Open, command: str, answer: str) -> None:
    if command == "hand":
        open_table(page, sheet=new_sheet(3), pack=list(stack(BARRED)))
    else:
        open_table(page, sheet=new_sheet(3), pack=list(stack(BARRED)), plays=BARRED_PLAYS)
    page.get_by_label("Command", exact=True).fill(command)
    page.keyboard.press("Enter")
    expect(page.locator("output[for=kp-command]")).to_contain_text(answer)


def test_the_command_field_plays(page: Page, open_table: Open) -> None:
    pack = list(stack({0: "TC 3C 4C 5C 6C 8C"}))
    open_table(page, pace="slow", sheet=new_sheet(3), pack=pack)
    page.get_by_label("Command", exact=True).fill("10c")
    page.keyboard.press("Enter")
    expect(page.locator(".kp-trick").get_by_role("img", name="ten of clubs")).to_be_visible()
    assert page.evaluate("document.activeElement.id") == "kp-command"


# --- Screen reader ----------------------------------------------------------------------------


def test_a_match_by_the_accessibility_tree_alone(page: Page, open_table: Open) -> None:
    """Roles and names only: what a screen reader offers is enough to play."""
    open_table(page, sheet=new_sheet(3, (6, 6)))
    hand = page.get_by_role("toolbar", name="Your hand")
    again = page.get_by_role("button", name="Play again")
    following = page.get_by_role("button", name="Next deal")
    for name in ("Turn", "Players", "Trick", "Piles", "Your hand", "Stock", "Last trick", "Score"):
        expect(page.get_by_role("heading", level=2, name=name, exact=True)).to_have_count(1)
    expect(page.get_by_role("heading", level=1)).to_have_text("Ristikontra")
    while True:
        mine = hand.get_by_role("button", disabled=False)
        expect(mine.or_(again).or_(following).first).to_be_visible()
        if again.is_visible():
            break
        if following.is_visible():
            following.click()
            expect(following).to_be_hidden()
            continue
        mine.first.click()
        expect(
            hand.get_by_role("button", disabled=False).or_(page.get_by_role("dialog")).first
        ).to_be_visible()
    dialog = page.get_by_role("dialog", name="The result")
    expect(dialog.get_by_role("table", name="What each pile held")).to_be_visible()
    expect(dialog.get_by_role("row", name=re.compile("^Aces"))).to_be_visible()


def test_announcements_of_a_whole_deal(page: Page, open_table: Open, update_golden: bool) -> None:
    rng = random.Random(20)
    open_table(page, sheet=new_sheet(3), pack=list(shuffled(rng)))
    listen(page)
    page.get_by_label("Command", exact=True).focus()  # wherever the focus is, it is spoken
    said: int | None = None
    while awaited(page) == "me":
        said = prompted(page, said)
        codes = [one.get_attribute("data-code") for one in playable(page).all()]
        dark = page.get_by_role("button", name="Play in the dark")
        if rng.random() < 0.2 and not dark.get_attribute("aria-disabled"):
            dark.click()
        else:
            page.locator(f".kp-hand [data-code='{rng.choice(codes)}']").click()
    described = page.get_by_role("dialog").get_attribute("aria-describedby")
    page.wait_for_function("() => window.spoken.join(' ').match(/takes? the trick/g).length === 13")
    texts = [page.locator(f"#{one}").text_content() or "" for one in str(described).split()]
    text = " ".join([spoken(page), *texts])
    text = text[text.index("You: ") :]  # the opening may be said before it is listened to
    text = re.sub(r"(?<=[.!]) (?=\S)", "\n", text.replace("\u00a0", "")) + "\n"
    if update_golden:
        GOLDEN.write_text(text, encoding="utf-8")
    assert text == GOLDEN.read_text(encoding="utf-8")


def test_the_same_rank_twice_is_spoken_twice(page: Page, open_table: Open) -> None:
    open_table(page, sheet=new_sheet(3))
    listen(page)
    to_hand(page)
    for said in (1, 2, 3):
        page.keyboard.press("l")
        answers = "window.spoken.filter((text) => text.startsWith('No trick'))"
        page.wait_for_function(f"() => {answers}.length === {said}")
    assert page.evaluate(answers) == ["No trick has been taken in this deal yet."] * 3


def test_what_is_said_too_late_is_not_said(page: Page, open_table: Open) -> None:
    open_table(page, sheet=new_sheet(3))
    page.evaluate(
        """async () => {
          const modules = [...document.querySelectorAll("link[rel=modulepreload]")];
          const { announcer } = await import(modules.find((one) => /announce/.test(one.href)).href);
          window.told = [];
          const region = { set textContent(text) { window.told.push(text); } };
          const speak = announcer(region, region);
          for (const text of ["West: two of clubs.", "Your turn.", "Once more to play it."]) {
            speak.polite(text);
          }
          speak.forget("Your turn.");
          speak.forget("Your turn.");
        }"""
    )
    page.wait_for_function("() => window.told.length === 2")
    assert page.evaluate("window.told") == ["West: two of clubs.", "Once more to play it."]


def test_there_is_no_running_log(page: Page, open_table: Open) -> None:
    open_table(page, sheet=new_sheet(3))
    for _ in range(4):
        assert awaited(page) == "me"
        playable(page).first.click()
    assert awaited(page) == "me"
    assert page.locator("[role=log]").count() == 0
    assert len(page.locator("#kp-polite").inner_text()) < 400


# --- Eyes -------------------------------------------------------------------------------------

LOOKS = {
    "normal": {},
    "contrast": {"contrast": "more"},
    "forced": {"forced_colors": "active"},
    "dark": {"color_scheme": "dark"},
}


@pytest.mark.slow
@pytest.mark.parametrize("look", LOOKS)
def test_every_look_of_every_state_is_accessible(new_person, open_table: Open, look: str) -> None:
    page = new_person(**LOOKS[look]).new_page()
    for address in ("/", "/games/ristikontra/"):
        page.goto(address)
        assert_accessible(page, address)
    open_table(page, sheet=new_sheet(3), pack=list(stack(BARRED)), plays=BARRED_PLAYS)
    if look == "contrast":
        expect(page.locator(".kp")).to_have_class(re.compile("kp-contrast"))
    assert_accessible(page, "a rank barred")
    page.get_by_role("button", name="Last trick").click()
    assert_accessible(page, "last trick")
    page.get_by_role("button", name="Menu").click()
    assert_accessible(page, "menu")
    page.get_by_role("dialog").get_by_role("button", name="Keys and commands").click()
    assert_accessible(page, "help")
    pack, plays = find_deal(3, 60)
    open_table(page, sheet=new_sheet(3), pack=list(pack), plays=list(plays))
    assert_accessible(page, "count")
    page.get_by_role("button", name="Look at the table").click()
    expect(page.get_by_role("button", name="Show the count")).to_be_focused()
    page.get_by_label("Command", exact=True).focus()
    assert_accessible(page, "command field")


CONTRAST = """() => {
  const low = [];
  const parse = (text) => (text.match(/[\\d.]+/g) ?? []).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((c) => c / 255)
    .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const table = parse(getComputedStyle(document.querySelector(".kp"))
    .getPropertyValue("--table-light").replace(/#(..)(..)(..)/, (m, r, g, b) =>
      [r, g, b].map((x) => parseInt(x, 16)).join(" ")));
  for (const element of document.querySelectorAll(".kp *")) {
    const text = [...element.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
    const skipped = ".kp-sr, .kp-card, script";
    if (!text || !element.checkVisibility() || element.closest(skipped)) continue;
    let ground = table;
    for (let up = element; up; up = up.parentElement) {
      const colour = parse(getComputedStyle(up).backgroundColor);
      if (colour.length === 3) { ground = colour; break; }
    }
    const style = getComputedStyle(element);
    const [one, two] = [light(parse(style.color)), light(ground)];
    const ratio = (Math.max(one, two) + 0.05) / (Math.min(one, two) + 0.05);
    if (ratio < 7) low.push(`${element.className} ${ratio.toFixed(1)} ${element.textContent}`);
  }
  return low;
}"""


def test_high_contrast_is_seven_to_one_everywhere(new_person, open_table: Open) -> None:
    page = new_person(contrast="more").new_page()
    for address in ("/", "/games/ristikontra/"):
        page.goto(address)
        low = page.evaluate(CONTRAST)
        assert low == [], address
    open_table(page, sheet=new_sheet(3), pack=list(stack(BARRED)), plays=BARRED_PLAYS)
    assert page.evaluate(CONTRAST) == []
    page.get_by_role("button", name="Last trick").click()
    page.get_by_role("button", name="Menu").click()
    assert page.evaluate(CONTRAST) == []
    pack, plays = find_deal(3, 60)
    open_table(page, sheet=new_sheet(3), pack=list(pack), plays=list(plays))
    assert page.evaluate(CONTRAST) == []


OVERLAPS = """() => {
          const parts = [...document.querySelectorAll(
            ".kp-seat:not([data-area=seat-me]), .kp-trick .kp-card, .kp-pile, .kp-hand .kp-card,"
            + ".kp-actions .kp-button, .kp-status-what, .kp-status-why, .kp-chip, .kp-progress,"
            + ".kp-held, .kp-icon-button")]
            .filter((e) => e.checkVisibility())
            .map((e) => [e.className, e.getBoundingClientRect()]);
          const found = [];
          parts.forEach(([one, a], i) => parts.slice(i + 1).forEach(([two, b]) => {
            const x = Math.min(a.right, b.right) - Math.max(a.left, b.left);
            const y = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
            if (x > 1 && y > 1) found.push([one, two, Math.round(x), Math.round(y)].join(" "));
          }));
          return found;
        }"""


@pytest.mark.parametrize(
    ("width", "height"),
    [
        (360, 640),
        (568, 320),
        (640, 360),
        (390, 844),
        (768, 1024),
        (1280, 800),
        (1920, 1080),
        (3840, 2160),
    ],
)
def test_the_table_fits_the_screen(new_person, open_table: Open, width: int, height: int) -> None:
    page = new_person(viewport={"width": width, "height": height}).new_page()
    pack = list(stack({0: "TC TD TH QC KC KD"}, dealer=0))
    open_table(page, pace="slow", sheet=new_sheet(0, (6, 6), held=2), pack=pack, plays=["dark"] * 3)
    assert_fits(page)
    boxes = [one.bounding_box() for one in page.locator(".kp-hand .kp-card").all()]
    boxes += [one.bounding_box() for one in page.locator(".kp-trick .kp-card").all()]
    boxes.append(page.get_by_role("button", name="Play in the dark").bounding_box())
    boxes.append(page.get_by_role("button", name="Menu").bounding_box())
    assert len(boxes) == 11
    for box in boxes:
        assert box
        assert box["x"] >= 0
        assert box["y"] >= 0
        assert box["x"] + box["width"] <= width
        assert box["y"] + box["height"] <= height
    smallest = min(
        min(box["width"], box["height"]) for box in boxes if box in boxes[:6] + boxes[9:]
    )
    assert smallest >= 44
    hand = boxes[0]
    assert hand
    assert hand["width"] >= min(width, height) * 0.05
    assert page.evaluate(OVERLAPS) == []


@pytest.mark.parametrize("address", ["/", "/games/ristikontra/", "/computer/ristikontra/"])
def test_no_sideways_scrolling_at_400_percent_or_double_text(new_person, address: str) -> None:
    """1280 px at 400 % are 320 px; text of 200 % is a root size of 32 px."""
    page = new_person(viewport={"width": 320, "height": 256}).new_page()
    page.goto(address)
    page.locator("h1").wait_for(state="attached")
    page.wait_for_load_state("networkidle")
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    wide = new_person(viewport={"width": 1280, "height": 800}).new_page()
    wide.goto(address)
    wide.wait_for_load_state("networkidle")
    wide.evaluate("document.documentElement.style.fontSize = '32px'")
    assert wide.evaluate("document.documentElement.scrollWidth") <= 1280


def test_text_twice_as_large_on_a_phone_lies_over_nothing(new_person, open_table: Open) -> None:
    page = new_person(viewport={"width": 360, "height": 640}).new_page()
    open_table(page, pace="slow", sheet=new_sheet(0, (6, 6), held=2), plays=["dark"] * 3)
    page.evaluate("document.documentElement.style.fontSize = '32px'")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert page.evaluate(OVERLAPS) == []


# --- Hands ------------------------------------------------------------------------------------


def test_a_double_tap_plays_one_card(new_person, open_table: Open) -> None:
    page = new_person(
        viewport={"width": 360, "height": 640}, has_touch=True, is_mobile=True
    ).new_page()
    # The one who takes leads next at once: the second tap would find an open hand.
    pack = list(stack({0: "7D 5D 6C 6D 8C 8D", 1: "7C", 2: "9C", 3: "9D"}, dealer=0))
    open_table(page, pace="instant", sheet=new_sheet(0), pack=pack, plays=["7C", "9C", "9D"])
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url))
    box = page.get_by_role("button", name="seven of diamonds").bounding_box()
    assert box
    for _ in range(2):
        page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(page.locator(".kp-progress")).to_contain_text("trick 2")
    expect(page.locator(".kp-status-what")).to_have_text("Your turn: you lead.")
    expect(playable(page)).to_have_count(6)
    assert sum("/step/" in url for url in sent) == 1


def test_tap_twice_when_asked_for(page: Page, open_table: Open) -> None:
    open_table(page, pace="slow", sheet=new_sheet(3))
    settings = open_settings(page)
    settings.get_by_role("checkbox", name="Tap twice to play a card").check()
    settings.get_by_role("button", name="Back to the table").click()
    first, second = playable(page).nth(0), playable(page).nth(1)
    name = second.get_attribute("aria-label")
    first.click()
    expect(page.locator(".kp-status-why")).to_have_text("Once more to play it.")
    second.click()
    expect(page.locator(".kp-trick .kp-play")).to_have_count(0)
    second.click()
    expect(page.locator(".kp-trick").get_by_role("img", name=name)).to_be_visible()


def test_no_call_out_and_no_zoom_on_cards(page: Page, open_table: Open) -> None:
    open_table(page)
    style = "getComputedStyle(document.querySelector('.kp-hand .kp-card'))"
    assert page.evaluate(f"{style}.touchAction") == "manipulation"
    assert page.evaluate(f"{style}.userSelect") == "none"
