"""The public pages, as far as they need no browser: which games they offer."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from game.engine.registry import newest, offered
from game.engine.ristikontra import Ristikontra

pytestmark = pytest.mark.django_db  # public pages have notices


def test_home_has_every_game_with_a_board(client: Client) -> None:
    page = client.get(reverse("game:home")).content.decode()
    for key, game in newest().items():
        assert (reverse("game:rules", args=[key]) in page) == bool(game.board)


def test_a_game_with_a_board_has_a_page(client: Client) -> None:
    for key in newest():
        answer = client.get(reverse("game:rules", args=[key]))
        assert answer.status_code == (200 if key in offered() else 404)


def test_a_game_without_a_board_is_not_offered(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Ristikontra, "board", "")
    assert "ristikontra" in newest()
    assert "ristikontra" not in offered()
    address = reverse("game:rules", args=["ristikontra"])
    assert client.get(address).status_code == 404
    assert client.get(reverse("tables:new", args=["ristikontra"])).status_code == 404
    assert address not in client.get(reverse("game:home")).content.decode()


def test_there_is_no_page_of_an_unknown_game(client: Client) -> None:
    assert client.get(reverse("game:rules", args=["poker"])).status_code == 404
