"""The computer table over HTTP: its page, start and step, and what their answers give away.

No test here may use the database, which shows that the server keeps nothing.
"""

from __future__ import annotations

import ast
import json
import random
import re
from pathlib import Path
from typing import Any

import pytest
from django.http import HttpResponse, HttpResponseBase
from django.test import Client
from django.urls import reverse

from bots import computer, policies
from bots.computer import PERSON, Ticket, seal, unseal
from bots.tests.positions import (
    BARRED,
    disguised,
    face_up,
    first,
    naive,
    opened,
    plain,
    state_of,
    ticket,
    turn_of,
)
from bots.views import LIMIT
from game.tests.deals import GAME, random_deal
from game.tests.naive import NaiveDeal
from game.words import worded

ROOT = Path(__file__).resolve().parents[2]
PAGE = reverse("bots:table", args=[GAME.key])
START = reverse("bots:start", args=[GAME.key])
STEP = reverse("bots:step", args=[GAME.key])


@pytest.fixture
def client() -> Client:
    """A stranger's browser: no session, no token against forged requests."""
    return Client(enforce_csrf_checks=True)


CHOICE = b'{"seats": 4, "options": {}}'


def post(client: Client, address: str, body: bytes = CHOICE, **headers: str) -> HttpResponse:
    """The answer to a request, which in every case is for this reader and this moment alone."""
    answer = client.generic("POST", address, body, "application/json", headers=headers)
    assert isinstance(answer, HttpResponse)
    assert answer.headers["Content-Type"] == "application/json"
    assert "no-store" in answer.headers["Cache-Control"]
    assert "private" in answer.headers["Cache-Control"]
    check_no_cookie(answer)
    return answer


def check_no_cookie(answer: HttpResponseBase) -> None:
    assert not answer.cookies
    assert "Set-Cookie" not in answer.headers


def step(client: Client, one: Ticket | str, *code: object) -> HttpResponse:
    """The answer to a step from a ticket, with a code if one is given."""
    data: dict[str, object] = {"ticket": seal(one) if isinstance(one, Ticket) else one}
    if code:
        (data["code"],) = code
    return post(client, STEP, json.dumps(data).encode())


def view(answer: HttpResponse) -> dict[str, Any]:
    """The view in an answer that was not refused."""
    assert answer.status_code == 200
    data = json.loads(answer.content)
    assert list(data) == ["ticket", "view"]
    assert isinstance(data["view"], dict)
    return data["view"]


def sent(answer: HttpResponse) -> Ticket:
    """The ticket in an answer."""
    return unseal(json.loads(answer.content)["ticket"], GAME)


def refusal(answer: HttpResponse, *statuses: int) -> dict[str, Any]:
    """The reason and the facts of a refusal."""
    assert answer.status_code in (statuses or (400, 409))
    data = json.loads(answer.content)
    assert list(data) == ["refused"]
    assert sorted(data["refused"]) == ["facts", "reason"]
    assert isinstance(data["refused"], dict)
    return data["refused"]


def page_data(client: Client, name: str) -> Any:
    """What the page hands to its script under this name."""
    page = client.get(PAGE).content.decode()
    found = re.search(f'<script id="{name}" type="application/json">(.*?)</script>', page)
    assert found
    return json.loads(found[1])


# --- The page ---------------------------------------------------------------------------------


def test_the_page_comes(client: Client) -> None:
    page = client.get(PAGE)
    assert page.status_code == 200
    assert "<title>Ristikontra against the computer · Korttipöytä</title>" in page.content.decode()
    check_no_cookie(page)
    assert client.head(PAGE).status_code == 200


def test_the_page_says_where_to_ask_and_who_sits_there(client: Client) -> None:
    page = page_data(client, "kp-page")
    assert (page["start"], page["step"]) == (START, STEP)
    assert page["names"] == ["", "West", "North", "East"]


def test_the_page_is_not_for_search_engines(client: Client) -> None:
    assert '<meta name="robots" content="noindex">' in client.get(PAGE).content.decode()


