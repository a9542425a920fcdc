"""What is served of styles and modules: all of them but their comments."""

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.staticfiles.storage import staticfiles_storage

from config.storage import without_comments

ROOT = Path(__file__).resolve().parent.parent.parent / "static"
OURS = sorted(
    one.relative_to(ROOT).as_posix() for one in ROOT.rglob("*.*") if one.suffix in (".css", ".js")
)


def test_lines_that_are_comments_go_and_all_else_stays() -> None:
    module = """/* What it is
   for. */
/** One. */ import "./a.js";
// why
  // why
const a = "/* no comment */"; // beside code
  /**
   * Words: `a`, or `b
   */
const b = `of two lines
// which both count
/* and this */
`;
const c = /\\/*x/; /* begins
here */
/*
*/ call(); /* so */
"""
    assert (
        without_comments(module, slashes=True)
        == """/** One. */ import "./a.js";
const a = "/* no comment */"; // beside code
const b = `of two lines
// which both count
/* and this */
`;
const c = /\\/*x/; /* begins
here */
 call(); /* so */
"""
    )
    style = """/* a */
a { background: url(
//b.example/c.svg); } /* d */
/* e
*/
"""
    assert (
        without_comments(style, slashes=False)
        == """a { background: url(
//b.example/c.svg); } /* d */
"""
    )


@pytest.mark.parametrize("name", OURS)
def test_only_comments_are_missing_from_what_is_served(name: str) -> None:
    source = (ROOT / name).read_text(encoding="utf-8")
    address = staticfiles_storage.url(name).removeprefix(settings.STATIC_URL)
    hashed = Path(settings.STATIC_ROOT) / address
    served = re.sub(r"\.[0-9a-f]{12}(?=\.(js|css|svg)\b)", "", hashed.read_text(encoding="utf-8"))
    left = iter(served.splitlines())
    line = next(left, None)
    missing = []
    for one in source.splitlines():
        if one == line:
            line = next(left, None)
        else:
            missing.append(one)
    assert line is None  # nothing is served that the source has not, and in its order
    assert re.fullmatch(r"(\s*(//[^\n]*|/\*(?:(?!\*/).)*\*/)\s*)*", "\n".join(missing), re.DOTALL)
