"""A match in four browsers, whose sockets are at two processes behind nginx."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tables.tests import services
from tables.tests.browser.friends import New, finish_match, from_menu, play_one, seat_four
from tables.tests.services import Cluster

pytestmark = [pytest.mark.slow, pytest.mark.browser]

SHORT = "import django\ndjango.setup()\nfrom config.tests.short import begin_late\nbegin_late()"


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with services.cluster(first=SHORT, settings={"TABLES_PULSE": "2"}) as cluster:
        yield cluster
        for log in cluster.logs().values():
            assert services.errors_in(log) == []


def test_four_browsers_play_a_match_at_two_processes(new_person: New, cluster: Cluster) -> None:
    """Over TLS; one process is restarted in the middle, and nobody has to do anything."""
    four = seat_four(new_person, cluster.url, ignore_https_errors=True)
    for _ in range(5):
        play_one(four)
    for site in cluster.sites:
        site.stop()
        site.start()
        for page in four:
            expect(page.locator("#kp-trouble")).to_be_hidden()
        for _ in range(2):
            play_one(four)
    finish_match(four)
    for page in four:
        expect(page.get_by_role("dialog", name="The result")).to_be_visible()
        page.get_by_role("button", name="Look at the table").click()
    from_menu(four[0], "Leave the table")
