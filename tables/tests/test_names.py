"""Names at a table: taken at any time, and no two that look the same (CASES 5, 27)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tables import live, lobby, people, words
from tables.tests.seats import (
    NAMES,
    Table,
    all_connected,
    connected,
    drop_all,
    full_table,
    open_table,
    run,
)
from tables.tests.test_chat import TALKING
from tables.tests.test_lobby import refusal

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _all_words(seeded: None) -> Iterator[None]:
    words.unnamed.cache_clear()
    yield
    words.unnamed.cache_clear()


def rename(table: Table, seat: int, name: str) -> None:
    lobby.rename(table.place(seat), name)


def names(table: Table) -> list[str]:
    return [seat.name for seat in table.at().seats]


@pytest.mark.parametrize("moment", TALKING)
def test_one_may_take_another_name_at_any_moment_case_5(moment: str) -> None:
    """Hand, seat and score stay; the table's version moves, so that all are shown it."""
    table = TALKING[moment]()
    before, shown = table.at(), table.snapshot(0)
    rename(table, 0, "Lemminkäinen")
    now, new = table.at(), table.snapshot(0)
    assert names(table)[0] == "Lemminkäinen"
    assert (now.version, now.ply) == (before.version + 1, before.ply)
    assert now.seats[0].holder == before.seats[0].holder
    assert new.get("view") == shown.get("view")
    assert [one.name for one in now.seats[1:]] == [one.name for one in before.seats[1:]]


def test_a_new_name_is_shown_to_all_over_the_sockets_case_5() -> None:
    table = full_table()

    async def scenario() -> None:
        clients = await all_connected(table)
        await clients[1].say(type="rename", name="  Joukahainen\u202e ")
        for client in clients:
            shown = await client.expect("snapshot")
            assert shown["seats"][1]["name"] == "Joukahainen"
        await clients[2].say(type="rename", name="joukahainen")
        refused = await clients[2].expect("refused")
        assert (refused["of"], refused["code"]) == ("rename", "name")
        for client in (clients[0], clients[1], clients[3]):
            assert await client.waiting() == []
        await drop_all(clients)

    run(scenario)


def test_names_have_a_rate_of_their_own_over_all_tabs_of_a_seat() -> None:
    table = full_table()

    async def scenario() -> None:
        tabs = [await connected(table, 1), await connected(table, 1)]
        other = await connected(table, 2)
        for number in range(int(live.NAME_BURST)):
            await tabs[number % 2].say(type="rename", name=f"Toni {number}")
            await tabs[number % 2].until("snapshot")
        await tabs[0].say(type="rename", name="Joukahainen")
        refused = await tabs[0].until("refused")
        assert (refused["of"], refused["code"]) == ("rename", "too-fast")
        await other.say(type="rename", name="Kyllikki")
        shown = await other.until("snapshot")
        while shown["seats"][2]["name"] != "Kyllikki":
            shown = await other.until("snapshot")
        await drop_all([*tabs, other])

    run(scenario)
    assert names(table)[1] == f"Toni {int(live.NAME_BURST) - 1}"


def test_who_does_not_hold_the_seat_does_not_name_it() -> None:
    table = full_table()
    for holder in ("", "0" * 64, table.at().seats[2].holder):
        place = lobby.Place(table.code, table.match, 1, holder)
        assert refusal(lobby.rename, place, "Fool")[0] == "stale"


