"""Text can be read on every ground it stands on: computed from the tokens of the styles."""

import re
from pathlib import Path

import pytest

CSS = Path(__file__).resolve().parents[2] / "static" / "korttipoyta" / "css"
Colour = tuple[float, float, float, float]
"""Red, green and blue from 0 to 255, and how much of it there is, from 0 to 1."""

TABLE = ("table-light", "table", "table-deep", "plate")
PAGE = ("ground", "surface")
PAIRS = [
    *((text, ground) for text in ("on-table", "on-table-quiet", "us", "them") for ground in TABLE),
    ("now", "plate"),  # "dirty" at a pile
    ("now-ink", "now"),
    *((text, ground) for text in ("ink", "ink-quiet", "link", "wrong") for ground in PAGE),
    ("on-paper", "paper"),
]
"""Each text token with each ground it is used on. At the table a plate lies on the felt."""
AT_THE_TABLE = [("wrong", "paper")]
"""Pairs that only the table has, where pages are never dark."""
NO_TEXT = {"line", "line-on-table", "focus"}
"""Colours that nothing is written in or on."""
SUITS = ("161616", "b00020", "0b3d91", "005c1f")


def tokens(file: str, selector: str) -> dict[str, str]:
    """The custom properties of a rule, by name without its dashes."""
    text = (CSS / file).read_text(encoding="utf-8")
    body = text.partition(f"\n{selector} {{")[2] or text.partition(f"\n  {selector} {{")[2]
    assert body, f"{file} has no rule for {selector}"
    return dict(re.findall(r"--([\w-]+): ([^;]+);", body.partition("}")[0]))


def colour(text: str) -> Colour | None:
    """What a value says as a colour; None when it is something else."""
    if match := re.fullmatch(r"#([0-9a-f]{3}|[0-9a-f]{6})", text):
        digits = match[1] if len(match[1]) == 6 else "".join(2 * one for one in match[1])
        red, green, blue = (int(digits[at : at + 2], 16) for at in (0, 2, 4))
        return red, green, blue, 1.0
    if match := re.fullmatch(r"rgb\((\d+) (\d+) (\d+) / (\d+)%\)", text):
        red, green, blue, part = map(int, match.groups())
        return red, green, blue, part / 100
    return None


def over(top: Colour, ground: Colour) -> Colour:
    """What is seen of a colour that lies over another."""
    part = top[3]
    red, green, blue = (part * top[i] + (1 - part) * ground[i] for i in range(3))
    return red, green, blue, 1.0


def ratio(one: Colour, two: Colour) -> float:
    """The contrast of two colours by WCAG 2: from 1 to 21."""

    def light(shade: Colour) -> float:
        parts = [part / 255 for part in shade[:3]]
        line = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * line[0] + 0.7152 * line[1] + 0.0722 * line[2]

    high, low = sorted((light(one), light(two)), reverse=True)
    return (high + 0.05) / (low + 0.05)


NORMAL = tokens("base.css", ".kp")
LOOKS = {
    "light": (NORMAL, 4.5),
    "dark": (NORMAL | tokens("site.css", ".kp.kp-site:not(.kp-contrast)"), 4.5),
    "high contrast": (NORMAL | tokens("base.css", ".kp.kp-contrast"), 7.0),
}


@pytest.mark.parametrize("look", LOOKS)
def test_text_can_be_read_on_its_ground(look: str) -> None:
    values, least = LOOKS[look]
    colours = {name: found for name, text in values.items() if (found := colour(text))}
    felt = colours["table-light"]
    low = []
    for text, ground in PAIRS + (AT_THE_TABLE if look != "dark" else []):
        seen = ratio(colours[text], over(colours[ground], felt))
        if seen < least:
            low.append(f"{text} on {ground}: {seen:.2f}")
    assert low == []
    # What has no words in it is told from its ground all the same.
    assert ratio(colours["now"], felt) >= 3
    assert ratio(colours["focus"], (0, 0, 0, 1)) >= 3


def test_every_colour_has_its_pairs() -> None:
    named = {name for pair in PAIRS + AT_THE_TABLE for name in pair} | NO_TEXT
    assert {name for name, text in NORMAL.items() if colour(text)} == named


@pytest.mark.parametrize(("paper", "least"), [("fffdf8", 7.0), ("ffffff", 7.0), ("dedacd", 4.5)])
def test_suits_can_be_read_on_paper(paper: str, least: float) -> None:
    """On a card's paper, on white in high contrast, and on the grey of one that is barred."""
    text = (CSS / "base.css").read_text(encoding="utf-8")
    ground = colour(f"#{paper}")
    assert ground
    for suit in SUITS:
        ink = colour(f"#{suit}")
        assert ink
        assert f"--kp-ink: #{suit};" in text
        assert ratio(ink, ground) >= least, suit
