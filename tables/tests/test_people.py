"""People without accounts: browsers, holders, invites, names (CASES 2, 3, 5, 27)."""

from __future__ import annotations

import unicodedata

import pytest
from django.contrib.sessions.backends.base import SessionBase
from hypothesis import assume, example, given
from hypothesis import strategies as st
from pytest_django import Settings

from tables import people

PLACE = ("aabbccddee", 2, 5)
"""A table, a seat of it and the seat's turn-over."""

ANYTHING = st.text(st.characters(), max_size=120)
"""Any text, lone surrogates among it."""

NASTY = st.text(
    st.sampled_from(
        "aZäß 7\x00\x07\n\t\u00ad\u0301\u0308\u0e49\u200d\u200b\u202e\u2066\u2028\ufe0f\u20e3"
        "\ud800\udfff\ufeff\u3000🦊👩\U000e0041"
    ),
    max_size=60,
)
"""Text made of what breaks lines, turns them round, climbs over them or is not there at all."""


# ---- browsers ------------------------------------------------------------------------------------


def test_a_browser_gets_one_token_and_keeps_it() -> None:
    session = SessionBase()
    assert people.browser_of(session) is None
    assert not session.modified
    token = people.make_browser(session)
    assert session.modified
    assert len(token) >= 32
    assert people.browser_of(session) == token
    assert session.get_expiry_age() == people.AGE

    session.modified = False
    assert people.make_browser(session) == token
    assert not session.modified  # the session is written once


def test_no_two_browsers_have_the_same_token() -> None:
    assert len({people.make_browser(SessionBase()) for _ in range(50)}) == 50


@pytest.mark.parametrize("rubbish", [None, 7, ["token"], {"a": "b"}])
def test_a_token_that_is_no_text_is_none(rubbish: object) -> None:
    session = SessionBase()
    session[people.BROWSER] = rubbish
    assert people.browser_of(session) is None


@pytest.mark.parametrize(
    ("cookies", "key"),
    [
        ([], None),
        ([b""], None),
        ([b"other=1"], None),
        ([b"sessionid=abcdefgh12"], "abcdefgh12"),
        ([b"a=b; sessionid=abcdefgh12; c=d"], "abcdefgh12"),
        ([b"a=b", b"sessionid=abcdefgh12", b"c=d"], "abcdefgh12"),
        ([b"sessionid=abcdefgh12; sessionid=ijklmnop34"], "ijklmnop34"),  # as for Django's pages
        ([b"sessionid=short"], None),
        ([b"sessionid=abcdefgh\x00"], None),
        ([rb'sessionid="\000abcdefgh"'], None),
        ([b'=;;sessionid="; ="'], None),
    ],
)
def test_a_sockets_session_is_the_one_that_its_cookies_name(
    cookies: list[bytes], key: str | None
) -> None:
    headers = [(b"host", b"sessionid=abcdefgh12"), *((b"cookie", one) for one in cookies)]
    assert people.session_of(headers).session_key == key


# ---- holders -------------------------------------------------------------------------------------


def test_a_holder_is_a_hash_that_its_browser_alone_fits() -> None:
    holder = people.holders("me", *PLACE)[0]
    assert len(holder) == 64
    assert "me" not in holder
    assert people.holds(holder, "me", *PLACE)
    assert not people.holds(holder, "you", *PLACE)


@pytest.mark.parametrize(
    "place", [("ffffffffff", 2, 5), ("aabbccddee", 1, 5), ("aabbccddee", 2, 6)]
)
def test_a_holder_is_of_one_table_seat_and_turnover(place: tuple[str, int, int]) -> None:
    assert not people.holds(people.holders("me", *PLACE)[0], "me", *place)


def test_nobody_holds_a_free_seat() -> None:
    assert not people.holds("", "me", *PLACE)
    assert not people.holds("", "", *PLACE)


