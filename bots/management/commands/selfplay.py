"""``manage.py selfplay GAME --matches N``: computers play each other; their records are written."""

import random
import secrets
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser, no_translations

from bots.policies import POLICIES, choose_play
from game.engine.base import Illegal, Options
from game.engine.cards import PACK
from game.engine.registry import AnyGame, newest
from game.management import write_lines
from game.records import Deal, Record, dumps
from game.words import refusal


class Command(BaseCommand):
    help = "Lets computers play matches against each other and writes one record a line."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("game", metavar="GAME", help=", ".join(sorted(POLICIES)))
        parser.add_argument("--matches", metavar="N", type=int, required=True)
        parser.add_argument(
            "--seed",
            metavar="S",
            type=int,
            help="the same matches for the same seed; for tests and benchmarks only",
        )
        parser.add_argument("--seats", metavar="N", type=int, help="as many as may play")
        parser.add_argument(
            "--option",
            metavar="KEY=VALUE",
            dest="choices",
            action="append",
            default=[],
            help="a rule option of the game; may be given several times",
        )

    @no_translations
    def handle(
        self,
        *args: Any,
        game: str,
        matches: int,
        seed: int | None,
        seats: int | None,
        choices: list[str],
        **options: Any,
    ) -> None:
        played = newest().get(game)
        if played is None or game not in POLICIES:
            raise CommandError(f"No computer plays {game!r}, only {', '.join(sorted(POLICIES))}.")
        if matches < 1:
            raise CommandError("--matches: at least one match is wanted.")
        seats = played.seats[-1] if seats is None else seats
        chosen = read_options(played, choices)
        try:
            played.open(seats, chosen, dealer=0)
        except Illegal as illegal:
            what = illegal.facts.get("option", illegal.reason)
            raise CommandError(f"{what}: {refusal(illegal)}") from None

        # Seeded chance can be foretold, which is what a seed is for; no people play here.
        chance = secrets.SystemRandom() if seed is None else random.Random(seed)  # noqa: S311
        records = (play_match(played, seats, chosen, chance) for _ in range(matches))
        write_lines(self.stdout, map(dumps, records))


def play_match(game: AnyGame, seats: int, options: Options, chance: random.Random) -> Record:
    """The record of one match between computers. Illegal: what ``Game.open`` says."""
    sheet = game.open(seats, options, dealer=chance.randrange(seats))
    deals = []
    while game.result(sheet) is None:
        pack = tuple(chance.sample(PACK, len(PACK)))
        state = game.deal(sheet, pack)
        plays = []
        while state.turn is not None:
            plays.append(choose_play(game, state))
            state = game.play(state, plays[-1])
        deals.append(Deal(sheet.dealer, pack, tuple(plays)))
        sheet = game.settle(state)
    return Record(
        game=game.key,
        options=options,
        seats=seats,
        deals=tuple(deals),
        engine=game.version,
        result=game.result(sheet),
    )


def read_options(game: AnyGame, choices: list[str]) -> dict[str, str | int]:
    """Options from ``key=value`` texts. A value that is not the game's stays, to be refused."""
    options: dict[str, str | int] = {}
    for choice in choices:
        name, sign, text = choice.partition("=")
        if not sign or name in options:
            raise CommandError(f"--option {choice}: a key=value is wanted, each key once.")
        values = {str(value): value for value in game.options.get(name, ())}
        options[name] = values.get(text, text)
    return options
