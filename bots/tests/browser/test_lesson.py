"""The lesson: all five positions, by keyboard, by mouse and by ear, and what axe says of them."""

import re

import pytest
from playwright.sync_api import Page, expect

from bots.lessons import RISTIKONTRA
from game.tests.browser import assert_accessible, assert_fits, listen, playable, spoken
from game.words import CARD_NAMES


def begun(page: Page, number: int) -> None:
    """Waits until this position (from 1) can be played."""
    position = RISTIKONTRA[number - 1]
    expect(page.locator("#kp-lesson-title")).to_have_text(f"{number}. {position.title}")
    expect(page.locator("#kp-lesson-text")).to_have_text(str(position.task))
    expect(playable(page).first).to_be_visible()


def done(page: Page, words: object) -> None:
    """Waits until the trick is taken and this is said of it."""
    expect(page.locator("#kp-lesson-text")).to_have_text(str(words))
    expect(page.locator(".kp-status-why")).to_have_text("This trick is over.")


def press(page: Page, code: str) -> None:
    """Play a card of the hand, or the dark, by mouse."""
    page.locator(f".kp-hand [data-code='{code}']").click()


def test_all_five_positions(new_person) -> None:
    take, taken, dark, ban, pile = RISTIKONTRA
    page = new_person(viewport={"width": 360, "height": 640}).new_page()
    page.goto("/")
    page.get_by_role("link", name="Learn it in three minutes").click()
    begun(page, 1)
    listen(page)
    assert_fits(page)
    assert_accessible(page, "the first position")

    # Not what was asked for, and then again.
    press(page, "2D")
    done(page, take.otherwise)
    page.get_by_role("button", name="Again").click()
    begun(page, 1)
    page.locator(".kp-hand [data-code='7H']").press("Enter")
    done(page, take.well)
    assert_accessible(page, "done")
    assert str(take.well) in spoken(page)
    expect(playable(page).first).to_be_visible()
    playable(page).first.click()
    expect(page.locator(".kp-status-why")).to_contain_text("play it again")

    page.locator(".kp-hand .kp-card").first.press("n")
    begun(page, 2)
    assert f"2 of 5: {taken.title}. {taken.task}" in spoken(page)
    expect(page.locator(".kp-hand .kp-card:focus")).to_have_count(1)
    press(page, "KH")
    done(page, taken.well)

    page.get_by_role("button", name="Next").click()
    begun(page, 3)
    page.get_by_role("button", name="Play in the dark").click()
    done(page, dark.well)

    page.get_by_role("button", name="Next").click()
    begun(page, 4)
    barred = page.locator(".kp-hand [data-code='7S']")
    expect(barred).to_have_attribute("aria-label", re.compile(str(CARD_NAMES["7S"])))
    barred.click(force=True)  # barred cards can be pressed, and say why not
    expect(page.locator(".kp-status-why")).to_contain_text("Sevens may not be led now")
    assert_accessible(page, "refused")
    press(page, "2C")
    done(page, ban.well)

    page.get_by_role("button", name="Next").click()
    begun(page, 5)
    press(page, "AS")
    done(page, pile.well)
    expect(page.locator("#kp-lesson-dots [data-done]")).to_have_count(5)
    page.get_by_role("button", name="Finish").click()
    end = page.get_by_role("dialog", name="That is the game")
    expect(end).to_be_visible()
    assert_accessible(page, "the end")
    expect(end.get_by_role("link", name="Play against the computer")).to_have_attribute(
        "href", "/computer/ristikontra/"
    )
    end.get_by_role("button", name="The lesson again").click()
    begun(page, 1)
    page.get_by_role("button", name="Skip").click()
    begun(page, 2)


@pytest.mark.parametrize("locale", ["en", "fi", "pt-BR"])
def test_every_position_fits_a_phone(new_person, locale: str) -> None:
    page = new_person(locale=locale, viewport={"width": 360, "height": 640}).new_page()
    page.goto("/computer/ristikontra/lesson/")
    for number in range(1, 6):
        expect(page.locator("#kp-lesson-title")).to_contain_text(f"{number}.")
        expect(page.locator(".kp-board--mine")).to_be_visible()
        assert_fits(page)
        page.locator("#kp-lesson-next").click()
