"""Frontmatter that a configuration states for many pages."""

import pytest
from support.docs import raw_file

from asdlc_kb.docs.generators.configuration import PageDefaults
from asdlc_kb.docs.pages.page import DocPage, read_page
from asdlc_kb.docs.pages.page_text import PageRules


def read(
    path: str, *defaults: PageDefaults, text: str = "# A\n", base: str = ""
) -> DocPage | None:
    """Return the page in a file, None if it is hidden."""
    rules = PageRules(dialect="jekyll", base=base, defaults=defaults)
    value = read_page(raw_file(text, path), rules).value
    assert value is None or isinstance(value, DocPage)
    return value


HIDDEN = {"published": False}


@pytest.mark.parametrize(
    ("scope", "kind", "hidden", "visible"),
    [
        ("", "", ("a.md", "x/b.md"), ()),
        ("x", "", ("x/b.md", "xy/b.md"), ("a.md", "y/x/b.md")),
        ("x/*/in*.md", "", ("x/y/index.md",), ("x/index.md", "x/y/a.md")),
        ("*/y", "", ("x/y/a.md",), ("y/a.md", "x/a.md")),
        ("", "posts", ("_posts/2024-01-01-a.md", "x/_posts/a.md"), ("a.md",)),
        ("", "guides", ("_guides/a.md",), ("guides/a.md", "_posts/a.md")),
        ("", "pages", ("a.md", "_pages/a.md"), ("_posts/a.md",)),
        ("_guides/x", "guides", ("_guides/x/a.md",), ("_guides/a.md", "x/a.md")),
    ],
)
def test_pages_of_a_scope_are_hidden(
    scope: str, kind: str, hidden: tuple[str, ...], visible: tuple[str, ...]
) -> None:
    """By path and by type."""
    default = PageDefaults(scope, kind, HIDDEN)
    assert [read(path, default) for path in hidden] == [None] * len(hidden)
    assert all(read(path, default) is not None for path in visible)


def test_a_page_and_then_the_nearer_scope_win() -> None:
    """The longer path, then the one with a type; a part has its whole path."""
    defaults = (
        PageDefaults("x/y", "", {"nav_order": 3, "title": "Y"}),
        PageDefaults("x", "", {**HIDDEN, "title": "X", "search_exclude": True}),
        PageDefaults("x", "pages", {"published": True, "nav_order": 2}),
    )
    page = read("x/y/a.md", *defaults)
    assert page is not None
    assert (page.title, page.placement.position) == ("Y", 3)
    assert not page.placement.is_searched
    own = read("x/y/a.md", *defaults, text="---\nTitle: Own\nNav_Order: 1\n---\nA\n")
    assert own is not None and own.placement.position == 1
    assert read("_x/b.md", PageDefaults("x", "", HIDDEN)) is not None
    assert read("b.md", PageDefaults("x/b", "", HIDDEN), base="x/") is None
