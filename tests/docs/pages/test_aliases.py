"""Further names of a page, from its frontmatter."""

import pytest
from support.docs import raw_file

from asdlc_kb.docs.pages.aliases import MAX_ALIAS_CHARS, MAX_ALIASES
from asdlc_kb.docs.pages.page import DocPage, read_page


def names_of(frontmatter: str) -> tuple[str, ...]:
    """Return the names that a page `guide/a.md` states."""
    page = read_page(raw_file(f"---\n{frontmatter}\n---\n# A\n", "guide/a.md")).value
    assert isinstance(page, DocPage)
    return page.aliases


@pytest.mark.parametrize(
    ("frontmatter", "names"),
    [
        ("slug: intro", ("intro", "guide/intro")),
        ("slug: /intro/", ("intro",)),
        ("permalink: /old/a.html", ("old/a.html",)),
        ("url: /special/place/", ("special/place",)),
        ("url: https://a.example/b", ()),
        ("permalink: /:categories/:title", ()),
        ("redirect_from:\n  - /one/\n  - /two", ("one", "two")),
        ("aliases: [b, /c/]", ("b", "c", "guide/b")),
        ("aliases: b", ("b", "guide/b")),
        ("id: b", ("guide/b",)),
        ("id: b\nslug: c", ("c", "guide/c", "guide/b")),
        ("id: /b/", ()),
        ("id: ''", ()),
        ("slug: {a: b}", ()),
        ("slug: ''\naliases: ['', '/']", ()),
        (f"slug: {'x' * (MAX_ALIAS_CHARS + 1)}", ()),
        ("title: A", ()),
    ],
)
def test_names_are_read(frontmatter: str, names: tuple[str, ...]) -> None:
    """From the root or the page's folder; unusable ones are left out."""
    assert names_of(frontmatter) == names


def test_names_are_few() -> None:
    """Further ones are left out."""
    listed = ", ".join(f"/n{number}" for number in range(MAX_ALIASES * 2))
    assert len(names_of(f"aliases: [{listed}]")) == MAX_ALIASES