SEAT_KEYS = st.tuples(
    st.text("abcXYZ019-_", min_size=1),
    st.text("0a9f", min_size=1),
    st.integers(0, 30),
    st.integers(0, 30),
)


@given(SEAT_KEYS, SEAT_KEYS)
@example(("a", "b", 1, 11), ("a", "b", 11, 1))
def test_different_seats_never_have_the_same_holder(
    one: tuple[str, str, int, int], two: tuple[str, str, int, int]
) -> None:
    assume(one != two)
    assert not set(people.holders(*one)) & set(people.holders(*two))


def test_a_seat_outlives_a_change_of_the_secret_key(settings: Settings) -> None:
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "old", []
    holder, signature = people.holders("me", *PLACE)[0], people.sign(people.Link.INVITE, *PLACE)

    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "new", ["older", "old"]
    assert people.holds(holder, "me", *PLACE)
    assert people.signed(people.Link.INVITE, signature, *PLACE)
    assert people.holders("me", *PLACE)[0] != holder  # what is claimed from now on has the new key
    assert people.sign(people.Link.INVITE, *PLACE) != signature

    settings.SECRET_KEY_FALLBACKS = []
    assert not people.holds(holder, "me", *PLACE)
    assert not people.signed(people.Link.INVITE, signature, *PLACE)


# ---- invites -------------------------------------------------------------------------------------


def test_an_invite_is_for_one_table_seat_and_turnover() -> None:
    signature = people.sign(people.Link.INVITE, *PLACE)
    assert people.signed(people.Link.INVITE, signature, *PLACE)
    assert not people.signed(people.Link.INVITE, signature, "ffffffffff", 2, 5)
    assert not people.signed(people.Link.INVITE, signature, "aabbccddee", 3, 5)
    assert not people.signed(people.Link.INVITE, signature, "aabbccddee", 2, 6)  # renewed


def test_an_invite_fits_into_an_address() -> None:
    assert people.sign(people.Link.INVITE, *PLACE).replace("-", "").replace("_", "").isalnum()


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=60))
@example("")
@example(":")
@example("Ä" * 43)
def test_no_made_up_signature_invites(signature: str) -> None:
    assume(signature != people.sign(people.Link.INVITE, *PLACE))
    assert not people.signed(people.Link.INVITE, signature, *PLACE)


@given(st.data())
def test_no_changed_signature_invites(data: st.DataObject) -> None:
    signature = people.sign(people.Link.INVITE, *PLACE)
    at = data.draw(st.integers(0, len(signature) - 1))
    letter = data.draw(st.characters(min_codepoint=33, max_codepoint=126))
    assume(letter != signature[at])
    assert not people.signed(
        people.Link.INVITE, signature[:at] + letter + signature[at + 1 :], *PLACE
    )


def test_a_holder_is_no_invite_and_an_invite_no_holder() -> None:
    signature = people.sign(people.Link.INVITE, *PLACE)
    assert not people.signed(people.Link.INVITE, people.holders("me", *PLACE)[0], *PLACE)
    assert not people.holds(signature, "me", *PLACE)


