"""A report from a phone to its resolution (CASE 30), in real browsers."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from conftest import Server, running
from game.tests.browser import assert_accessible, assert_fits
from tables.tests.browser.friends import New, seat_four

PASSWORD = "a long pass phrase"
MAKE = f"""
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
user = get_user_model().objects.create_user("mari", password={PASSWORD!r}, is_staff=True)
user.groups.add(Group.objects.get(name="Moderator"))
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(tmp_path_factory.mktemp("moderation"), ADMIN_PATH="backstage/")
    server.manage("shell", "-c", MAKE)
    with running(server) as running_server:
        yield running_server


def say(page: Page, text: str) -> None:
    page.locator("#kp-chat-field").fill(text)
    page.get_by_role("button", name="Send", exact=True).click()


def log_in(page: Page) -> None:
    page.goto("/backstage/")
    page.get_by_label("Username").fill("mari")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()


def act(page: Page, inside: str, label: str, reason: str) -> None:
    """Open an act and do it."""
    part = page.locator(inside).first
    form = part.locator(".kp-act", has=page.locator("summary", has_text=re.compile(f"^{label}$")))
    form.locator("summary").click()
    form.get_by_label("Reason, for the log").fill(reason)
    form.get_by_role("button", name=label).click()
    expect(page.locator(".messagelist .success")).to_contain_text(label)


@pytest.mark.timeout(240)
def test_a_report_from_a_phone_to_its_resolution_case_30(
    new_person: New, site: Server, watch
) -> None:
    watch.expect("/favicon.ico")  # Django's admin names no icon
    host, phone, keyboard, _last = seat_four(new_person, site.url)
    say(host, "Hello all")
    say(keyboard, "You are all fools")
    say(host, "Now now")

    # On the phone: the chat, the line, the dialog.
    phone.get_by_role("button", name=re.compile("^Chat")).first.tap()
    line = phone.locator(".kp-chat-line", has_text="You are all fools")
    expect(phone.locator(".kp-chat-line", has_text="Now now")).to_be_visible()
    line.get_by_role("button", name=re.compile("^Report")).tap()
    dialog = phone.get_by_role("dialog", name="Report to the moderators")
    expect(dialog).to_contain_text("You are all fools")
    assert_fits(phone)
    assert_accessible(phone, "the report")
    dialog.get_by_label("What is wrong?").select_option(label="Insults or threatens somebody")
    dialog.get_by_label("In your own words, if you like").fill("Every evening.")
    dialog.get_by_role("button", name="Send the report").tap()
    expect(dialog).to_contain_text("Thank you")
    dialog.get_by_role("button", name="Back to the table").tap()
    expect(dialog).to_be_hidden()

    # Backstage: the queue, the report, the table.
    moderator = new_person(base_url=site.url).new_page()
    log_in(moderator)
    moderator.get_by_role("link", name="Reports (1)").first.click()
    expect(moderator.locator("#content h1")).to_have_text("Reports: 1 waiting")
    moderator.locator("#result_list tbody th a").first.click()
    said = moderator.locator(".kp-said li")
    expect(said).to_have_count(3)
    expect(moderator.locator(".kp-said-reported")).to_contain_text("You are all fools")
    expect(moderator.locator(".kp-moderation")).to_contain_text("Every evening.")
    report = moderator.url
    moderator.get_by_role("link", name="To the table").click()
    act(moderator, "#line-2", "Hide the line", "insult")
    expect(
        phone.locator(".kp-chat-line", has_text="A moderator has hidden this line")
    ).to_be_visible()
    expect(phone.locator(".kp-chat-line", has_text="You are all fools")).to_have_count(0)
    act(moderator, ".kp-seats li:nth-child(3)", "Mute the seat", "insult")
    expect(phone.locator(".kp-chat-line--notice")).to_contain_text("has muted")
    say(keyboard, "Still fools")
    expect(keyboard.locator("#kp-chat .kp-chat-problem")).to_contain_text("has muted you")
    moderator.goto(report)
    act(moderator, ".kp-moderation", "Resolve the report", "Hidden and muted")
    expect(moderator.locator(".kp-moderation")).to_contain_text("Hidden and muted")
    expect(moderator.get_by_role("link", name="Reports", exact=True).first).to_be_visible()

    # The seat is shut out, and at last the table is closed.
    moderator.get_by_role("link", name="To the table").click()
    act(moderator, ".kp-seats li:nth-child(3)", "Ban this browser", "goes on")
    expect(keyboard.get_by_role("dialog")).to_contain_text("shut you out")
    expect(keyboard.get_by_role("link", name="Open a new table")).to_have_count(0)
    form = moderator.locator(".kp-act", has_text="Close the table").first
    form.locator("summary").click()
    form.get_by_label("To the people at the table").fill("Good night.")
    form.get_by_label("Reason, for the log").fill("out of hand")
    form.get_by_role("button", name="Close the table").click()
    expect(host.get_by_role("dialog")).to_contain_text("closed by a moderator")
    expect(host.get_by_role("dialog")).to_contain_text("Good night.")
    expect(phone.locator(".kp-chat-line--notice").last).to_contain_text("Good night.")
    moderator.get_by_role("link", name="History").click()
    expect(moderator.locator("#change-history")).to_contain_text("out of hand")


def test_a_person_is_reported_from_the_list_of_people(new_person: New, site: Server) -> None:
    host, *_others = seat_four(new_person, site.url)
    host.get_by_role("button", name="Menu").click()
    host.get_by_role("button", name="People and my seat").click()
    host.get_by_role("button", name=re.compile("^Report.*Toni")).click()
    dialog = host.get_by_role("dialog", name="Report to the moderators")
    expect(dialog).to_contain_text("About Toni")
    dialog.get_by_role("button", name="Send the report").click()
    dialog.get_by_role("button", name="Back to the table").click()
    expect(dialog).to_be_hidden()
