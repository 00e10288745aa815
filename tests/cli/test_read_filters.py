"""Filters of `search`: as options, and as operators of the query."""

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result
from support.docs import DocsTree
from support.editions import write_editions
from support.knowledge import KnowledgeBase
from support.results import read_rows

Invoke = Callable[..., Result]


@pytest.fixture
def docs(tmp_path: Path) -> tuple[str, ...]:
    """The option that names a tree with a page about herons."""
    tree = DocsTree(tmp_path / "docs")
    tree.write("guide/heron.md", "# Herons\n\nThey wade.\n")
    return ("--docs", str(tree.root))


@pytest.fixture
def content(knowledge: KnowledgeBase) -> str:
    """Two articles about herons."""
    fields = {"title": "Heron", "lastUpdated": "2025-03-01"}
    knowledge.write("concepts/heron", **fields)
    knowledge.write("patterns/nest", title="Nest", body="What a heron builds.\n")
    return str(knowledge.root)


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ("--source articles", ["heron", "nest"]),
        ("--source root", ["guide/heron.md"]),
        ("--updated 2025-03", ["heron"]),
        ("--updated >2025", []),
        ("--source articles --updated <2025-02", ["nest"]),
        ("--category patterns", ["nest"]),
    ],
)
def test_search_is_narrowed_by_options_and_by_operators(
    invoke: Invoke, docs: tuple[str, ...], content: str, options: str, names: list[str]
) -> None:
    """Both find the same."""
    mode = ("--mode", "fulltext")
    words = options.replace("--", "").split()
    operators = map(":".join, zip(words[::2], words[1::2], strict=True))
    searches = (
        ("heron", *options.split()),
        (" ".join(("heron", *operators)),),
    )
    for search in searches:
        results = read_rows(invoke("search", *search, content, *docs, *mode, "--json"))
        assert [row.get("slug", row.get("path")) for row in results] == names


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (("--source", "zz"), 1, "Unknown source 'zz'. Known: articles, root"),
        (("--version", "9"), 1, "Unknown version '9'. Known: none"),
        (("--only-language", "fr"), 1, "Unknown language 'fr'. Known: none"),
        (("--updated", "soon"), 2, "--updated: 'soon' is no date: write 2026"),
    ],
)
def test_a_wrong_option_is_an_error(
    invoke: Invoke,
    docs: tuple[str, ...],
    content: str,
    options: tuple[str, ...],
    code: int,
    message: str,
) -> None:
    """With what is known; in a query it is text."""
    result = invoke("search", "heron", content, *docs, *options)
    assert (result.exit_code, result.stdout) == (code, "")
    assert message in result.stderr


def test_versions_and_languages_are_options_too(invoke: Invoke, tmp_path: Path) -> None:
    """Of a tree that has them."""
    docs = ("--docs", str(write_editions(tmp_path / "editions")))
    for options, operators in (
        (("--version", "1.9"), "version:1.9"),
        (("--only-language", "fr"), "language:fr"),
    ):
        chosen = read_rows(invoke("search", "plover", *docs, "--json", *options))
        assert chosen
        assert chosen == read_rows(
            invoke("search", f"plover {operators}", *docs, "--json")
        )
        assert len(chosen) < len(read_rows(invoke("search", "plover", *docs, "--json")))
