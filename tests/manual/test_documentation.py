"""The examples of the pages about documentation and search do what they show."""

import os
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from asdlc_kb.docs.links.link_resolution import PageTarget
from asdlc_kb.docs.navigation.sidebar import read_sidebar
from asdlc_kb.docs.pages.page_text import NAVIGATION
from asdlc_kb.files.tree_names import INSTALLED, MARKS, PAGE_SUFFIXES
from asdlc_kb.search.query.operators import FIELDS, Leaf, Parsed, parse_query

ROOT = Path(__file__).parents[2]
PAGES = {
    name: (ROOT / "docs" / name).read_text(encoding="utf-8")
    for name in ("documentation.md", "search.md")
}
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BOUND = 60
"""Seconds that any command may take."""

OPERATORS = PAGES["search.md"].partition("### Operators")[2].partition("###")[0]
QUERIES = [
    query
    for row in re.findall(r"^\| (`.*?`) \|", OPERATORS, re.MULTILINE)
    for query in re.findall(r"`([^`]+)`", row)
]


def _blocks(page: str) -> list[tuple[str, str]]:
    return [(match[1], match[2]) for match in FENCE.finditer(PAGES[page])]


def _run(script: str, folder: Path) -> str:
    """Return the output of a shell, both streams together."""
    script_folder = Path(sys.executable).parent
    environ = {
        "PATH": f"{script_folder}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(folder),
        "LANG": "C.UTF-8",
    }
    finished = subprocess.run(
        ["sh", "-ec", script],
        cwd=folder,
        env=environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=BOUND,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert finished.returncode == 0, finished.stdout
    return finished.stdout


def _follow(page: str, folder: Path) -> None:
    """Run a page's commands one after the other, and compare the output."""
    blocks = [*_blocks(page), ("", "")]
    for (kind, text), (following, shown) in pairwise(blocks):
        if kind == "toml":
            (folder / "cases.toml").write_text(text, encoding="utf-8")
        elif kind == "sh" and "asdlc-kb serve" not in text:
            printed = _run(text, folder)
            if not following and shown:
                assert printed == shown


def test_the_examples_do_what_they_show(tmp_path: Path) -> None:
    """Pasting them gives the same output."""
    _follow("documentation.md", tmp_path)
    logged = (
        '{"event": "request", "tool": "search_docs", "found": 1, "query": "unpack"}'
    )
    (tmp_path / "server.log").write_text(logged, encoding="utf-8")
    _follow("search.md", tmp_path)


@pytest.mark.parametrize("query", QUERIES)
def test_each_example_of_an_operator_is_one(query: str) -> None:
    """It is not read as words."""
    assert parse_query(query) != Parsed((Leaf(query),))


def _resolve(href: str, source: str) -> PageTarget | None:
    path, _, anchor = href.partition("#")
    return None if ":" in href else PageTarget(path, anchor)


def test_the_example_of_a_sidebar_is_one() -> None:
    """Groups and pages are those that the page describes."""
    (text,) = (text for kind, text in _blocks("documentation.md") if kind == "markdown")
    start, guide, reference, more = read_sidebar(text, _resolve)
    assert [item.title for item in guide.below] == ["Install", "Upgrade"]
    assert (start.path, guide.path, reference.path) == ("index.md", None, "reference/")
    assert reference.below[0].anchor == "ports"
    assert more.below[0].href == "https://example.com/issues"


def test_every_field_of_a_query_is_documented() -> None:
    """`tag` is another spelling of `tags`."""
    documented = {word for q in QUERIES for word in re.findall(r"(\w+):", q)}
    assert documented == set(FIELDS) - {"tag"}


@pytest.mark.parametrize(
    "name", sorted({*PAGE_SUFFIXES, *INSTALLED, *MARKS, *NAVIGATION})
)
def test_what_is_served_is_documented(name: str) -> None:
    """Suffixes, skipped folders, and files that are no pages."""
    assert f"`{name}`" in PAGES["documentation.md"]
