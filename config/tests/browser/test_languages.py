"""The site in its other languages: matches played and heard, and a language changed on the way."""

from __future__ import annotations

import os
import random
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from bots.tests.browser.conftest import choice, new_sheet, open_table
from conftest import Server
from game.engine.registry import find
from game.tests.browser import (
    assert_accessible,
    assert_fits,
    assert_golden,
    awaited,
    listen,
    playable,
    prompted,
    spoken,
)
from game.tests.deals import shuffled
from tables.tests.browser.friends import New, at_the_board, links

HERE = Path(__file__).parent
UPDATE = os.environ.get("UPDATE_GOLDEN") == "1"
LANGUAGES = {"fi": "Suomi", "pt-br": "Português (Brasil)"}
TYPED = {
    "fi": {"C": "ri", "D": "ru", "H": "he", "S": "pa"},
    "pt-br": {"C": "p", "D": "o", "H": "c", "S": "e"},
}
WORDS = {"fi": ["vie tikin", "viet tikin"], "pt-br": ["leva a vaza", "levam a vaza"]}
DARK = {"fi": "pimeä", "pt-br": "escuro"}
TURN = {"fi": "Sinun vuorosi", "pt-br": "Sua vez"}
TAKEN = """(words) => {
  const said = window.spoken.join(" ").toLowerCase();
  return words.reduce((sum, one) => sum + said.split(one).length - 1, 0) === 12;
}"""
CODES = "[...document.querySelectorAll('.kp-hand .kp-card')].map((card) => card.dataset.code)"

__all__ = ["open_table"]  # the fixture of the computer table's tests


def speak(page: Page, language: str) -> None:
    """Choose a language in a table's menu; the page loads anew in it."""
    page.locator("#kp-menu-button").click()
    page.get_by_role("button", name=LANGUAGES[language]).click()
    page.locator(f"html[lang='{language}'] .kp-status-what:not(:empty)").wait_for()


def test_the_way_to_ones_own_language(new_person: New, server: Server) -> None:
    """The English front page offers Finnish to a Finnish browser; a choice is remembered."""
    page = new_person(locale="fi-FI", base_url=server.url).new_page()
    page.goto("/")
    expect(page.locator("html")).to_have_attribute("lang", "en")
    assert_accessible(page, "the front page with its offer")
    page.get_by_role("link", name="Tämä sivu suomeksi").click()
    page.wait_for_url("**/fi/")
    assert_accessible(page, "the front page in Finnish")
    page.get_by_role("button", name="Português (Brasil)").click()
    page.wait_for_url("**/pt-br/")
    assert_accessible(page, "the front page in Portuguese")
    page.goto("/")
    page.wait_for_url("**/pt-br/")


@pytest.mark.parametrize("language", list(LANGUAGES))
def test_a_match_from_six_all_in_another_language(page: Page, open_table, language: str) -> None:
    """It is begun in English; after a play the language is changed, and the same match goes on."""
    rng = random.Random(20)
    open_table(page, sheet=new_sheet(3, (6, 6)), pack=list(shuffled(rng)))
    assert awaited(page) == "me"
    playable(page).first.click()
    assert awaited(page) == "me"
    hand, progress = page.evaluate(CODES), page.locator(".kp-progress").inner_text()
    speak(page, language)
    assert page.evaluate(CODES) == hand
    numbers = re.findall(r"\d+", progress)
    assert re.findall(r"\d+", page.locator(".kp-progress").inner_text()) == numbers
    expect(page.locator("#kp-polite")).to_contain_text(TURN[language])  # it has said where we are
    listen(page)
    field = page.locator("#kp-command")
    field.focus()
    said: int | None = None
    while awaited(page) == "me":
        said = prompted(page, said)
        dark = page.locator(".kp-button--main:not([aria-disabled], [hidden])")
        codes = [one.get_attribute("data-code") or "" for one in playable(page).all()]
        code, chance = rng.choice(codes), rng.random()
        rank = "10" if code[0] == "T" else code[0].lower()
        card = f"{rank} {TYPED[language][code[1]]}"
        field.fill(DARK[language] if chance < 0.2 and dark.count() else card)
        page.keyboard.press("Enter")
    assert_accessible(page, f"the result in {language}")
    described = page.get_by_role("dialog").get_attribute("aria-describedby")
    texts = [page.locator(f"#{one}").text_content() or "" for one in str(described).split()]
    page.wait_for_function(TAKEN, arg=list(map(str.lower, WORDS[language])))
    text = " ".join([spoken(page), *texts])
    text = re.sub(r"(?<=[.!]) (?=\S)", "\n", text.replace("\u00a0", "")) + "\n"
    assert_golden(HERE / f"announcements-{language}.txt", text, UPDATE)


def test_a_guest_changes_the_language_in_mid_match(new_person: New, server: Server) -> None:
    """Seat, hand and chat stay; the others read on in theirs; the invite came in the host's."""
    host = new_person(locale="pt-BR", reduced_motion="reduce").new_page()
    guest = new_person(locale="de-DE", reduced_motion="reduce").new_page()
    host.goto(f"{server.url}/tables/new/ristiseiska/")
    host.get_by_role("radio", name="2 pessoas").check()
    host.get_by_label("Seu nome").fill("Aino")
    host.get_by_role("button", name="Abrir a mesa").click()
    host.locator(".kp-lobby-seat").nth(1).wait_for()
    (link,) = links(host)
    guest.goto(link)
    expect(guest.locator("html")).to_have_attribute("lang", "pt-br")
    expect(guest.get_by_role("heading", level=1)).to_contain_text("Aino convida você para jogar")
    assert_accessible(guest, "an invite in Portuguese")
    guest.get_by_role("button", name="Sentar à mesa").click()
    for page in (host, guest):
        at_the_board(page)
    host.get_by_label("Escrever para todo mundo na mesa").fill("Boa sorte!")
    host.keyboard.press("Enter")
    expect(guest.locator(".kp-chat-text")).to_have_text("Boa sorte!")
    hand = guest.evaluate(CODES)
    speak(guest, "fi")
    assert guest.evaluate(CODES) == hand
    expect(guest.locator(".kp-chat-text")).to_have_text("Boa sorte!")
    expect(guest.locator(".kp-seat-name")).to_have_text(["Sinä", "Aino"])
    expect(host.locator("html")).to_have_attribute("lang", "pt-br")
    expect(host.locator(".kp-seat-name")).to_have_text(["Você", "Convidado 1"])
    assert_accessible(guest, "a table in Finnish")
    starts = guest if "7C" in hand else host
    starts.locator("[data-code='7C']:not([aria-disabled])").press("Enter")
    expect(guest.locator(".kp-row[data-suit='C'] .kp-sr")).to_have_text(
        "Risti: seiska. Seuraavaksi alas kutonen."
    )
    expect(host.locator(".kp-row[data-suit='C'] .kp-sr")).to_have_text(
        "Paus: sete. Embaixo entra seis."
    )


def test_a_tables_buttons_stay_in_one_row_on_a_phone_lying_down(
    new_person: New, server: Server
) -> None:
    """Ristiseiska in Portuguese has the longest words on the most buttons."""
    phone = {"locale": "pt-BR", "viewport": {"width": 640, "height": 360}}
    page = new_person(base_url=server.url, **phone).new_page()
    page.goto(f"/computer/ristiseiska/?{choice(find('ristiseiska'), 4, {})}")
    at_the_board(page)
    boxes = [one.bounding_box() for one in page.locator(".kp-actions button:visible").all()]
    assert len(boxes) == 4
    assert len({box["y"] for box in boxes if box}) == 1
    assert_fits(page)
