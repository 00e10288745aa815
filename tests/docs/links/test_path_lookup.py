"""Names of pages: which path each stands for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.docs.links.path_lookup import MAX_NAME_CHARS, MAX_SAME_NAME, PathLookup

LOOKUP = PathLookup(
    (
        *("index.md", "install.md", "guide/index.md", "guide/usage.md"),
        *("guide/usage/index.md", "02-basics/01-intro.md", "02-basics/Two Words.md"),
        *("api/client.md", "cli/client.md", "deep/er/only-here.md", "api/v1.2.md"),
        *("a/ONE.md", "a/One.md", "_tutorials/first.md", "_steps/10-deploy.md"),
    ),
    {"latest": "guide"},
    {"api/client.md": ("old/client.html", "shared"), "cli/client.md": ("shared",)},
)


@pytest.mark.parametrize(
    ("name", "path"),
    [
        *(("guide/usage.md", "guide/usage.md"), ("guide/usage", "guide/usage.md")),
        *(("guide/usage/", "guide/usage/index.md"), ("install/", "install.md")),
        *(("/install.html", "install.md"), ("INSTALL", "install.md")),
        *(("latest/usage", "guide/usage.md"), ("LATEST/", "guide/index.md")),
        *(("api/v1.2/", "api/v1.2.md"), ("/", "index.md"), ("a/One", "a/One.md")),
    ],
)
def test_a_path_is_found_in_each_spelling(name: str, path: str) -> None:
    """A page's file, the folder of an index page, an address with a slash."""
    assert LOOKUP.find_exact(name) == LOOKUP.find(name) == path


@pytest.mark.parametrize(
    ("name", "path"),
    [
        *(("tutorials/first/", "_tutorials/first.md"), ("x/_tutorials/none", None)),
        *(("/steps/10-deploy/", "_steps/10-deploy.md"), ("steps/11-deploy", None)),
        *(("basics/intro", "02-basics/01-intro.md"), ("old/client/", "api/client.md")),
        *(("02-basics/two-words", "02-basics/Two Words.md"), ("shared", None)),
        *(("en/guide/usage/", "guide/usage.md"), ("x/y/install.html", "install.md")),
        *(
            ("only-here", "deep/er/only-here.md"),
            ("er/only-here.md", "deep/er/only-here.md"),
        ),
        *(("Only-Here.md", "deep/er/only-here.md"), ("a/one", None)),
        *(
            ("x/guide/index", "guide/index.md"),
            ("x/install.md", None),
            ("x/none.md", None),
        ),
        *(("client", None), ("none", None), ("", "index.md"), ("x/none", None)),
        *(("../install", None), ("guide//usage", None), ("x\\install", None)),
        *((f"{'x' * MAX_NAME_CHARS}/install", None), ("x/" * 40 + "install", None)),
    ],
)
def test_a_name_stands_for_one_path_or_none(name: str, path: str | None) -> None:
    """D-151: numbers, blanks, aliases; without leading segments; by its end."""
    assert LOOKUP.find(name) == path


def test_two_ends_of_a_name_are_ambiguous() -> None:
    """`en/guide/install` may be either."""
    lookup = PathLookup(("install.md", "guide/install.md"))
    assert lookup.find("en/guide/install") is None
    assert lookup.find("guide/install") == "guide/install.md"


def test_a_path_wins_over_an_alias() -> None:
    """An alias is only looked up where no page is at its path."""
    lookup = PathLookup(("a.md", "b.md"), {}, {"b.md": ("a", "c", "a/d")})
    assert [lookup.find(name) for name in ("a", "c", "d")] == ["a.md", "b.md", "b.md"]


def test_many_pages_of_one_name_are_not_searched() -> None:
    """The work for a name is bounded."""
    paths = [f"{number}/x/y.md" for number in range(MAX_SAME_NAME + 1)]
    assert PathLookup(paths[1:]).find("7/x/y") == "7/x/y.md"
    assert PathLookup((*paths, "a/b/y.md")).find("b/y") is None
    assert PathLookup((*paths[2:], "a/b/y.md")).find("b/y") == "a/b/y.md"


def test_the_tables_are_kept_while_names_are_the_same() -> None:
    """A later snapshot mostly has other texts, not other names."""
    paths = ("a.md", "b.md")
    lookup = PathLookup(paths, {}, {"a.md": ("x",)})
    assert lookup.updated(iter(paths), {}, {"a.md": ("x",)}) is lookup
    for later in (
        lookup.updated(("a.md",), {}, {"a.md": ("x",)}),
        lookup.updated(paths, {"l": "a.md"}, {"a.md": ("x",)}),
        lookup.updated(paths, {}, {}),
    ):
        assert later is not lookup
    lookup.precompute()


@given(st.text("./aGuide-01 _\\%#é", max_size=30))
def test_any_name_is_of_a_page_or_of_none(name: str) -> None:
    """No text fails, and nothing but a page is found."""
    paths = ("a.md", "guide/01-a.md", "Guide/index.md")
    assert PathLookup(paths).find(name) in (None, *paths)


def test_a_group_of_routes_is_no_part_of_an_address() -> None:
    """As in Next.js; where two groups have the name, it means none."""
    lookup = PathLookup(("docs/(a)/one.mdx", "docs/(a)/two.mdx", "docs/(b)/two.mdx"))
    assert lookup.find("docs/one") == "docs/(a)/one.mdx"
    assert lookup.find("docs/two") is None
