"""What browser tests of tables share: patience, because four browsers and a server are at work."""

import os
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect


@pytest.fixture(autouse=True)
def patience() -> Iterator[None]:
    expect.set_options(timeout=30_000)
    yield
    expect.set_options(timeout=5_000)


@pytest.fixture
def update_golden() -> bool:
    """Whether golden files are to be written anew: UPDATE_GOLDEN=1."""
    return os.environ.get("UPDATE_GOLDEN") == "1"
