"""``prune``: erase what is too old to be kept."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from tables import retention


class Command(BaseCommand):
    help = "Erase idle tables, old chat, ended bans and the like. Meant to run hourly."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--dry-run", action="store_true", help="only count, erase nothing")

    def handle(self, *args: Any, dry_run: bool, **options: Any) -> None:
        counts = retention.prune(dry_run)
        told = ", ".join(f"{count} {what}" for what, count in counts.items())
        self.stdout.write(f"{'Would erase' if dry_run else 'Erased'}: {told}")
