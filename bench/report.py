"""What was measured, as medians and as the tables of `docs/performance.md`."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Callable
from typing import Any

Row = dict[str, Any]
"""What was measured, by `NAMES`; what else is a number is a figure."""

BEGIN, END = "<!-- measured by make bench: begin -->", "<!-- measured by make bench: end -->"
FLOOR = "one in, four out"
SITE = "site on SQLite"
PEER = "boardgame.io"
POSTGRES = {
    1: "site on PostgreSQL and Redis, one process",
    2: "site on PostgreSQL and Redis, two processes",
}
LIGHT, LIGHT_ECHO, SQUEEZED = "site, light load", "echo, light load", "site, compression offered"
ECHO, COMMIT = "echo", "commit"
ORDER = (SITE, *POSTGRES.values(), PEER, FLOOR, ECHO, LIGHT, LIGHT_ECHO)
"""What is compared, as it stands in the tables."""
NAMES = ("what", "where", "tables", "sockets")


def medians(passes: list[list[Row]]) -> list[Row]:
    """Of each thing that was measured the medians over all passes, in the order of the first; of
    plays a second also the least and the most. Errors are those of all passes."""
    found: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
    for rows in passes:
        for row in rows:
            found[tuple(row.get(name) for name in NAMES)].append(row)
    return [_median(rows) for rows in found.values()]


def _median(rows: list[Row]) -> Row:
    merged: Row = {}
    for name, value in rows[0].items():
        values = [row[name] for row in rows if name in row]
        if name in NAMES or isinstance(value, bool):
            merged[name] = value
        elif name == "errors":
            merged[name] = {key: times for one in values for key, times in one.items()}
        else:
            merged[name] = round(statistics.median(values), 4)
        if name == "plays_a_second":
            merged["least"], merged["most"] = round(min(values), 1), round(max(values), 1)
    return merged


def insert(text: str, table: str) -> str:
    """The text with what stands between the two marks replaced. ValueError: they are not there."""
    before, begun, rest = text.partition(BEGIN)
    _, ended, after = rest.partition(END)
    if not begun or not ended:
        raise ValueError("the text has no marks")
    return f"{before}{BEGIN}\n\n{table.strip()}\n\n{END}{after}"


# ---- tables --------------------------------------------------------------------------------------


def markdown(results: dict[str, Any]) -> str:
    """All tables, from what `bench.speed` writes as JSON."""
    rows: list[Row] = results["rows"]
    played = [row for what in ORDER for row in rows if row["what"] == what and "p50_ms" in row]
    parts = [
        _machine(results),
        "### Plays a second\n",
        _by_size(played, _speed),
        _notes(rows),
        "### Latency from the click to all four screens, p50 / p99 in milliseconds\n",
        _by_size(played, lambda row: f"{row['p50_ms']:.1f} / {row['p99_ms']:.1f}"),
        "### Ratios within the same run\n",
        "Plays a second:\n",
        _by_size(_to_others(rows), lambda row: f"{row['ratio']:.2f}"),
        _ratios(rows),
        "### Counts, sizes and the rest\n",
        _rest(rows),
    ]
    if visit := results.get("first_visit"):
        parts += ["### The first visit to a page\n", _visit(visit["pages"])]
    parts += [f"Left out: {what}\n" for what in results.get("left_out", [])]
    return "\n".join(part for part in parts if part)


def _machine(results: dict[str, Any]) -> str:
    told = ", ".join(f"{name} {value}" for name, value in results["machine"].items())
    times = f"medians of {results['runs']}" if results["runs"] > 1 else "one run"
    return f"{told}; {times}, {results['seconds']} seconds each.\n"


def _speed(row: Row) -> str:
    marks = "".join(
        mark
        for mark, applies in (
            ("¹", row["load_core"] > 0.9),
            ("²", bool(row["errors"])),
        )
        if applies
    )
    return f"{row['plays_a_second']:,.0f}{marks}"


def _notes(rows: list[Row]) -> str:
    errors = {key: times for row in rows for key, times in row.get("errors", {}).items()}
    notes = ["At a light load there is a pause of 20 ms before each play."]
    if any(row.get("load_core", 0) > 0.9 for row in rows):
        notes.append("¹ The load used more than 90 % of its core: it may be what was measured.")
    if errors:
        notes.append(f"² Errors: {errors}")
    return "\n".join(["", *notes, ""])


def _by_size(rows: list[Row], cell: Callable[[Row], str]) -> str:
    """A line for each thing, a column for each number of tables."""
    sizes = sorted({row["tables"] for row in rows})
    lines: dict[str, dict[int, str]] = defaultdict(dict)
    for row in rows:
        lines[f"{row['what']} | {row['where']}"][row["tables"]] = cell(row)
    heads = [f"{size} table{'s' if size > 1 else ''}" for size in sizes]
    return _grid(
        ["", "", *heads],
        [
            [*name.split(" | "), *(line.get(size, "") for size in sizes)]
            for name, line in lines.items()
        ],
    )


def _grid(head: list[str], lines: list[list[str]]) -> str:
    names = head.count("")
    made = [head, ["---"] * names + ["--:"] * (len(head) - names), *lines]
    return "\n".join(f"| {' | '.join(line)} |" for line in made) + "\n"


def find(rows: list[Row], what: str, where: str, tables: int | None = None) -> Row | None:
    """The row of a thing; without ``tables`` its last."""
    found = [
        row
        for row in rows
        if (row["what"], row["where"]) == (what, where) and tables in (None, row.get("tables"))
    ]
    return found[-1] if found else None


def _to_others(rows: list[Row]) -> list[Row]:
    """The site's plays a second at each size, to those of the floor and of the peer."""
    sites = [row for row in rows if row["what"] == SITE]
    others = [row for row in rows if row["what"] in (FLOOR, PEER)]
    return [
        {
            "what": f"{SITE} to {other['what']}" + (f" ({other['where']})" if peer else ""),
            "where": row["where"],
            "tables": row["tables"],
            "ratio": row["plays_a_second"] / other["plays_a_second"],
        }
        for row in sites
        for other in others
        for peer in [other["what"] == PEER]
        if row["tables"] == other["tables"] and (peer or row["where"] == other["where"])
        if other["plays_a_second"]
    ]