# ---- names (CASE 27) -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given_name", "kept"),
    [
        ("Aino", "Aino"),
        ("  Aino   Kallio ", "Aino Kallio"),
        ("Väinö", "Väinö"),
        ("Va\u0308ino\u0308", "Väinö"),
        ("", ""),
        ("   ", ""),
        ("<b>Aino</b> & co", "<b>Aino</b> & co"),  # harmless as text; pages escape it
        ("Ai\x00no", "Aino"),
        ("Ai\nno\tK", "Ai no K"),
        ("Ai\u2028no", "Ai no"),
        ("Ai\u00a0no", "Ai no"),
        ("\u202eoniA\u202c", "oniA"),  # right-to-left override
        ("\u2066Aino\u2069", "Aino"),  # isolates
        ("Ai\u200bno\ufeff", "Aino"),  # nothing to see
        ("Ai\ud800no", "Aino"),  # a lone surrogate
        ("\ud800", ""),
        ("A\u0301\u0302\u0303\u0304\u0305ino", "Á\u0302\u0303ino"),  # zalgo
        ("a\u0315\u200d\u0315\u200d\u0315\u200d\u0315", "a\u0315\u0315"),  # zalgo with joiners
        ("\u0301Aino", "Aino"),  # a mark on nothing
        ("\u200d\u0301Aino", "Aino"),
        ("Aino \u0301K", "Aino K"),
        ("🦊", "🦊"),
        ("❤\ufe0f Aino", "❤\ufe0f Aino"),
        ("ที่นี่", "ที่นี่"),  # Thai: two marks on a letter
        ("हिन्दी", "हिन्दी"),
        ("日本語", "日本語"),
        ("אבג", "אבג"),
        ("n" * 100, "n" * 24),
        ("n" * 23 + " m", "n" * 23),
    ],
)
def test_a_name_is_cleaned(given_name: str, kept: str) -> None:
    assert people.clean_name(given_name) == kept


@given(ANYTHING | NASTY)
@example("a\u0315\u200d\u0315\u200d\u0315\u200d\u0315\u200d\u0315")
@example("\u200d\u0301")
@example("e\u200d\u0301")
@example("x" * 23 + " \u0301\u0301")
def test_any_name_ends_as_one_short_harmless_line(text: str) -> None:
    name = people.clean_name(text)
    assert len(name) <= people.NAME_LENGTH
    assert name == " ".join(name.split())
    assert not any(unicodedata.category(letter)[0] == "C" for letter in name)
    assert all(letter == " " or unicodedata.category(letter)[0] != "Z" for letter in name)
    name.encode()  # no lone surrogates
    marks = "".join(
        "m" if unicodedata.category(letter) in ("Mn", "Me") else letter if letter == " " else "a"
        for letter in name
    )
    assert "m" * (people.MARKS + 1) not in marks
    assert not marks.startswith("m")
    assert " m" not in marks
    assert people.clean_name(name) == name


@given(st.text(st.characters(categories=["Lu", "Ll", "Nd"], max_codepoint=0x24F), max_size=24))
def test_a_plain_name_stays_as_it_is(text: str) -> None:
    assert people.clean_name(text) == unicodedata.normalize("NFC", text)


# ---- names that look the same (CASE 5) -----------------------------------------------------------


@pytest.mark.parametrize(
    "other",
    [
        "aino",
        "AINO",
        " Aino ",
        "A i n o",
        "Áíñö",
        "Ａｉｎｏ",
        "Ai-no",
        "Aino!",
        "A\u00adino",
        "𝐀𝐢𝐧𝐨",
    ],
)
def test_these_look_like_aino(other: str) -> None:
    assert people.likeness(other) == people.likeness("Aino")


@pytest.mark.parametrize("other", ["Aina", "Ain", "Aino 2", "Aïnoo", "🦊", "!", "日本"])
def test_these_do_not_look_like_aino(other: str) -> None:
    assert people.likeness(other) != people.likeness("Aino")


def test_names_without_letters_look_like_themselves_alone() -> None:
    assert people.likeness("🦊") != people.likeness("🐻")
    assert people.likeness("🦊") == people.likeness("🦊 ")
    assert people.likeness("❤") == people.likeness("❤\ufe0f")
    assert people.likeness("!?") != people.likeness("")


@given(ANYTHING | NASTY)
@example("\u02d8")  # a breve alone, which falls apart into a space and a mark
def test_likeness_stays_through_case_cleaning_and_spaces(text: str) -> None:
    name = people.clean_name(text)
    assume(name)
    assert people.likeness(name)
    spaced = " ".join(name)
    assert people.likeness(spaced) == people.likeness(name)
    assert people.likeness(people.clean_name(f"  {name} ")) == people.likeness(name)
    if name.isascii():
        assert people.likeness(name.swapcase()) == people.likeness(name)
