"""Our apps in another site: under /cards/, in its own frame, a table works there."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import BrowserContext, expect

from conftest import Server, running
from game.tests.browser import AWAITED, playable
from tables.tests.browser.friends import open_table, sit_down


@pytest.fixture(scope="module")
def host_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("host")
    server = Server(
        folder,
        "config.tests.host.asgi:application",
        DJANGO_SETTINGS_MODULE="config.tests.host.settings",
        STATIC_ROOT=str(folder / "static"),
    )
    server.manage("collectstatic", "--noinput", "--verbosity", "0")
    with running(server) as running_server:
        yield running_server


@pytest.mark.browser
def test_friends_play_under_a_prefix(
    new_person: Callable[..., BrowserContext], host_site: Server
) -> None:
    pages = [new_person(base_url=host_site.url).new_page() for _ in range(4)]
    pages[0].goto("/")
    expect(pages[0].locator(".host-mark")).to_be_visible()
    for page, link in zip(pages[1:], open_table(pages[0], home="/cards/"), strict=True):
        assert "/cards/invites/" in link
        sit_down(page, link)
    for page in pages:
        page.locator(".kp-status-what:not(:empty)").wait_for()
        expect(page.locator(".host-mark")).to_be_visible()
    states = [page.evaluate(AWAITED) for page in pages]
    playable(pages[states.index("me")]).first.click()
    for page in pages:
        expect(page.locator(".kp-trick .kp-play")).to_have_count(1)


@pytest.mark.browser
def test_the_computer_plays_under_a_prefix(
    new_person: Callable[..., BrowserContext], host_site: Server
) -> None:
    page = new_person(base_url=host_site.url).new_page()
    page.goto("/cards/computer/ristikontra/")
    playable(page).first.click()
    expect(page.locator(".kp-trick .kp-play").first).to_be_visible()
