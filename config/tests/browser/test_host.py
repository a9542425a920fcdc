"""Our apps in another site: under /cards/, in its own frame, with its own users and language."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from conftest import Server, running
from game.tests.browser import AWAITED, playable, set_pace
from tables.tests.browser.friends import New, open_table, sit_down

PATIENCE = 200.0
PASSWORD = "a long pass phrase"


@pytest.fixture(scope="module")
def host_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("host")
    server = Server(
        folder,
        "config.tests.host.short_asgi:application",
        DJANGO_SETTINGS_MODULE="config.tests.host.settings",
        STATIC_ROOT=str(folder / "static"),
    )
    server.manage("collectstatic", "--noinput", "--verbosity", "0")
    with running(server) as running_server:
        yield running_server


def finished(pages: list[Page]) -> bool:
    return pages[0].locator(".kp-count-title").inner_text().startswith("You have")


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.timeout(300)
def test_friends_play_a_match_under_a_prefix(new_person: New, host_site: Server) -> None:
    pages = [new_person(base_url=host_site.url).new_page() for _ in range(4)]
    pages[0].goto("/")
    expect(pages[0].locator(".host-mark")).to_be_visible()
    for page, link in zip(pages[1:], open_table(pages[0], home="/cards/"), strict=True):
        assert "/cards/invites/" in link
        sit_down(page, link)
    for page in pages:
        page.locator(".kp-status-what:not(:empty)").wait_for()
        expect(page.locator(".host-mark")).to_be_visible()
        assert page.locator("html").get_attribute("lang") == "en-gb"
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        states = [page.evaluate(AWAITED) for page in pages]
        if "me" in states:
            playable(pages[states.index("me")]).first.click()
        elif states.count("dialog") == len(pages):
            if finished(pages):
                return
            pages[0].get_by_role("button", name="Next deal").click()
            for page in pages[1:]:
                page.get_by_role("button", name="To the table").click()
    raise AssertionError("the match did not end")


@pytest.mark.browser
@pytest.mark.timeout(300)
def test_a_match_against_the_computer_under_a_prefix(new_person: New, host_site: Server) -> None:
    page = new_person(base_url=host_site.url).new_page()
    page.goto("/cards/computer/ristikontra/")
    page.locator(".kp-status-what:not(:empty)").wait_for()
    set_pace(page, "instant")
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        state = page.wait_for_function(AWAITED).json_value()
        if state == "me":
            playable(page).first.click()
        elif finished([page]):
            return
        else:
            page.get_by_role("button", name="Next deal").click()
    raise AssertionError("the match did not end")


MAKE = f"""
PASSWORD = {PASSWORD!r}
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
member = get_user_model().objects.create_user("mari@example.org", PASSWORD, is_staff=True)
member.groups.add(Group.objects.get(name="Moderator"))
"""


@pytest.mark.browser
def test_its_own_members_moderate_in_its_own_admin(
    new_person: New, host_site: Server, watch
) -> None:
    watch.expect("/favicon.ico")  # Django's admin names no icon
    host_site.manage("shell", "-c", MAKE)
    open_table(new_person(base_url=host_site.url).new_page(), home="/cards/")
    page = new_person(base_url=host_site.url).new_page()
    page.goto("/office/")
    page.get_by_label("Email").fill("mari@example.org")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    page.get_by_role("link", name="Reports").first.wait_for()
    page.goto("/office/tables/table/")
    page.locator("#result_list tbody th a").first.click()
    expect(page.locator(".kp-moderation .kp-seats li")).to_have_count(4)


@pytest.mark.browser
def test_our_looks_stay_in_our_root(new_person: New, host_site: Server) -> None:
    """What the host's own elements look like does not change beside ours."""
    page = new_person(base_url=host_site.url).new_page()
    read = "JSON.stringify(Object.entries(getComputedStyle(document.querySelector('.host-mark'))))"
    page.goto("/")
    bare = page.evaluate(read)
    for address in ("/cards/", "/cards/games/ristikontra/", "/cards/computer/ristikontra/"):
        page.goto(address)
        assert page.evaluate(read) == bare