def _ratios(rows: list[Row]) -> str:
    """The other ratios that the targets are about."""
    lines = []

    def ratio(name: str, server: str, one: Row | None, other: Row | None) -> None:
        if one and other and other["plays_a_second"]:
            value = one["plays_a_second"] / other["plays_a_second"]
            lines.append([name, server, f"{value:.2f}"])

    commit = find(rows, COMMIT, "SQLite FULL")
    for server in dict.fromkeys(row["where"] for row in rows if row["what"] == SITE):
        mine = [row for row in rows if (row["what"], row["where"]) == (SITE, server)]
        best = max(mine, key=lambda row: float(row["plays_a_second"]))
        ratio("plays a second, at best, to bare commits", server, best, commit)
        large, middle = (find(rows, SITE, server, tables) for tables in (250, 25))
        ratio("plays a second, 250 tables to 25", server, large, middle)
        two, one = (find(rows, POSTGRES[processes], server) for processes in (2, 1))
        ratio("plays a second, two processes to one", server, two, one)
        light, echo = find(rows, LIGHT, server), find(rows, LIGHT_ECHO, server)
        if light and echo and commit:
            floor = echo["p50_ms"] + commit["light_ms"]
            value = f"{light['p50_ms'] / floor:.2f}"
            lines.append(["light-load latency (p50) to echo and commit", server, value])
    return _grid(["", "", "ratio"], lines)


def _visit(pages: dict[str, dict[str, Any]]) -> str:
    """What `bench.first_visit` prints, a line for each page."""
    names = list(next(iter(pages.values())))
    lines = [[page, *(str(figures[name]) for name in names)] for page, figures in pages.items()]
    return _grid(["", *(name.replace("_ms", ", ms").replace("_", " ") for name in names)], lines)


FIGURES = {
    "plays_a_second": ("{:,.0f} a second", 1.0),
    "a_second": ("{:,.0f} a second", 1.0),
    "light_ms": ("{:.2f} ms after a pause", 1.0),
    "seconds": ("{:.1f} seconds", 1.0),
    "server_bytes": ("{:.0f} MiB in all", 1 / 2**20),
    "bytes_a_socket": ("{:.1f} kB a socket", 1 / 1000),
    "bytes_a_state": ("{:,.0f} bytes a state", 1.0),
    "bytes_a_play": ("{:,.0f} bytes sent a play", 1.0),
    "statements_a_play": ("{:.2f} SQL statements a play", 1.0),
    "short_way": ("{:.0%} the short way", 1.0),
    "layer_messages_a_play": ("{:.2f} layer messages a play", 1.0),
    "server_core": ("{:.0%} of a core", 1.0),
    "load_core": ("load {:.0%} of a core", 1.0),
}


def _rest(rows: list[Row]) -> str:
    """Of everything measured what is not in the tables above; of several sizes the largest."""
    largest = {(row["what"], row["where"]): row for row in rows}
    lines = []
    for (what, where), row in largest.items():
        told = [
            form.format(row[name] * scale)
            for name, (form, scale) in FIGURES.items()
            if name in row and not (name == "plays_a_second" and "p50_ms" in row)
        ]
        if "deflated" in row and what == SQUEEZED:
            told.append("compressed" if row["deflated"] else "not compressed by the server")
        at = f", {row['tables']} tables" if row.get("tables", 1) > 1 else ""
        lines.append([what + at, where, ", ".join(told)])
    return _grid(["", "", "figures"], lines).replace("--:", "---")