def test_the_page_allows_scripts_and_styles_of_this_site_only(client: Client) -> None:
    """And has none that this would forbid."""
    page = client.get(PAGE)
    policy = {
        name: values
        for name, *values in map(str.split, page.headers["Content-Security-Policy"].split(";"))
    }
    assert policy["default-src"] == ["'self'"]
    assert policy["frame-ancestors"] == ["'none'"]
    assert policy["object-src"] == ["'none'"]
    assert policy["base-uri"] == ["'none'"]
    assert not {"script-src", "script-src-elem", "style-src", "style-src-elem"} & policy.keys()
    assert not re.search("unsafe|http:|https:|\\*", page.headers["Content-Security-Policy"])

    text = page.content.decode()
    for script in re.findall("<script[^>]*>", text):
        assert ' src="/' in script or 'type="application/json"' in script
    assert not re.search(r"<style|\sstyle=|\son[a-z]+=|javascript:", text)


def test_the_page_is_not_framed_and_its_address_goes_to_no_other_site(client: Client) -> None:
    page = client.get(PAGE)
    assert page.headers["X-Frame-Options"] == "DENY"
    assert page.headers["Referrer-Policy"] == "same-origin"
    assert page.headers["X-Content-Type-Options"] == "nosniff"


def test_the_page_is_only_read(client: Client) -> None:
    for method in ("POST", "PUT", "PATCH", "DELETE"):
        # Whether the token is missed first or the method is refused first is all the same.
        assert client.generic(method, PAGE).status_code in (403, 405)
        assert Client().generic(method, PAGE).status_code == 405


# --- Starting and stepping --------------------------------------------------------------------


def test_a_match_starts(client: Client) -> None:
    answer = post(client, START)
    seen = view(answer)
    assert (seen["game"], seen["seat"], seen["deal"], seen["result"]) == (GAME.key, 0, 1, None)
    assert len(seen["hand"]) == 6
    assert sent(answer).plays == []


@pytest.mark.parametrize("body", [b"", b"null", b"[]", b"\xff\0", b'{"seats": 4}', b"x" * 100_000])
def test_a_start_says_how_many_play_and_how(client: Client, body: bytes) -> None:
    answer = post(client, START, body)
    assert (answer.status_code, json.loads(answer.content)["refused"]["reason"]) == (400, "request")


@pytest.mark.parametrize(
    ("seats", "options", "reason"), [(3, {}, "seats"), (4, {"goal": "card-points"}, "option")]
)
def test_a_start_is_what_the_game_allows(
    client: Client, seats: int, options: dict[str, str], reason: str
) -> None:
    answer = post(client, START, json.dumps({"seats": seats, "options": options}).encode())
    assert (answer.status_code, json.loads(answer.content)["refused"]["reason"]) == (409, reason)


def test_every_start_is_another_match(client: Client) -> None:
    assert len({tuple(sent(post(client, START)).pack) for _ in range(20)}) == 20


def test_the_persons_play_is_made(client: Client) -> None:
    one = first(opened(1), turn_of(PERSON))
    for code in GAME.legal(state_of(one)):
        answer = step(client, one, code)
        assert plain(sent(answer)) == plain(computer.step(one, code))
        assert view(answer) == GAME.view(GAME.play(state_of(one), code), PERSON)


@pytest.mark.parametrize("code", [(), (None,)])
def test_a_computers_play_is_made(client: Client, code: tuple[None, ...]) -> None:
    one = first(opened(1), turn_of(2))
    answer = step(client, one, *code)
    assert plain(sent(answer)) == plain(computer.step(one, None))
    assert view(answer)["turn"] == 3 or len(view(answer)["last"]) == 4


