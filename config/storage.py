"""Static files as browsers get them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any

from django.core.files.base import ContentFile, File
from django.core.files.storage import Storage
from servestatic.storage import CompressedManifestStaticFilesStorage

OWN = "korttipoyta"
"""The folder of ours among the static files; what others wrote is served as they wrote it."""


class StaticStorage(CompressedManifestStaticFilesStorage):
    """Hashed and compressed files, in which JavaScript imports point at hashed files too, and which
    have no comments: those would be a sixth of the styles and modules of a table's page. The files
    without a hash keep theirs."""

    support_js_module_import_aggregation = True

    def post_process(
        self, paths: dict[str, tuple[Storage, str]], *args: Any, **options: Any
    ) -> Iterator[tuple[str, str | None, bool | Exception]]:
        bare = {name: (_Bare(storage), path) for name, (storage, path) in paths.items()}
        yield from super().post_process(bare, *args, **options)


class _Bare:
    """Another storage, whose styles and modules of ours are opened without comments."""

    def __init__(self, storage: Storage) -> None:
        self.storage = storage

    def open(self, path: str) -> File[Any]:
        file = self.storage.open(path)
        kind = PurePosixPath(path).suffix
        if PurePosixPath(path).parts[0] != OWN or kind not in (".css", ".js"):
            return file
        with file:
            text = file.read().decode("utf-8")
        return ContentFile(without_comments(text, slashes=kind == ".js").encode("utf-8"), path)


def without_comments(text: str, slashes: bool) -> str:
    """A style, or with ``slashes`` a module, without the lines that hold nothing but a comment.

    A comment beside code stays: to find its beginning one would have to read strings and regular
    expressions. So does everything in a string of many lines.
    """
    kept: list[str] = []
    inside = in_string = False
    for line in text.splitlines(keepends=True):
        bare = line.strip()
        if inside:
            _, closed, line = line.partition("*/")
            inside = not closed
            if not line.strip():
                continue
        elif not in_string:
            end = bare.find("*/", 2)
            inside = bare.startswith("/*") and end < 0
            whole = bare.startswith("/*") and end == len(bare) - 2
            if inside or whole or (slashes and bare.startswith("//")):
                continue
        in_string ^= slashes and line.count("`") % 2 == 1
        kept.append(line)
    return "".join(kept)
