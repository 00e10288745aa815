"""Hostile frontmatter is a problem of its file: named, located and explained."""

import pytest
from support.docs import raw_file

from asdlc_kb.articles.schema import read_article
from asdlc_kb.docs.pages.page import read_page

NESTED = '{"title": "x", "a": ' + "[" * 900 + "]" * 900 + "}\n\n# A\n"
TABLES = "+++\na = " + "[" * 200 + "]" * 200 + "\n+++\n\n# A\n"
DIRECTIVE = "---\n# c\n%YAML 1.3\nstatus: Live\n---\n\n# A\n"
COMMENTED = "---\n%YAML 1.1#...\nstatus: Live\n---\n\n# A\n"


@pytest.mark.parametrize(
    ("text", "line", "advice"),
    [
        (NESTED, 1, "more than 8 levels: make it flatter"),
        (TABLES, 2, "more than 8 levels: make it flatter"),
        (DIRECTIVE, 3, "remove the line"),
        (COMMENTED, 2, "remove the line"),
    ],
    ids=["json", "toml", "directive", "directive with a comment"],
)
def test_a_page_with_hostile_frontmatter_has_a_problem(
    text: str, line: int, advice: str
) -> None:
    """No parser fails on it: the problem has a position and advice."""
    (problem,) = read_page(raw_file(text)).problems
    assert (problem.code, problem.line) == ("KB010", line)
    assert advice in problem.message


@pytest.mark.parametrize(("text", "line"), [(DIRECTIVE, 3), (COMMENTED, 2)])
def test_an_article_with_a_directive_has_a_problem(text: str, line: int) -> None:
    """YAML directives are not allowed in frontmatter, whatever they contain."""
    reading = read_article(raw_file(text, "concepts/a.md"))
    (problem,) = reading.problems
    assert reading.value is None
    assert (problem.code, problem.line) == ("KB010", line)
    assert "remove the line" in problem.message