def test_the_next_deal_and_the_next_match_are_dealt(client: Client) -> None:
    one = first(opened(1), turn_of(None))
    seen = view(step(client, one))
    assert (seen["deal"], seen["last"], seen["piles"]) == (2, [], [0, 0])
    assert sum(seen["score"]) + seen["held"] == 1

    one = first(opened(1, score=(6, 6)), turn_of(None))
    seen = view(step(client, one))
    assert (seen["deal"], seen["last"], seen["score"], seen["result"]) == (1, [], [0, 0], None)
    assert seen["dealer"] == (one.sheet["dealer"] + 1) % 4


def test_a_step_asked_for_again_is_answered_with_the_same_view(client: Client) -> None:
    one = seal(first(opened(1), turn_of(1)))
    assert views([step(client, one), step(client, one)])


def views(answers: list[HttpResponse]) -> bool:
    """Whether these answers, the tickets in them apart, are equal byte by byte."""
    return len({re.sub(rb'"ticket": "[^"]*"', b"", answer.content) for answer in answers}) == 1


# --- Cookies, methods, addresses --------------------------------------------------------------


def test_cookies_make_no_difference(client: Client) -> None:
    token = "a1" * 16
    cookies = f"sessionid={token}; csrftoken={token}; django_language=fi; messages=x; \xff=\0"
    page = client.get(PAGE, headers={"cookie": cookies})
    assert page.content == client.get(PAGE).content
    check_no_cookie(page)

    one = seal(first(opened(1), turn_of(PERSON)))
    for code in ("dark", "joker"):
        body = json.dumps({"ticket": one, "code": code}).encode()
        assert views([post(client, STEP, body), post(client, STEP, body, cookie=cookies)])
    without, cookied = post(client, START), post(client, START, cookie=cookies)
    assert list(view(without)) == list(view(cookied))
    assert without.headers.keys() == cookied.headers.keys()


def test_pages_of_other_sites_gain_nothing_that_needs_a_token(client: Client) -> None:
    """No cookie is authority here, so neither is a token: strangers may ask as well."""
    one = seal(first(opened(1), turn_of(PERSON)))
    body = json.dumps({"ticket": one, "code": "dark"}).encode()
    foreign = {"origin": "https://other.example", "referer": "https://other.example/"}
    answer = post(client, STEP, body, **foreign)
    assert view(answer)
    assert not [name for name in answer.headers if name.lower().startswith("access-control")]


