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


@pytest.mark.parametrize(
    ("players", "keys"),
    [
        ("1", ["ristikontra", "ristiseiska", "ristikontra-house", "cleaning"]),
        ("2", ["ristiseiska"]),
        ("3", ["ristiseiska"]),
        ("4", ["ristikontra", "ristiseiska", "ristikontra-house", "cleaning"]),
        ("5", ["ristikontra", "ristiseiska", "ristikontra-house", "cleaning"]),
        ("x", ["ristikontra", "ristiseiska", "ristikontra-house", "cleaning"]),
    ],
)
def test_home_shows_what_fits_so_many(client: Client, players: str, keys: list[str]) -> None:
    answer = client.get(reverse("game:home"), {"players": players})
    page = answer.content.decode()
    assert [game.key for game in answer.context["games"]] == keys
    assert ('#games" aria-current="true"' in page) == (players in "1234")
    friends = f"{reverse('tables:new', args=['ristiseiska'])}?seats={players}"
    assert (friends in page) == (players in "234")
    assert page.count('class="kp-game"') == len(keys)


def test_home_leads_everywhere_and_sets_no_cookie(client: Client) -> None:
    answer = client.get(reverse("game:home"))
    page = answer.content.decode()
    for address in (
        reverse("bots:table", args=["ristikontra"]),
        reverse("bots:lesson", args=["ristikontra"]),
        reverse("tables:new", args=["ristikontra"]),
        reverse("tables:join"),
        reverse("game:fairness"),
        *(f"?players={number}#games" for number in (1, 2, 3, 4)),
    ):
        assert f'"{address}"' in page
    assert not answer.cookies


@pytest.mark.parametrize(("asked", "seats"), [("2", "2"), ("3", "3"), ("5", "4"), ("", "4")])
def test_a_table_opens_for_as_many_as_home_was_told(client: Client, asked: str, seats: str) -> None:
    answer = client.get(reverse("tables:new", args=["ristiseiska"]), {"seats": asked})
    form = answer.context["form"]
    assert str(form["seats"].value()) == seats
