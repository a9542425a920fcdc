"""Leave to use the relay, asked of a real coturn."""

import time
from collections.abc import Iterator

import pytest
from pytest_django import Settings

from tables import ice
from tables.tests import services

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def coturn() -> Iterator[services.Coturn]:
    with services.coturn() as service:
        yield service


def test_coturn_takes_a_name_as_long_as_it_is_good(
    coturn: services.Coturn, settings: Settings
) -> None:
    settings.TABLES_TURN_SECRET = coturn.secret
    now = int(time.time())
    assert coturn.takes(*ice.credentials("a", now + 600))
    assert not coturn.takes(*ice.credentials("a", now - 600))
    name, password = ice.credentials("a", now + 600)
    assert not coturn.takes(name.replace(":a", ":b"), password)
    settings.TABLES_TURN_SECRET = "another secret"
    assert not coturn.takes(*ice.credentials("a", now + 600))
