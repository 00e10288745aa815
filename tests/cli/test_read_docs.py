"""Tests of list, show and search over documentation, and of search's mode."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result
from support.canary import CANARY, find
from support.docs import DocsTree
from support.knowledge import KnowledgeBase
from support.results import read_rows

Invoke = Callable[..., Result]

HINT = (
    "asdlc-kb: some files have problems: "
    "'asdlc-kb check' with the same sources lists them\n"
)
"""The hint for authors: every tree and every base have a fault."""


@pytest.fixture
def tree(tmp_path: Path) -> DocsTree:
    """Three visible pages besides the hidden ones."""
    tree = DocsTree(tmp_path / "docs")
    tree.write("index.md", "# Welcome\n\nThe manual of the pelican.\n")
    tree.write(
        "setup.md",
        "---\ntitle: Setup\ndescription: First steps\ntags: [install, env]\n---\n"
        "Settings are read from the environment.\n\n## Rate limits\n\n"
        "At most 120 requests a minute.\n",
    )
    tree.write("guide/heron.md", "# Herons\n\nThey wade.\n")
    return tree


@pytest.fixture
def docs(tree: DocsTree) -> tuple[str, ...]:
    """The option that names the tree."""
    return ("--docs", str(tree.root))


@pytest.fixture
def content(knowledge: KnowledgeBase) -> str:
    """Articles besides those of every base."""
    knowledge.write(
        "concepts/heron",
        title="Heron",
        lastUpdated="2025-03-01",
        body="## Where\n\nIt waits in the shallows.\n",
    )
    knowledge.write("patterns/nest", title="Nest", body="What a heron builds.\n")
    return str(knowledge.root)


SETUP = {
    "path": "setup.md",
    "category": "root",
    "title": "Setup",
    "description": "First steps",
    "tags": ["install", "env"],
}


def test_list_shows_the_pages(invoke: Invoke, docs: tuple[str, ...]) -> None:
    """Paths and titles; hidden pages never."""
    result = invoke("list", *docs)
    assert result.exit_code == 0
    assert {tuple(line.split()) for line in result.stdout.splitlines()} == {
        ("index.md", "Welcome"),
        ("setup.md", "Setup"),
        ("guide/heron.md", "Herons"),
    }


def test_list_as_json_has_the_fields_of_a_page(
    invoke: Invoke, docs: tuple[str, ...]
) -> None:
    """D-129: `--json` on every command that reads."""
    listed = read_rows(invoke("list", *docs, "--json"))
    assert len(listed) == 3
    assert SETUP in listed


def test_list_shows_articles_before_pages(
    invoke: Invoke, docs: tuple[str, ...], content: str
) -> None:
    """In the order of all sources everywhere."""
    listed = read_rows(invoke("list", content, *docs, "--json"))
    assert ["slug" in row for row in listed] == [True] * 3 + [False] * 3
    lines = invoke("list", content, *docs).stdout.splitlines()
    assert len(lines) == 6
    assert lines[0].split()[1] == "concepts/heron"


def test_list_can_be_narrowed_to_a_directory(
    invoke: Invoke, docs: tuple[str, ...]
) -> None:
    """A category of pages is a group of the sidebar or a top directory."""
    listed = read_rows(invoke("list", *docs, "--category", "guide", "--json"))
    assert [row["path"] for row in listed] == ["guide/heron.md"]
    assert len(read_rows(invoke("list", *docs, "--limit", "2", "--json"))) == 2


@pytest.mark.parametrize("command", [("list",), ("search", "heron")])
def test_a_category_of_one_source_alone_is_no_error(
    invoke: Invoke, docs: tuple[str, ...], content: str, command: tuple[str, ...]
) -> None:
    """The other source has no such category; a search of both returns what exists."""
    options = (content, *docs, "--json", "--category")
    results = read_rows(invoke(*command, *options, "concepts"))
    assert {row["category"] for row in results} == {"concepts"}
    results = read_rows(invoke(*command, *options, "guide"))
    assert {row["category"] for row in results} == {"guide"}


@pytest.mark.parametrize(
    ("category", "paths"),
    [
        ("Birds", ["guide/heron.md"]),
        ("guide/", ["guide/heron.md"]),
        ("root", ["index.md", "setup.md"]),
    ],
)
def test_search_knows_the_categories_of_list(
    invoke: Invoke,
    tree: DocsTree,
    docs: tuple[str, ...],
    category: str,
    paths: list[str],
) -> None:
    """A group of the sidebar, a directory, and what is in neither."""
    tree.write("sidebar.md", "- Birds\n  - [Herons](guide/heron.md)\n")
    for page in ("index.md", "setup.md", "guide/heron.md"):
        path = tree.root / page
        tree.write(page, f"{path.read_text()}\nAn albatross.\n")
    for command in (("list",), ("search", "albatross")):
        results = read_rows(invoke(*command, *docs, "--json", "--category", category))
        assert sorted(row["path"] for row in results) == paths


@pytest.mark.parametrize("command", [("list",), ("search", "heron")])
@pytest.mark.parametrize("category", ["recipes", CANARY[:6]])
def test_a_category_that_no_source_has_is_told(
    invoke: Invoke,
    docs: tuple[str, ...],
    content: str,
    command: tuple[str, ...],
    category: str,
) -> None:
    """With the visible ones; one of hidden pages alone is none."""
    result = invoke(*command, content, *docs, "--category", category)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == HINT + (
        f"asdlc-kb: Unknown category '{category}'. "
        "Categories: concepts, patterns, root, guide\n"
    )


@pytest.mark.parametrize("name", ["setup.md", "setup", "/setup.md", "./setup.md"])
def test_show_writes_a_page(invoke: Invoke, docs: tuple[str, ...], name: str) -> None:
    """The title as a heading, then the text, by any name that a link may use."""
    result = invoke("show", name, *docs)
    assert result.exit_code == 0
    assert result.stdout == (
        "# Setup\n\nSettings are read from the environment.\n\n"
        "## Rate limits\n\nAt most 120 requests a minute.\n"
    )


def test_show_does_not_double_a_title(
    invoke: Invoke, docs: tuple[str, ...], knowledge: KnowledgeBase
) -> None:
    """A page that begins with its title is printed unchanged; an article too."""
    assert invoke("show", "guide/heron", *docs).stdout == "# Herons\n\nThey wade.\n"
    knowledge.write("concepts/one", title="One", body="# One\n\nText.\n")
    shown = invoke("show", "one", str(knowledge.root)).stdout
    assert shown == "# One\n\nText.\n"


def test_show_as_json_is_the_whole_page(invoke: Invoke, docs: tuple[str, ...]) -> None:
    """Its fields and its text as in the file."""
    result = invoke("show", "setup", *docs, "--json")
    page = json.loads(result.stdout)
    assert page.pop("content").endswith("\nAt most 120 requests a minute.\n")
    assert page == SETUP


def test_show_prefers_an_article(
    invoke: Invoke, tree: DocsTree, docs: tuple[str, ...], content: str
) -> None:
    """A page of the same name is found by its suffix."""
    tree.write("heron.md", "# A page\n")
    assert invoke("show", "heron", content, *docs).stdout.startswith("# Heron\n")
    assert invoke("show", "heron.md", content, *docs).stdout == "# A page\n"


@pytest.mark.parametrize("name", ["known-draft", "known-draft.md", "nowhere", ".env"])
def test_a_hidden_page_is_not_found_like_a_missing_one(
    invoke: Invoke, docs: tuple[str, ...], content: str, name: str
) -> None:
    """Whether or not articles are served too."""
    page = f"{HINT}asdlc-kb: Documentation page '{name}' not found\n"
    both = f"{HINT}asdlc-kb: No article and no page '{name}'\n"
    for sources, notice in ((docs, page), ((content, *docs), both)):
        result = invoke("show", name, *sources)
        assert (result.exit_code, result.stdout, result.stderr) == (1, "", notice)


def test_search_says_where_in_a_page(invoke: Invoke, docs: tuple[str, ...]) -> None:
    """The page, then the heading and the passage below it."""
    query = "how many requests a minute?"
    result = invoke("search", query, *docs)
    assert result.exit_code == 0
    page, passage, *_ = result.stdout.splitlines()
    assert page.split() == ["setup.md", "Setup"]
    assert passage == "    Rate limits: At most 120 **requests** a **minute**."
    (best, *_) = read_rows(invoke("search", query, *docs, "--json"))
    assert best == {
        **SETUP,
        "heading": "Rate limits",
        "anchor": "rate-limits",
        "line": 8,
        "snippet": "At most 120 **requests** a **minute**.",
    }


@pytest.mark.parametrize(
    ("query", "mode", "results"),
    [
        ("heron", "auto", ["heron", "nest"]),
        ("hero", "auto", ["heron", "nest"]),
        ("ero", "auto", ["heron"]),
        ("heron", "keyword", ["heron"]),
        ("heron", "fulltext", ["heron", "nest"]),
        ("shallows", "auto", ["heron"]),
        ("shallows", "keyword", []),
        ("shallows", "fulltext", ["heron"]),
    ],
)
def test_search_takes_a_mode(
    invoke: Invoke, content: str, query: str, mode: str, results: list[str]
) -> None:
    """D-197: auto is the full text, and keywords, as parts of words, if it has none."""
    result = invoke("search", query, content, "--mode", mode, "--json")
    assert [row["slug"] for row in read_rows(result)] == results


def test_an_article_in_full_text_has_its_passage(invoke: Invoke, content: str) -> None:
    """A keyword hit has none: its words are in the displayed fields."""
    (row,) = read_rows(invoke("search", "shallows", content, "--json"))
    assert (row["slug"], row["heading"], row["anchor"]) == ("heron", "Where", "where")
    assert row["snippet"] == "It waits in the **shallows**."
    lines = Path(content, "concepts", "heron.md").read_text().splitlines()
    assert lines[row["line"] - 1] == "## Where"
    by_keyword = "--mode", "keyword"
    (row, *_) = read_rows(invoke("search", "heron", content, *by_keyword, "--json"))
    assert not row.keys() & {"heading", "anchor", "line", "snippet"}
    shown = invoke("search", "shallows", content).stdout.splitlines()
    assert shown[1] == "    Where: It waits in the **shallows**."


def test_search_has_one_ranking(
    invoke: Invoke, docs: tuple[str, ...], content: str
) -> None:
    """D-197: exact titles first, wherever they are; keywords are before, if asked."""

    def find(query: str, *options: str) -> list[str]:
        found = read_rows(invoke("search", query, content, *docs, "--json", *options))
        return [row.get("slug", row.get("path")) for row in found]

    assert find("heron") == ["guide/heron.md", "heron", "nest"]
    assert find("rate limit") == ["setup.md"]
    assert find("heron", "--mode", "keyword") == ["heron", "guide/heron.md"]


def test_a_limit_holds_for_all_sources_together(
    invoke: Invoke, docs: tuple[str, ...], content: str
) -> None:
    """The rest is counted on stderr."""
    result = invoke("search", "heron", content, *docs, "--json", "--limit", "2")
    assert len(read_rows(result)) == 2
    assert "2 of 3 articles and pages. --limit 1000 shows more\n" in result.stderr


def test_a_corrected_word_is_told_on_stderr(
    invoke: Invoke, docs: tuple[str, ...]
) -> None:
    """stdout keeps its format for pipes."""
    result = invoke("search", "enviroment", *docs, "--json")
    assert [row["path"] for row in read_rows(result)] == ["setup.md"]
    notice = "asdlc-kb: searched for 'environment' instead of 'enviroment'\n"
    assert result.stderr == HINT + notice


def test_excluded_words_are_reported_on_stderr(
    invoke: Invoke, content: str, docs: tuple[str, ...]
) -> None:
    """Once for all sources."""
    result = invoke("search", "heron -environment", content, *docs, "--json")
    notice = "asdlc-kb: results with 'environment' are left out\n"
    assert result.stderr.count(notice) == 1


@pytest.mark.parametrize("mode", ["word", "", "KEYWORD"])
def test_a_mode_that_is_none_is_a_usage_error(
    invoke: Invoke, content: str, mode: str
) -> None:
    """Exit code 2, naming the option."""
    result = invoke("search", "x", content, "--mode", mode)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "--mode" in result.stderr


def test_search_keeps_its_index_where_it_is_told(
    invoke: Invoke, docs: tuple[str, ...], content: str, folder: Path
) -> None:
    """One folder for each source that was searched; found again the next time.

    No file in it has hidden text.
    """
    command = ("search", "shallows", content, *docs, "--cache-dir", "kept", "--json")
    first = invoke(*command)
    files = {p: p.read_bytes() for p in (folder / "kept").rglob("*") if p.is_file()}
    kinds = {path.relative_to(folder / "kept").parts[0].split("-")[0] for path in files}
    assert kinds == {"articles", "docs"}
    assert any(b"shallows" in data for data in files.values())
    assert [path for path, data in files.items() if find(data)] == []
    assert invoke(*command).stdout == first.stdout
    again = {p: p.read_bytes() for p in (folder / "kept").rglob("*") if p.is_file()}
    assert again == files


def test_search_can_leave_nothing_behind(
    invoke: Invoke, docs: tuple[str, ...], folder: Path, cache_home: Path
) -> None:
    """`--cache-dir off`: the index is in memory, and gone with the command."""
    before = sorted(cache_home.rglob("*"))
    results = read_rows(
        invoke("search", "heron", *docs, "--cache-dir", "off", "--json")
    )
    assert [row["path"] for row in results] == ["guide/heron.md"]
    assert sorted(cache_home.rglob("*")) == before
    assert list(folder.iterdir()) == []


def test_check_reports_faults_of_both_sources(
    invoke: Invoke, knowledge: KnowledgeBase, tmp_path: Path
) -> None:
    """Pages have problems of files only: they have no schema."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "sound.md").write_text("No title, no frontmatter.\n")
    (tmp_path / "docs" / "torn.md").write_bytes(b"caf\xe9 au lait")
    knowledge.write("concepts/broken", lastUpdated=None)
    options = ("check", str(knowledge.root), "--docs", str(tmp_path / "docs"))
    result = invoke(*options, "--json")
    assert result.exit_code == 1
    problems = json.loads(result.stdout)
    codes = {Path(row["file"]).relative_to(tmp_path): row["code"] for row in problems}
    assert codes[Path("content/concepts/broken.md")] == "KB011"
    assert codes[Path("docs/torn.md")] == "KB001"
    assert Path("docs/sound.md") not in codes
    alone = invoke("check", "--docs", str(tmp_path / "docs"))
    assert alone.exit_code == 1
    assert [line.split()[1] for line in alone.stdout.splitlines()] == ["KB001", "1"]
