"""What moderators do is on all screens of the table at once."""

from __future__ import annotations

import random
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.admin import ModelAdmin
from django.test import Client as Browser
from django.urls import reverse
from django.utils import timezone

from moderation.tests.people import act, log, page, ready_table, traced
from tables import lobby
from tables.models import Ban, Line
from tables.tests.seats import (
    BROWSERS,
    all_connected,
    db,
    drop_all,
    full_table,
    open_table,
    run,
)

pytestmark = pytest.mark.django_db(transaction=True)


def test_closing_ends_the_match_as_a_draw_and_tells_why(moderator: Browser) -> None:
    table = full_table()
    table.play_random(random.Random(1), 6)

    async def scenario() -> tuple[dict[str, Any], list[dict[str, Any]]]:
        clients = await all_connected(table)
        await db(act)(moderator, table.code, "close", words="Good night, all.")
        told = [await one.expect("snapshot") for one in clients]
        await clients[0].hears(1)
        await drop_all(clients)
        return told[0], clients[0].lines

    told, lines = run(scenario)
    assert told["outcome"] == {"outcome": "draw", "reason": "closed", "score": [0, 0]}
    assert lines[-1]["kind"] == "closed"
    assert lines[-1]["facts"] == {"words": "Good night, all."}
    for command in (lambda: table.say(1, "But"), lambda: table.agree("again", 1)):
        with pytest.raises(lobby.Refused, match="closed"):
            command()
    assert "closed by a moderator" in moderator.get(page(table.code)).content.decode()


def test_a_hidden_line_vanishes_from_open_screens_and_comes_back(moderator: Browser) -> None:
    table = full_table()
    table.say(1, "first")
    table.say(1, "bad words")
    table.say(2, "third")

    async def scenario() -> list[dict[str, Any]]:
        clients = await all_connected(table)
        await clients[3].hears(3)
        await db(act)(moderator, table.code, "hide", line=2)
        await clients[3].hears(4)
        await db(act)(moderator, table.code, "restore", line=2)
        await clients[3].hears(5)
        await drop_all(clients)
        return clients[3].lines

    lines = run(scenario)
    assert [line["n"] for line in lines] == [1, 2, 3, 2, 2]
    assert lines[3] == {"n": 2, "hidden": True}
    assert lines[4]["text"] == "bad words"
    assert not any("bad words" in message for message in log())


def test_a_muted_seat_is_told_and_says_nothing_until_it_may(moderator: Browser) -> None:
    table = full_table()

    async def scenario() -> list[str]:
        clients = await all_connected(table)
        told = []
        await db(act)(moderator, table.code, "mute", seat=1)
        await clients[1].hears(1)
        await clients[1].expect("snapshot")
        await clients[1].say(type="say", id="a", text="But")
        told.append((await clients[1].expect("refused"))["code"])
        await clients[1].say(type="rename", name="Rude")
        told.append((await clients[1].expect("refused"))["code"])
        await db(act)(moderator, table.code, "unmute", seat=1)
        await clients[1].expect("snapshot")
        await clients[1].say(type="say", id="b", text="Sorry")
        await clients[1].hears(3)
        told += [line.get("kind") or line["text"] for line in clients[1].lines]
        await drop_all(clients)
        return told

    assert run(scenario) == ["muted", "muted", "muted", "unmuted", "Sorry"]


def test_a_banned_browser_loses_its_pages_and_sits_down_nowhere(moderator: Browser) -> None:
    table, other = full_table(), open_table()
    origin = traced(table, 1)

    async def scenario() -> tuple[str, int]:
        clients = await all_connected(table)
        await db(act)(moderator, table.code, "ban-browser", seat=1, days=7)
        ending: tuple[str, int] = await clients[1].ending()
        await drop_all([clients[0], *clients[2:]])
        return ending

    assert run(scenario) == ("banned", 4403)
    with pytest.raises(lobby.Refused, match="banned"):
        lobby.open_table("ristikontra", 4, {}, BROWSERS[1], "", False, origin)
    with pytest.raises(lobby.Refused, match="banned"):
        lobby.claim(other.code, 1, other.invite(1), BROWSERS[1], "", origin)
    page = Browser()
    page.cookies["sessionid"] = table.cookie(1)
    assert page.get(reverse("tables:table", args=[table.code])).status_code == 403

    ban = Ban.objects.get()
    assert ban.reason == "because"
    assert timedelta(days=6) < ban.until - timezone.now() < timedelta(days=8)
    moderator.post(reverse("admin:tables_ban_act", args=[ban.pk, "lift"]), {"reason": "sorry"})
    assert page.get(reverse("tables:table", args=[table.code])).status_code == 200
    lobby.claim(other.code, 1, other.invite(1), BROWSERS[1], "", origin)


def test_an_act_and_its_log_are_one(moderator: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("the log is full")

    table = ready_table()
    monkeypatch.setattr(ModelAdmin, "log_change", fail)
    with pytest.raises(RuntimeError):
        act(moderator, table.code, "hide", line=1)
    assert not Line.objects.get(number=1).hidden