@pytest.mark.parametrize(
    "name",
    [
        "aino",
        "AINO",
        "Áínö",
        "Ａｉｎｏ",
        "A i n o",
        "Aino!",
        "A\u200bi\u2060no",
        "\u202eAino",
        "\u0410\u0456no",  # Cyrillic A and i
        "\u0391\u03b9n\u03bf",  # Greek alpha, iota, omicron
        "\u0391\u0399\u039d\u039f",  # Greek capitals throughout
        "Ain0",
        "A1no",
        "Alno",
        "A|no",
        "𝐀𝐢𝐧𝐨",
        "ⓐⓘⓝⓞ",
    ],
)
def test_a_name_that_looks_like_anothers_is_refused_case_5(name: str) -> None:
    table = full_table()
    for seat in (1, 2, 3):
        assert refusal(lobby.rename, table.place(seat), name) == ("name", {})
    assert names(table) == list(NAMES)
    waiting = open_table()
    assert refusal(waiting.claim, 1, name)[0] == "name"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Bob", "В\u043eb"),  # Cyrillic Ve
        ("Pekka", "\u0420\u0435kk\u0430"),
        ("Matti", "\u039c\u0391\u03a4\u03a4\u0399"),  # Greek capitals
        ("Hanna", "\u0397\u0391\u039d\u039d\u0391"),
        ("Yrjö", "\u03a5rj\u00f6"),
        ("Kaisa", "\u039aaisa"),
        ("Zoe", "\u0396oe"),
        ("Tero", "\u0422\u0435r\u043e"),
        ("Olli", "0||1"),
        ("Ilo", "lI0"),
        ("Max", "\u041c\u0430\u0445"),
        ("Suvi", "\u0405\u03c5v\u0456"),
        ("Joose", "\u0408oose"),
        ("Sofi\u0301a", "Sofia"),
    ],
)
def test_names_look_the_same_whichever_came_first_case_5(one: str, other: str) -> None:
    for first, second in ((one, other), (other, one)):
        table = open_table(first)
        assert refusal(table.claim, 1, second)[0] == "name"


@pytest.mark.parametrize("name", ["Aina", "Aino K", "Нина", "Νίκος", "日本", "🦊", "10"])
def test_other_names_are_free_case_5(name: str) -> None:
    table = full_table()
    rename(table, 1, name)
    assert names(table)[1] == name


@pytest.mark.parametrize("name", ["Aino", "aino", "AINO ", "A1no", "Áino", "Aino 2"])
def test_ones_own_name_may_be_taken_again_or_written_another_way(name: str) -> None:
    table = full_table()
    for _ in range(2):
        rename(table, 0, name)
    assert names(table)[0] == people.clean_name(name)


def test_a_name_that_is_free_again_may_be_taken() -> None:
    table = full_table()
    rename(table, 0, "Lemminkäinen")
    rename(table, 1, "aino")
    assert names(table)[:2] == ["Lemminkäinen", "aino"]


@pytest.mark.parametrize("name", ["", "  ", "\u200b", "\u202e", "\u3164", "\u2800"])
def test_any_number_may_give_their_names_up(name: str) -> None:
    table = full_table()
    for seat in range(4):
        rename(table, seat, name)
    assert names(table) == [""] * 4


@pytest.mark.parametrize(
    "name",
    [
        "Guest 1",
        "guest 1",
        "Guest l",
        "GUEST I",
        "Gu\u0435st 2",
        "Guest  7",
        "Guest3",
        "Host",
        "h0st",
    ],
)
def test_nobody_is_called_what_the_unnamed_are_called_case_5(name: str) -> None:
    """A seat without a name is worded by each page; nobody else may look like one."""
    table = full_table()
    assert refusal(lobby.rename, table.place(1), name)[0] == "name"
    assert refusal(open_table().claim, 1, name)[0] == "name"


@pytest.mark.parametrize(
    "name",
    ["Vieras 1", "vieras l", "Vieras 2", "ISÄNTÄ", "isanta", "Convidado 3", "Guest 1", "Host"],
)
def test_nor_what_they_are_called_in_any_other_language_case_5(name: str) -> None:
    """The one at the table may read Finnish while the one who takes the name reads English."""
    table = full_table()
    assert refusal(lobby.rename, table.place(2), name)[0] == "name"
    rename(table, 2, "Vieraskoira")


@pytest.mark.parametrize(
    ("given_name", "kept"),
    [
        ("<b>Aino</b>", "<b>Aino</b>"),
        ("\u202eonia\u202c", "onia"),
        ("A\u0335\u0335\u0335\u0335\u0335", "A\u0335\u0335"),
        ("Ki\ud800lli", "Killi"),
        ("\ud800", ""),
        ("Ki\x00lli", "Killi"),
        ("x" * 100, "x" * 24),
        ("👩‍👧", "👩👧"),
    ],
)
def test_a_new_name_is_made_harmless_case_27(given_name: str, kept: str) -> None:
    table = full_table()

    async def scenario() -> None:
        clients = await all_connected(table)
        await clients[3].say(type="rename", name=given_name)
        for client in clients:
            assert (await client.expect("snapshot"))["seats"][3]["name"] == kept
        await drop_all(clients)

    run(scenario)
