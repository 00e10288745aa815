"""Tests of the commands that read articles: list, show, search."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result
from support.canary import CANARY
from support.knowledge import KnowledgeBase

Invoke = Callable[..., Result]

HINT = (
    "asdlc-kb: some files have problems: "
    "'asdlc-kb check' with the same sources lists them\n"
)
"""The hint for authors where an article may be missing: every base has one fault."""


@pytest.fixture
def content(knowledge: KnowledgeBase) -> str:
    """Three articles besides those of every knowledge base."""
    knowledge.write(
        "concepts/loops",
        title="Agent loops",
        description="How agents go round",
        tags="[Loops, Agents]",
        lastUpdated="2025-03-01",
        relatedIds=f"[patterns/fences, concepts/{CANARY}-draft, concepts/known-draft]",
        body="Round and round.\n\n\tindented\n",
    )
    knowledge.write(
        "patterns/fences",
        title="Fences",
        description="Keep agents in",
        tags="[Safety]",
        lastUpdated="2025-02-01",
        status="Experimental",
    )
    knowledge.write(
        "practices/reading",
        title="Reading",
        description="Read more",
        lastUpdated="2025-01-01",
    )
    return str(knowledge.root)


LOOPS = {
    "slug": "loops",
    "category": "concepts",
    "title": "Agent loops",
    "description": "How agents go round",
    "tags": ["Loops", "Agents"],
    "lastUpdated": "2025-03-01",
    "status": "Live",
    "maturity": None,
    "relatedIds": ["patterns/fences"],
}


def test_list_shows_the_visible_articles_newest_first(
    invoke: Invoke, content: str
) -> None:
    """D-006: lastUpdated descending; Draft, Proposed and Deprecated never."""
    result = invoke("list", content)
    assert result.exit_code == 0
    assert [line.split() for line in result.stdout.splitlines()] == [
        ["2025-03-01", "concepts/loops", "Agent", "loops"],
        ["2025-02-01", "patterns/fences", "Fences"],
        ["2025-01-01", "practices/reading", "Reading"],
        ["2020-01-01", "concepts/links-to-hidden", "Links", "to", "hidden"],
    ]


def test_list_as_json_has_every_field_but_the_text(
    invoke: Invoke, content: str
) -> None:
    """D-129: `--json` on every command that reads."""
    result = invoke("list", content, "--json")
    rows = json.loads(result.stdout)
    assert result.exit_code == 0
    assert rows[0] == LOOPS
    assert [row["slug"] for row in rows] == [
        "loops",
        "fences",
        "reading",
        "links-to-hidden",
    ]


def test_related_ids_leave_only_with_visible_targets(
    invoke: Invoke, content: str
) -> None:
    """D-002: a relation to a hidden article would reveal its name."""
    rows = json.loads(invoke("list", content, "--json").stdout)
    assert [row["relatedIds"] for row in rows] == [["patterns/fences"], [], [], []]


@pytest.mark.parametrize(
    ("options", "slugs"),
    [
        (("--category", "patterns"), ["fences"]),
        (("--category", "concepts", "--limit", "1"), ["loops"]),
        (("--limit", "2"), ["loops", "fences"]),
    ],
)
def test_list_can_be_narrowed(
    invoke: Invoke, content: str, options: tuple[str, ...], slugs: list[str]
) -> None:
    """An optional category and a limit."""
    rows = json.loads(invoke("list", content, "--json", *options).stdout)
    assert [row["slug"] for row in rows] == slugs


@pytest.mark.parametrize("command", [("list",), ("search", "agents")])
@pytest.mark.parametrize("category", ["Concepts", "recipes", "canary"])
def test_an_unknown_category_names_the_visible_ones(
    invoke: Invoke, content: str, command: tuple[str, ...], category: str
) -> None:
    """D-007: a category of hidden articles alone does not exist."""
    name, *query = command
    result = invoke(name, *query, content, "--category", category)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == HINT + (
        f"asdlc-kb: Unknown category '{category}'. "
        "Categories: concepts, patterns, practices\n"
    )


@pytest.mark.parametrize("options", [(), ("--json",)])
@pytest.mark.parametrize("command", [("list",), ("search", "")])
def test_a_list_that_was_cut_says_so_on_stderr(
    invoke: Invoke, content: str, command: tuple[str, ...], options: tuple[str, ...]
) -> None:
    """How many there are, and the option that shows more; a whole list says nothing."""
    cut = invoke(*command, content, "--limit", "2", *options)
    whole = invoke(*command, content, "--limit", "4", *options)
    assert "2 of 4 articles. --limit 1000 shows more" in cut.stderr.splitlines()
    assert " of 4 articles" not in whole.stderr
    assert (cut.exit_code, whole.exit_code) == (0, 0)
    if options:
        assert json.loads(cut.stdout) == json.loads(whole.stdout)[:2]


@pytest.mark.parametrize("command", [("list",), ("search", "x")])
@pytest.mark.parametrize("limit", ["0", "1001", "many"])
def test_a_limit_outside_1_to_1000_is_a_usage_error(
    invoke: Invoke, content: str, command: tuple[str, ...], limit: str
) -> None:
    """D-127: a limit is 1 to 1,000; exit code 2 is usage."""
    result = invoke(*command, content, "--limit", limit)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "--limit" in result.stderr


def test_show_writes_the_article(invoke: Invoke, content: str) -> None:
    """The title as a heading, then the text as it was written."""
    result = invoke("show", "loops", content)
    assert result.exit_code == 0
    assert result.stdout == "# Agent loops\n\nRound and round.\n\n\tindented\n"


def test_show_takes_the_names_that_agents_take(
    invoke: Invoke, content: str, knowledge: KnowledgeBase
) -> None:
    """Former addresses, titles and URIs, as `get_article`."""
    knowledge.write("patterns/moved", title="It moved", aliases="[/concepts/before]")
    for name in ("concepts/before", "it moved", "kb://article/moved", "moved.md"):
        assert invoke("show", name, content).stdout.startswith("# It moved\n")


def test_show_as_json_is_the_whole_article(invoke: Invoke, content: str) -> None:
    """An article with its content."""
    result = invoke("show", "concepts/loops", content, "--json")
    assert result.exit_code == 0
    content = "Round and round.\n\n\tindented\n"
    assert json.loads(result.stdout) == {**LOOPS, "content": content}


@pytest.mark.parametrize(
    "slug", ["known-draft", "concepts/known-draft", "does-not-exist", ""]
)
def test_a_hidden_article_is_not_found_like_a_missing_one(
    invoke: Invoke, content: str, slug: str
) -> None:
    """D-004: `Article 'x' not found`, whether hidden or missing."""
    result = invoke("show", slug, content)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == f"{HINT}asdlc-kb: Article '{slug}' not found\n"


@pytest.mark.parametrize("name", ["LOPS", "lops", "concepts/loop"])
def test_similar_visible_names_are_suggested(
    invoke: Invoke, content: str, name: str
) -> None:
    """As the tools do: names of hidden articles are never among them."""
    result = invoke("show", name, content)
    assert (result.exit_code, result.stdout) == (1, "")
    message = f"Article '{name}' not found. Did you mean: loops?"
    assert result.stderr == f"{HINT}asdlc-kb: {message}\n"


def test_a_slug_of_two_categories_must_be_named_in_full(
    invoke: Invoke, knowledge: KnowledgeBase, content: str
) -> None:
    """D-008: a bare slug of two visible articles is an error that names both."""
    knowledge.write("patterns/loops", title="Other loops")
    result = invoke("show", "loops", content)
    assert result.exit_code == 1
    assert result.stderr == HINT + (
        "asdlc-kb: Article 'loops' is ambiguous: "
        "use one of concepts/loops, patterns/loops\n"
    )
    assert invoke("show", "patterns/loops", content).stdout.startswith(
        "# Other loops\n"
    )


def test_search_ranks_title_over_tag_over_description(
    invoke: Invoke, content: str
) -> None:
    """D-012: weights 3, 2 and 1 add up; case does not count."""
    by_keyword = "--mode", "keyword"
    result = invoke("search", "AGENTS", content, *by_keyword, "--json")
    rows = json.loads(result.stdout)
    assert [row["slug"] for row in rows] == ["loops", "fences"]
    assert rows[0] == LOOPS
    in_category = "--category", "patterns"
    shown = invoke("search", "agents", content, *in_category, *by_keyword).stdout
    assert shown.split() == ["2025-02-01", "patterns/fences", "Fences"]


@pytest.mark.parametrize("query", ["nothing-like-this", "draft", "shared"])
def test_a_search_without_a_hit_is_no_failure(
    invoke: Invoke, content: str, query: str
) -> None:
    """The tag `shared` is only on hidden articles: it finds none of them."""
    result = invoke("search", query, content)
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == f"{HINT}asdlc-kb: no results for '{query}'\n"
    assert json.loads(invoke("search", query, content, "--json").stdout) == []


def test_an_empty_query_finds_everything_visible(invoke: Invoke, content: str) -> None:
    """D-012: an empty query lists all visible articles."""
    rows = json.loads(invoke("search", "", content, "--json").stdout)
    assert {row["slug"] for row in rows} == {
        "loops",
        "fences",
        "reading",
        "links-to-hidden",
    }


@pytest.mark.parametrize(
    "command", [("list",), ("show", "x"), ("search", "x"), ("check",)]
)
def test_a_folder_that_is_not_there_is_the_machine_s_refusal(
    invoke: Invoke, folder: Path, command: tuple[str, ...]
) -> None:
    """D-127: exit code 3, environment; the message says what to do."""
    result = invoke(*command, "nowhere")
    assert (result.exit_code, result.stdout) == (3, "")
    assert result.stderr == ("asdlc-kb: no such folder: nowhere\n")


@pytest.mark.parametrize(
    ("command", "project"),
    [
        (("list",), ""),
        (("show", "x"), ""),
        (("search", "x"), ""),
        (("check",), " or of a project (--project path/to/project)"),
    ],
)
def test_without_any_folder_the_message_says_how_to_get_one(
    invoke: Invoke, command: tuple[str, ...], project: str
) -> None:
    """D-130: no folder named and none found: exit code 3 and how to get one."""
    result = invoke(*command)
    assert (result.exit_code, result.stdout) == (3, "")
    join = "," if project else " or"
    assert result.stderr == (
        f"asdlc-kb: no content: name a folder of documentation (--docs path/to/docs)"
        f"{join} of articles in categories (path/to/content){project}\n"
    )


def test_the_folder_content_is_the_default(invoke: Invoke, folder: Path) -> None:
    """D-130: `content/` if none is named."""
    KnowledgeBase(folder / "content")
    result = invoke("list")
    assert result.stdout.split()[:2] == ["2020-01-01", "concepts/links-to-hidden"]


HOSTILE = r'"Evil \e[2J\e]0;owned\a\u009b31m\u202e title"'
"""A title with YAML escapes of control characters."""


@pytest.mark.parametrize("command", [("list",), ("search", "evil"), ("show", "evil")])
def test_a_title_cannot_command_the_terminal(
    invoke: Invoke, knowledge: KnowledgeBase, command: tuple[str, ...]
) -> None:
    """D-083: escape sequences in a title never reach the terminal."""
    title = {"title": HOSTILE, "lastUpdated": "2026-01-01", "body": "Text\n"}
    knowledge.write("concepts/evil", **title)
    result = invoke(*command, str(knowledge.root))
    lines = result.stdout.split("\n")
    assert result.exit_code == 0
    assert [line for line in lines if not line.isprintable()] == []
    assert "Evil" in lines[0]
    assert lines[0].endswith("title")


def test_json_escapes_what_a_terminal_would_obey(
    invoke: Invoke, knowledge: KnowledgeBase
) -> None:
    """D-083: JSON for a pipe is safe on a terminal too."""
    knowledge.write("concepts/evil", title=HOSTILE)
    for command in (("list",), ("search", "evil"), ("show", "evil")):
        written = invoke(*command, str(knowledge.root), "--json").stdout
        assert written.replace("\n", "").isprintable()
        assert written.isascii()
