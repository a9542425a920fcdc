"""The catalogues are complete, say what the sources say, and are compiled."""

from __future__ import annotations

import re
from pathlib import Path

import polib
import pytest

from tools import messages

CATALOGUES = messages.catalogues()
COMMANDS = {
    word
    for source in (messages.ROOT / "static").rglob("*.js")
    for word in re.findall(r'\[gettext\("([^"]+)"\)\]:', source.read_text())
}
"""The words of the command field, as the modules have them."""
PLACEHOLDER = re.compile(r"%\(\w+\)[a-z]|%%")


def name(path: Path) -> str:
    return str(path.relative_to(messages.LOCALE))


each = pytest.mark.parametrize("path", CATALOGUES, ids=name)


@pytest.fixture(scope="module")
def templates() -> dict[str, polib.POFile]:
    return {domain: messages.extracted(domain) for domain in messages.DOMAINS}


def test_every_language_of_the_site_has_its_catalogues(settings) -> None:
    languages = {code for code, _ in settings.LANGUAGES} - {"en"}
    folders = {"fi": "fi", "pt-br": "pt_BR"}
    wanted = {
        f"{folders[code]}/LC_MESSAGES/{domain}.po"
        for code in languages
        for domain in messages.DOMAINS
    }
    assert {name(path) for path in CATALOGUES} == wanted


@each
def test_it_has_what_the_sources_say_and_nothing_else(
    path: Path, templates: dict[str, polib.POFile]
) -> None:
    found = {messages.key(entry) for entry in templates[path.stem]}
    held = {messages.key(entry) for entry in polib.pofile(str(path))}
    assert sorted(map(str, found - held)) == [], "run make messages"
    assert sorted(map(str, held - found)) == [], "run make messages"


@each
def test_everything_is_translated(path: Path) -> None:
    catalogue = polib.pofile(str(path))
    waiting = [entry.msgid for entry in catalogue if not entry.translated() or entry.obsolete]
    assert waiting == []
    for entry in catalogue:
        for text in forms(entry):
            assert text.strip(), entry.msgid


def forms(entry: polib.POEntry) -> list[str]:
    return list(entry.msgstr_plural.values()) if entry.msgid_plural else [entry.msgstr]


@each
def test_translations_fill_in_what_their_sources_do(path: Path) -> None:
    for entry in polib.pofile(str(path)):
        sources = [entry.msgid, entry.msgid_plural] if entry.msgid_plural else [entry.msgid]
        wanted = {frozenset(PLACEHOLDER.findall(source)) for source in sources}
        for text in forms(entry):
            assert frozenset(PLACEHOLDER.findall(text)) in wanted, entry.msgid
            # They begin and end as their sources do, or a space or a full stop would be lost.
            for source in sources[:1]:
                assert (text[0] == " ", text[-1] == " ") == (source[0] == " ", source[-1] == " ")
                assert text.count("\n") == source.count("\n"), entry.msgid


@each
def test_every_plural_has_its_forms(path: Path) -> None:
    catalogue = polib.pofile(str(path))
    rule = re.fullmatch(r"nplurals=2; plural=\(n (!=|>) 1\);", catalogue.metadata["Plural-Forms"])
    assert rule
    # Nothing is one thing less in Finnish as in English ("0 korttia"), in Portuguese "0 carta".
    assert (rule[1] == ">") == (catalogue.metadata["Language"] == "pt_BR")
    for entry in catalogue:
        if entry.msgid_plural:
            assert sorted(entry.msgstr_plural) == [0, 1], entry.msgid


@each
def test_it_is_compiled(path: Path) -> None:
    fresh = messages.compiled(polib.pofile(str(path)))
    assert path.with_suffix(".mo").read_bytes() == fresh, "run make messages"


def test_no_language_has_the_words_of_another() -> None:
    for domain in messages.DOMAINS:
        of = {
            path.parts[-3]: {messages.key(entry): forms(entry) for entry in polib.pofile(str(path))}
            for path in CATALOGUES
            if path.stem == domain
        }
        for key, texts in of["fi"].items():
            for one, other in zip(texts, of["pt_BR"][key], strict=True):
                words = [word for word in re.findall(r"[^\W\d_]+", one) if word not in key[1]]
                assert one != other or not words, one


@each
def test_cards_are_typed_in_one_way_only(path: Path) -> None:
    """No two cards are typed alike in the command field, and no command is typed as one."""
    if path.stem != "djangojs":
        return
    said = {(entry.msgctxt, entry.msgid): entry.msgstr for entry in polib.pofile(str(path))}
    typed = {msgid: text for (context, msgid), text in said.items() if "typed" in (context or "")}
    suits = [typed[suit].split(" ") for suit in "cdhs"]
    ranks = [typed.get(rank, rank).split(" ") for rank in [*"a23456789jqk", "10 t"]]
    seen: dict[str, tuple[int, int]] = {}
    for r, rank in enumerate(ranks):
        for s, suit in enumerate(suits):
            for one in rank:
                for other in suit:
                    for word in (one + other, other + one):
                        assert seen.setdefault(word, (r, s)) == (r, s), word
    assert len(set(seen.values())) == 52
    commands = {said[None, word] for word in COMMANDS}
    assert len(commands) == len(COMMANDS)
    assert not commands & set(seen)
    for command in commands:
        assert command == re.sub(r"\s", "", command).lower()


def test_commands_are_found() -> None:
    assert {"hand", "score", "turn", "dark", "stop", "chat"} <= COMMANDS
