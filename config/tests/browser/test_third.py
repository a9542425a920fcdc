"""The game of another Django app in a real browser: its pages, a table of friends, a computer's."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import BrowserContext, expect

from conftest import Server, running
from game.tests.browser import assert_accessible, awaited, playable, set_pace
from tables.tests.browser.friends import finish_match, open_table, sit_down

New = Callable[..., BrowserContext]


@pytest.fixture(scope="module")
def third_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("third")
    server = Server(
        folder,
        DJANGO_SETTINGS_MODULE="config.tests.third_site",
        STATIC_ROOT=str(folder / "static"),
    )
    server.manage("collectstatic", "--noinput", "--verbosity", "0")
    with running(server) as running_server:
        yield running_server


@pytest.mark.browser
def test_it_is_played_against_the_computer(new_person: New, third_site: Server) -> None:
    page = new_person(base_url=third_site.url).new_page()
    page.goto("/")
    cards = page.locator(".kp-game")
    expect(cards).to_have_count(5)
    expect(cards.last.get_by_role("heading")).to_have_text("Third")
    cards.last.get_by_role("link", name="How it goes").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Third")
    assert_accessible(page, "its rules")
    page.get_by_role("link", name="Play against the computer").click()
    expect(page.get_by_role("group", name="Tricks to win")).to_be_visible()
    page.get_by_role("radio", name="2 players").check()
    page.get_by_role("button", name="To the table").click()
    expect(page.locator(".kp-hand .kp-card")).to_have_count(5)
    set_pace(page, "instant")
    assert_accessible(page, "its table")
    refused = False
    for _ in range(300):  # some matches, until the cards have brought a refusal
        if awaited(page) == "dialog":
            if page.get_by_role("dialog", name="The result").is_visible():
                if refused:
                    break
                page.get_by_role("button", name="Play again").click()
                continue
            page.get_by_role("button", name="Next deal").click()
            continue
        closed = page.locator(".kp-hand [aria-label*='Whoever can follow']")
        if closed.count() and not refused:
            refused = True
            closed.first.focus()
            page.keyboard.press("Enter")
            expect(page.locator(".kp-status-why")).to_contain_text("Whoever can follow the")
        playable(page).first.click()
    expect(page.get_by_role("dialog", name="The result")).to_contain_text("won the match")
    assert refused


@pytest.mark.browser
def test_friends_play_it_to_the_end(new_person: New, third_site: Server) -> None:
    looks = {"base_url": third_site.url}
    pages = [new_person(**looks).new_page() for _ in range(3)]
    invites = open_table(pages[0], key="third", seats=3)
    expect(pages[0].locator(".kp-lobby")).to_contain_text("Tricks to win: 5")
    for page, link in zip(pages[1:], invites, strict=True):
        sit_down(page, link)
    finish_match(pages)
    titles = [page.locator(".kp-count-title").inner_text() for page in pages]
    assert sorted(title.startswith("You have won") for title in titles) == [False, False, True]
