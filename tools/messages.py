"""The messages of the site and their translations: ``make messages`` brings them up to date.

Extracts every message, brings the catalogues of game/locale into line with what was found (new
messages come untranslated, what is not said any more goes) and compiles them. A machine without
gettext's ``xgettext`` can still compile: that is done here, in Python.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import polib
from django.utils.translation import templatize

ROOT = Path(__file__).resolve().parent.parent
LOCALE = ROOT / "game" / "locale"
DOMAINS = ("django", "djangojs")
APPS = ("game", "bots", "tables", "moderation", "operating", "notices", "config")
CONTEXT = ("pgettext:1c,2", "pgettext_lazy:1c,2", "npgettext:1c,2,3", "npgettext_lazy:1c,2,3")
KEYWORDS = {
    "Python": ("gettext_noop", "gettext_lazy", "ngettext_lazy:1,2", *CONTEXT),
    "JavaScript": ("gettext", "ngettext:1,2", "pgettext:1c,2", "npgettext:1c,2,3"),
}


def extracted(domain: str) -> polib.POFile:
    """All messages of a domain as they stand in the sources, untranslated."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = list(_python(folder) if domain == "django" else _javascript(folder))
        language = "Python" if domain == "django" else "JavaScript"
        run = subprocess.run(
            [
                shutil.which("xgettext") or "xgettext",
                *("--language", language, "--from-code=UTF-8", "--add-location=file", "--output=-"),
                *("--no-wrap", "--add-comments=Translators"),
                *(f"--keyword={keyword}" for keyword in KEYWORDS[language]),
                *files,
            ],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
    if run.returncode:
        raise RuntimeError(run.stderr)
    return polib.pofile(run.stdout)


def _python(folder: Path) -> Iterator[str]:
    """Python as it is, templates as the Python that says the same."""
    for app in APPS:
        for source in sorted((ROOT / app).rglob("*.py")):
            if not {"tests", "migrations"} & set(source.relative_to(ROOT).parts):
                yield _put(folder, source.relative_to(ROOT), source.read_text())
    for source in sorted((ROOT / "templates").rglob("*.html")):
        path = source.relative_to(ROOT)
        yield _put(folder, path, templatize(source.read_text(), origin=str(path)))


def _javascript(folder: Path) -> Iterator[str]:
    for source in sorted((ROOT / "static").rglob("*.js")):
        yield _put(folder, source.relative_to(ROOT), source.read_text())


def _put(folder: Path, path: Path, text: str) -> str:
    place = folder / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text)
    return str(path)


def catalogues() -> list[Path]:
    """The sources of all translations."""
    return sorted(LOCALE.glob("*/LC_MESSAGES/*.po"))


def key(entry: polib.POEntry) -> tuple[str | None, str, str]:
    """What makes two messages the same."""
    return entry.msgctxt, entry.msgid, entry.msgid_plural


def merge(template: polib.POFile, old: polib.POFile) -> polib.POFile:
    """The messages of the template with the translations of the old catalogue."""
    merged = polib.POFile(wrapwidth=100)
    merged.header, merged.metadata = old.header, old.metadata
    merged.metadata.pop("POT-Creation-Date", None)  # would change with every run
    known = {key(entry): entry for entry in old if not entry.obsolete}
    for entry in template:
        entry.comment = ""
        if found := known.get(key(entry)):
            entry.msgstr, entry.tcomment = found.msgstr, found.tcomment
            entry.msgstr_plural = found.msgstr_plural
        merged.append(entry)
    return merged


def compiled(catalogue: polib.POFile) -> bytes:
    """The bytes of its .mo file."""
    return bytes(catalogue.to_binary())


def main() -> int:
    """Extract, merge, compile; how many messages wait for a translation."""
    extract = shutil.which("xgettext") is not None
    if not extract:
        print("xgettext is missing (package gettext): compiling only", file=sys.stderr)
    templates = {domain: extracted(domain) for domain in DOMAINS} if extract else {}
    for path in catalogues():
        catalogue = polib.pofile(str(path), wrapwidth=100)
        if path.stem in templates:
            catalogue = merge(templates[path.stem], catalogue)
            catalogue.save(str(path))
        path.with_suffix(".mo").write_bytes(compiled(catalogue))
        waiting = len(catalogue.untranslated_entries())
        print(f"{path.relative_to(ROOT)}: {len(catalogue)} messages, {waiting} untranslated")
    return 0


if __name__ == "__main__":
    sys.exit(main())