def test_the_type_of_the_body_does_not_matter(client: Client) -> None:
    body = json.dumps({"ticket": seal(opened(1))}).encode()
    for kind in ("", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
        answer = client.generic("POST", STEP, body, kind)
        assert answer.status_code == 200


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"])
@pytest.mark.parametrize("address", [START, STEP])
def test_start_and_step_are_only_posted_to(client: Client, method: str, address: str) -> None:
    answer = client.generic(method, address)
    assert answer.status_code == 405
    check_no_cookie(answer)


@pytest.mark.parametrize("name", ["table", "start", "step"])
@pytest.mark.parametrize("key", ["poker", "RISTIKONTRA", "ristikontra-1", "0", "__class__"])
def test_there_is_no_other_game(client: Client, name: str, key: str) -> None:
    address = reverse(f"bots:{name}", args=[key])
    answer = client.get(address) if name == "table" else client.post(address)
    assert answer.status_code == 404
    check_no_cookie(answer)


@pytest.mark.django_db
def test_there_is_no_table_where_no_board_is(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(GAME), "board", "")
    for address in (PAGE, "/", f"/games/{GAME.key}/"):
        answer = client.get(address)
        assert (answer.status_code == 404) == (address != "/")
        assert GAME.title.encode() not in answer.content
    assert client.post(START).status_code == 404
    assert client.post(STEP, b"{}", "application/json").status_code == 404


def test_there_is_no_table_where_no_computer_plays(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(policies.POLICIES, GAME.key)
    assert client.get(PAGE).status_code == 404
    assert client.post(START).status_code == 404
    assert client.post(STEP, b"{}", "application/json").status_code == 404


def test_there_is_no_table_without_a_board(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(GAME), "board", "")
    assert client.get(PAGE).status_code == 404
    assert client.post(START).status_code == 404
    assert client.post(STEP, b"{}", "application/json").status_code == 404


# --- Bodies that are no request ---------------------------------------------------------------

TICKET = "a ticket"
"""Stands in the bodies below for a real one."""


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b" ",
        b"x",
        b"{",
        b'{"ticket": "a ticket"',
        b'{"ticket": "a ticket"}}',
        b"{'ticket': 'a ticket'}",
        b"ticket=a+ticket",
        b"null",
        b"true",
        b"7",
        b'"a ticket"',
        b"[]",
        b'["a ticket"]',
        b'[{"ticket": "a ticket"}]',
        b"{}",
        b'{"code": "dark"}',
        b'{"Ticket": "a ticket"}',
        b'{"ticket": null}',
        b'{"ticket": 7}',
        b'{"ticket": true}',
        b'{"ticket": ["a ticket"]}',
        b'{"ticket": {"ticket": "a ticket"}}',
        b'{"ticket": NaN}',
        b'{"ticket": Infinity}',
        b"NaN",
        b'{"ticket": "a ticket", "code": 7}',
        b'{"ticket": "a ticket", "code": 7.5}',
        b'{"ticket": "a ticket", "code": NaN}',
        b'{"ticket": "a ticket", "code": -Infinity}',
        b'{"ticket": "a ticket", "code": 1e999}',
        b'{"ticket": "a ticket", "code": false}',
        b'{"ticket": "a ticket", "code": ["dark"]}',
        b'{"ticket": "a ticket", "code": {"code": "dark"}}',
        b'{"ticket": "a ticket", "code": "dark", "seat": 1}',
        b'{"ticket": "a ticket", "": null}',
        b'{"ticket": "a ticket", "\\ud800": "dark"}',
        b'{"ticket": "a ticket", "code": "dark\0"}',
        b'{"ticket": "a ticket", "code": "\xff"}',
        b'{"ticket": "a ticket", "code": "\xed\xa0\x80"}\xed',
        b'{"ticket": "a ticket", "code": "\\x"}',
        b'{"ticket": "a ticket", "code": ' + b"9" * 5_000 + b"}",
        b'{"ticket": ' + b"-" + b"9" * 5_000 + b"}",
        b"9" * 5_000,
        b"[" * 100_000 + b"]" * 100_000,
        b"[" * 4_000 + b"]" * 4_000,
        b"[" * 8_000,
        b'{"ticket":' * 800,
        b'{"ticket": "a ticket", "code": ' + b"[" * 3_000 + b"]" * 3_000 + b"}",
        b'{"ticket": "a ticket"}' + b" " * LIMIT,
        b'{"ticket": "' + b"A" * 1_000_000 + b'"}',
        b"\0" * 1_000_000,
    ],
    ids=lambda body: f"{ascii(body[:60])[2:-1]} {len(body)}",
)
def test_what_is_no_request_is_refused_as_such(client: Client, body: bytes) -> None:
    """Also when the ticket in it is good: then nothing else may be wrong."""
    real = seal(first(opened(1), turn_of(PERSON))).encode()
    for one in (body, body.replace(TICKET.encode(), real)):
        assert refusal(post(client, STEP, one), 400) == {"reason": "request", "facts": {}}


@pytest.mark.parametrize("length", ["", "x", "-1", "1" * 5_000, str(LIMIT + 1), "8e1"])
def test_a_request_that_lies_about_its_length_is_refused(client: Client, length: str) -> None:
    answer = client.generic("POST", STEP, b"{}", "application/json", CONTENT_LENGTH=length)
    assert answer.status_code == 400


@pytest.mark.parametrize(
    "text",
    ["", "a ticket", "\0", "\ud800", "é", "\U0001f0d1", "gAAAAA==", "=" * 100, "A" * 8_000],
    ids=lambda text: f"{text[:10]!a} {len(text)}",
)
@pytest.mark.parametrize("code", [(), ("dark",)])
def test_what_is_no_ticket_is_refused_as_such(
    client: Client, text: str, code: tuple[str, ...]
) -> None:
    answer = step(client, text, *code)
    assert refusal(answer, 409) == {"reason": "ticket-broken", "facts": {}}


