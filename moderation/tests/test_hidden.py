"""Nothing of a running match comes out of admin: not in a page, nor by asking for it (CASE 23).

A "view" permission alone would make of ``?pack__startswith=`` an oracle for the stock; so every
list is asked for every field of `game` over every relation, by somebody who may do everything.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db.models import Model
from django.test import Client as Browser
from django.urls import NoReverseMatch, reverse

from game import matches
from game.models import Deal
from moderation.tests.people import act, client, ready_table, row
from tables.models import Report

pytestmark = pytest.mark.django_db

DEEP = 5
LOOKUPS = (
    "",
    "__startswith",
    "__contains",
    "__regex",
    "__gt",
    "__in",
    "__isnull",
    "__0__startswith",
)
REGISTERED = list(admin.site._registry)


def ways(
    model: type[Model], deep: int = DEEP, before: str = ""
) -> Iterator[tuple[str, type[Model]]]:
    """Every way over relations from a model, and where it leads; to and fro among them."""
    yield before, model
    if deep == 0:
        return
    for field in model._meta.get_fields():
        if field.is_relation and isinstance(field.related_model, type):
            yield from ways(field.related_model, deep - 1, f"{before}{field.name}__")


def questions(model: type[Model]) -> set[str]:
    """What a list might be asked about fields of ``game`` or of seats."""
    asked = set()
    for way, end in ways(model):
        if end._meta.app_label == "game" or end._meta.model_name in ("seat", "trace"):
            for field in end._meta.concrete_fields:
                asked |= {f"{way}{field.name}{lookup}" for lookup in LOOKUPS}
    # And where no relation leads.
    asked |= {f"{name}{lookup}" for name in ("pack", "match__deals__pack") for lookup in LOOKUPS}
    return asked


@pytest.fixture
def asker() -> Browser:
    """Somebody who may do everything there is."""
    return client("superuser")


def test_deal_is_nowhere_in_admin() -> None:
    assert all(model._meta.app_label != "game" for model in REGISTERED)
    for model_admin in admin.site._registry.values():
        for inline in model_admin.inlines:
            assert inline.model._meta.app_label != "game"
        named = [*model_admin.search_fields, *model_admin.autocomplete_fields]
        assert not any(
            word in name for name in named for word in ("match", "deal", "pack", "plays")
        )
    assert str(Deal(number=3)) == "deal 3"


def test_the_search_finds_ways_to_a_pack() -> None:
    """The test below would else say little."""
    table = apps.get_model("tables", "Table")
    assert "match__deals__pack__startswith" in questions(table)
    assert "sittings__match__deals__plays__contains" in questions(table)
    assert "table__match__deals__salt" in questions(Report)


@pytest.mark.parametrize("model", REGISTERED, ids=lambda model: model._meta.label)
def test_no_list_answers_about_a_pack_case_23(model: type[Model], asker: Browser) -> None:
    """By its own rule for every question, and really for a sample of them."""
    table = ready_table()
    first = table.deal.pack[:2]
    model_admin = admin.site._registry[model]
    asked = sorted(questions(model))
    request: Any = None
    reaching = [name for name in asked if "__" in name or model._meta.app_label == "tables"]
    if model._meta.app_label in ("tables", "notices"):
        assert not any(model_admin.lookup_allowed(name, first, request) for name in reaching)
    address = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
    assert asker.get(address).status_code == 200
    for name in [*random.Random(1).sample(asked, min(40, len(asked))), "pack__startswith"]:
        answer = asker.get(address, {name: first})
        assert answer.status_code in (302, 400), name
        assert answer.status_code == 400 or answer["Location"].endswith("?e=1")
    for extra in ({"_to_field": "match__deals__pack"}, {"_to_field": "match"}, {"o": "99"}):
        assert asker.get(address, extra).status_code in (200, 400)
        assert asker.get(address, extra | {"_popup": "1"}).status_code in (200, 400)


TOKENS = re.compile(r'value="\w{64}"|\d{1,2}:\d\d(:\d\d)?( [ap]\.m\.)?')


def every_page(asker: Browser, code: str) -> dict[str, str]:
    """All that admin says of a table and of what lies around it."""
    report = Report.objects.get(code=code)
    rows: dict[str, Any] = {"tables_table": row(code), "tables_report": report.pk}
    places = [reverse("admin:index"), reverse("admin:app_list", args=["tables"])]
    for model in REGISTERED:
        name = f"{model._meta.app_label}_{model._meta.model_name}"
        places += [reverse(f"admin:{name}_changelist"), reverse(f"admin:{name}_add")]
        if name in rows:
            for what in ("change", "history", "delete"):
                places.append(reverse(f"admin:{name}_{what}", args=[rows[name]]))
    places += [
        reverse("admin:tables_table_record", args=[rows["tables_table"], 1]),
        reverse("admin:tables_table_act", args=[rows["tables_table"], "peek"]),
        reverse("admin:tables_table_changelist") + "?q=7H",
        reverse("admin:autocomplete")
        + "?app_label=tables&model_name=table&field_name=match&term=7H",
    ]
    for kind in ContentType.objects.filter(app_label__in=["game", "tables"]):
        places.append(reverse("admin:view_on_site", args=[kind.pk, 1]))
    told = {}
    for place in places:
        answer = asker.get(place)
        told[place] = f"{answer.status_code} {TOKENS.sub('', answer.content.decode())}"
    return told


def test_admin_says_the_same_of_two_deals_case_24(asker: Browser) -> None:
    table = ready_table()
    table.play_random(random.Random(1), 5)
    act(asker, table.code, "hide", line=1)
    every_page(asker, table.code)  # tokens and messages are there now
    one = every_page(asker, table.code)
    assert sum(text.startswith("200") for text in one.values()) > 10
    deal = table.deal
    Deal.objects.filter(pk=deal.pk).update(
        pack=" ".join(reversed(deal.pack.split())), plays="", salt="0" * 64, commitment="0" * 64
    )
    matches.forget()
    assert every_page(asker, table.code) == one


def test_nothing_of_a_game_can_be_pointed_at(asker: Browser) -> None:
    for model in apps.get_app_config("game").get_models():
        for what, arguments in (("changelist", []), ("change", [1]), ("history", [1]), ("add", [])):
            with pytest.raises(NoReverseMatch):
                reverse(f"admin:game_{model._meta.model_name}_{what}", args=arguments)
    kind = ContentType.objects.get_for_model(Deal)
    LogEntry.objects.create(user_id=1, content_type=kind, object_id="1", action_flag=2)
    assert asker.get(reverse("admin:index")).status_code == 200
