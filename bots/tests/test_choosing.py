"""The computer table of every game: choosing seats and options, starting, and playing on."""

from __future__ import annotations

import json
import re
from itertools import product
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from bots.policies import POLICIES
from bots.templatetags.computers import has_computer
from bots.views import PEOPLE_ONLY
from bots.words import NAMES
from game.engine.registry import AnyGame, find, offered
from game.words import REFUSALS, rules_line

every_game = pytest.mark.parametrize("game", offered().values(), ids=lambda game: game.key)


def chosen(game: AnyGame, **changes: str | int) -> dict[str, str | int]:
    """A choice as the form sends it: the defaults, and these changes."""
    plain = {name: values[0] for name, values in game.options.items() if name not in PEOPLE_ONLY}
    seats = {"seats": game.seats[-1]} if len(game.seats) > 1 else {}
    return {**seats, **plain, **changes}


def table(client: Client, game: AnyGame, **choice: str | int) -> str:
    answer = client.get(reverse("bots:table", args=[game.key]), choice)
    assert answer.status_code == 200
    assert not answer.cookies
    return answer.content.decode()


def page_data(page: str) -> dict[str, Any]:
    found = re.search('<script id="kp-page" type="application/json">(.*?)</script>', page)
    assert found, page
    data: dict[str, Any] = json.loads(found[1])
    return data


def post(client: Client, game: AnyGame, what: str, data: object) -> HttpResponse:
    address = reverse(f"bots:{what}", args=[game.key])
    answer = client.post(address, json.dumps(data), "application/json")
    assert isinstance(answer, HttpResponse)
    return answer


@every_game
def test_a_choice_is_asked_for_where_there_is_one(client: Client, game: AnyGame) -> None:
    page = table(client, game)
    chooses = len(game.seats) > 1 or bool(game.options)
    assert ('<form method="get"' in page) == chooses
    assert ("kp-board" in page) != chooses
    for name, values in game.options.items():
        for value in values:
            there = f'name="{name}"' in page and f'value="{value}"' in page
            assert there == (name not in PEOPLE_ONLY)
    assert 'class="errorlist' not in page
    assert has_computer(game) == (game.key in POLICIES)


@every_game
def test_every_choice_has_a_table_that_starts_and_plays_on(client: Client, game: AnyGame) -> None:
    changes = [{name: value} for name, vs in game.options.items() for value in vs]
    changes += [{"seats": seats} for seats in game.seats if len(game.seats) > 1]
    for change in changes or [{}]:
        if change.keys() & set(PEOPLE_ONLY):
            continue
        page = page_data(table(client, game, **chosen(game, **change)))
        seats, options = page["choice"]["seats"], page["choice"]["options"]
        expected = chosen(game, **change)
        assert seats == expected.pop("seats", game.seats[0])
        assert options == expected
        assert page["rules"] == rules_line(game, options)
        assert page["names"] == ["", *map(str, NAMES[seats])]
        assert len(page["names"]) == seats
        answer = json.loads(post(client, game, "start", page["choice"]).content)
        for _ in range(6):
            view = answer["view"]
            assert len(view["hands"]) == seats
            step = {"ticket": answer["ticket"]}
            if view["turn"] == view["seat"]:
                step["code"] = view["legal"][0]
            answer = json.loads(post(client, game, "step", step).content)
            assert "refused" not in answer


@pytest.mark.parametrize(
    ("sent", "field"),
    [
        ({"goal": "card-points", "sweep": "wipe"}, "sweep"),
        ({"values": "six-to-one"}, "values"),
        ({"goal": ""}, "goal"),
    ],
)
def test_what_cannot_be_chosen_is_asked_for_again_with_words(
    client: Client, sent: dict[str, str], field: str
) -> None:
    game = find("ristikontra-house")
    answer = client.get(reverse("bots:table", args=[game.key]), chosen(game, **sent))
    assert list(answer.context["form"].errors) == [field]
    page = answer.content.decode()
    assert "kp-board" not in page
    assert page.count('class="errorlist') == 1
    if field == "sweep":
        assert str(REFUSALS["game-points-only"]) in page


def test_signalling_is_not_conceded_with_computers_h4(client: Client) -> None:
    """It is not asked for, and an address that asks for it all the same gets it off."""
    game = find("ristikontra-house")
    page = table(client, game, **chosen(game, signalling="on"))
    assert "signalling" not in page_data(page)["choice"]["options"]
    answer = json.loads(post(client, game, "start", page_data(page)["choice"]).content)
    assert answer["view"]["options"]["signalling"] == "off"
    assert answer["view"]["concede"] is False
    for data in (
        {"ticket": answer["ticket"], "concede": 0},
        {"ticket": answer["ticket"], "side": 0},
    ):
        assert post(client, game, "step", data).status_code == 400


@pytest.mark.parametrize(
    ("key", "data", "status", "reason"),
    [
        ("ristiseiska", {"seats": 5, "options": {}}, 409, "seats"),
        ("ristiseiska", {"seats": 2, "options": {"deals": 0}}, 409, "option"),
        ("ristiseiska", {"seats": 2, "options": {"deals": "3"}}, 409, "option"),
        ("ristiseiska", {"seats": 2, "options": {"deals": True}}, 409, "option"),
        ("ristiseiska", {"seats": "2", "options": {}}, 400, "request"),
        ("ristiseiska", {"seats": 2, "options": {"deals": [3]}}, 400, "request"),
        ("ristiseiska", {"seats": 2, "options": {"deals": None}}, 400, "request"),
        ("ristiseiska", {"seats": 2, "options": []}, 400, "request"),
        ("cleaning", {"seats": 3, "options": {}}, 409, "seats"),
        (
            "ristikontra-house",
            {"seats": 4, "options": {"goal": "card-points", "sweep": "wipe"}},
            409,
            "game-points-only",
        ),
    ],
)
def test_a_start_is_what_the_game_allows(
    client: Client, key: str, data: object, status: int, reason: str
) -> None:
    answer = post(client, find(key), "start", data)
    assert answer.status_code == status
    refused = json.loads(answer.content)["refused"]
    assert refused["reason"] == reason


def test_true_is_no_number_of_seats(client: Client) -> None:
    answer = post(client, find("ristiseiska"), "start", {"seats": True, "options": {}})
    assert answer.status_code in (400, 409)


def test_a_ticket_is_of_its_game(client: Client) -> None:
    """The games that share an engine do not take each other's."""
    games = [find(key) for key in ("ristikontra", "ristikontra-house", "cleaning")]
    tickets = {}
    for game in games:
        choice = {"seats": 4, "options": {}}
        tickets[game.key] = json.loads(post(client, game, "start", choice).content)["ticket"]
    for one, other in product(games, games):
        answer = post(client, other, "step", {"ticket": tickets[one.key]})
        told = json.loads(answer.content)
        broken = told.get("refused", {}).get("reason") == "ticket-broken"
        assert broken == (one is not other)


def test_pages_without_a_computer_do_not_offer_one(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = find("cleaning")
    address = reverse("bots:table", args=[game.key])
    page = client.get(reverse("tables:new", args=[game.key])).content.decode()
    assert address in page
    monkeypatch.delitem(POLICIES, "cleaning")
    assert not has_computer(game)
    page = client.get(reverse("tables:new", args=[game.key])).content.decode()
    assert address not in page
    assert client.get(address).status_code == 404