@pytest.mark.parametrize(
    "code",
    ["", " ", "7", "7c", "C7", "7C 7D", "DARK", "\0", "\ud800", "♣", "<script>", "9" * 5_000],
    ids=lambda code: f"{code[:10]!a} {len(code)}",
)
def test_what_is_no_play_is_refused_as_such(client: Client, code: str) -> None:
    one = first(opened(1), turn_of(PERSON))
    answer = step(client, one, code)
    assert refusal(answer, 409) == {"reason": "unknown-code", "facts": {"code": code}}


def test_of_a_key_written_twice_json_takes_the_last(client: Client) -> None:
    one = seal(first(opened(1), turn_of(PERSON)))
    body = json.dumps({"ticket": one, "code": "dark"})
    assert view(post(client, STEP, body.replace("{", '{"code": "joker", ').encode()))
    assert view(post(client, STEP, body.replace("{", '{"ticket": 7, ').encode()))


def test_the_largest_ticket_is_well_below_the_limit(client: Client) -> None:
    """At the end of a deal, and even when the body has two bytes a sign."""
    tickets = [seal(first(opened(seed), turn_of(None))) for seed in range(20)]
    assert max(map(len, tickets)) < LIMIT / 4
    assert view(post(client, STEP, json.dumps({"ticket": tickets[0]}).encode("utf-16")))


# --- Refusals ---------------------------------------------------------------------------------

REFUSED: dict[str, tuple[Ticket | str, tuple[object, ...], int]] = {
    "barred": (ticket(*BARRED), ("7S",), 409),
    "dark-barred": (ticket(*BARRED), ("dark",), 409),
    "not-held": (ticket(*BARRED), ("7C",), 409),
    "unknown-code": (ticket(*BARRED), ("joker",), 409),
    "stock-empty": (
        first(opened(1), lambda state: state.turn == PERSON and not state.stock),
        ("dark",),
        409,
    ),
    "your-turn": (first(opened(1), turn_of(PERSON)), (), 409),
    "not-your-turn": (first(opened(1), turn_of(3)), ("dark",), 409),
    "deal-over": (first(opened(1), turn_of(None)), ("dark",), 409),
    "ticket-broken": ("a ticket", (), 409),
    "unknown-version": (Ticket(**{**vars(opened(1)), "version": 99}), (), 409),
    "request": (opened(1), (7,), 400),
}
"""By reason: a ticket and a code that are refused for it, and the status."""


@pytest.mark.parametrize("reason", REFUSED)
def test_a_refusal_tells_its_reason_for_which_the_page_has_words(
    client: Client, reason: str
) -> None:
    one, code, status = REFUSED[reason]
    refused = refusal(step(client, one, *code), status)
    assert refused["reason"] == reason
    words = page_data(client, "kp-words")
    sentence = words["refusals"][reason] % worded(refused["facts"])
    assert sentence.endswith(".")
    assert "%" not in sentence
    if rank := refused["facts"].get("rank"):
        assert words["rankPlurals"][rank] in sentence


@pytest.mark.parametrize("reason", [r for r, (one, _, _) in REFUSED.items() if one != "a ticket"])
def test_after_a_refusal_the_ticket_is_as_good_as_before(client: Client, reason: str) -> None:
    one, code, _ = REFUSED[reason]
    assert isinstance(one, Ticket)
    text = seal(one)
    refusal(step(client, text, *code))
    if reason == "unknown-version":
        return
    state = state_of(one)
    better = [GAME.legal(state)[0]] if state.turn == PERSON else []
    assert view(step(client, text, *better))


def test_the_page_has_words_for_every_reason_there_is(client: Client) -> None:
    """Wherever the code names one."""
    named = {
        part.value
        for source in (*ROOT.glob("game/engine/*.py"), *ROOT.glob("bots/*.py"))
        for call in ast.walk(ast.parse(source.read_text()))
        if isinstance(call, ast.Call) and ast.unparse(call.func) in ("Illegal", "_refused")
        if call.args
        for part in ast.walk(call.args[0])
        if isinstance(part, ast.Constant) and part.value != ""
    }
    assert named >= REFUSED.keys()
    assert named <= page_data(client, "kp-words")["refusals"].keys()


# --- What answers give away -------------------------------------------------------------------


def may_know(deal: NaiveDeal) -> set[str]:
    """All cards that the person may be shown (R13): its hand now, the trick in progress, the last
    trick taken. Nothing older, although the person has seen it; nothing of the deal before."""
    table = {card for _, card, _ in deal.table}
    last = {card for _, card, _ in deal.last}
    return {*deal.hands[PERSON], *table, *last}


def check_knowledge(answer: HttpResponse) -> dict[str, Any]:
    """The view in an answer; it shows all that the person may know and not one card more."""
    data = json.loads(answer.content)
    one = unseal(data.pop("ticket"), GAME)
    headers = repr(sorted(answer.headers.items()))
    assert set(re.findall("[A2-9TJQK][CDHS]", json.dumps(data))) == may_know(naive(one))
    assert not re.findall("[A2-9TJQK][CDHS](?![A-Za-z0-9])", headers)
    return view(answer)


@pytest.mark.parametrize("seed", range(2))
def test_through_whole_matches_no_answer_shows_a_card_the_person_may_not_know(
    client: Client, seed: int
) -> None:
    """From the first step to the first of the rematch."""
    rng = random.Random(seed)
    answer = step(client, opened(seed))
    over = False
    while True:
        seen = check_knowledge(answer)
        if over and not seen["result"]:
            break
        over = seen["result"] is not None
        code = [rng.choice(seen["legal"])] if seen["turn"] == PERSON else []
        answer = step(client, json.loads(answer.content)["ticket"], *code)
    assert (seen["deal"], seen["last"]) == (1, [])


def test_no_start_shows_a_card_the_person_may_not_know(client: Client) -> None:
    for _ in range(20):
        seen = check_knowledge(post(client, START))
        assert len(seen["hand"]) == 6


def test_matches_that_differ_in_hidden_cards_only_give_equal_views(client: Client) -> None:
    """Byte by byte, at every step of a deal.

    Hidden are all cards that the person has never held or seen; when a computer is to play, its
    own hand stays too, because what it plays comes from that.
    """
    rng = random.Random(3)
    differing = 0
    for number in range(4):
        deal = random_deal(rng, GAME, state_of(opened(number)).sheet)
        for made in range(52):
            before = ticket(deal.pack, deal.plays[:made], deal.states[0].sheet)
            turn = state_of(before).turn
            code = deal.plays[made : made + 1] if turn == PERSON else ()
            answer = step(client, before, *code)
            model = naive(sent(answer))
            known = {*model.hands[PERSON], *face_up(model), *naive(before).hands[turn or 0]}
            others = [disguised(rng, deal.pack, known) for _ in range(2)]
            answers = [
                step(client, ticket(pack, before.plays, deal.states[0].sheet), *code)
                for pack in others
            ]
            assert views([answer, *answers])
            assert {tuple(sent(one).pack) for one in answers} == set(others)
            differing += len({deal.pack, *others}) - 1
    assert differing > 200


@pytest.mark.parametrize("code", ["7S", "7C", "dark", "KS", "joker"])
def test_refusals_do_not_depend_on_hidden_cards(client: Client, code: str) -> None:
    pack, plays = BARRED
    deal = naive(ticket(pack, plays))
    packs = [
        disguised(random.Random(seed), pack, {*deal.hands[PERSON], *face_up(deal)})
        for seed in range(5)
    ]
    assert len(set(packs)) == 5
    answers = [step(client, ticket(one, plays), code) for one in packs]
    assert refusal(answers[0], 409)
    assert views(answers)
