"""Cases drafted from a log: `eval draft`."""

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from support.canary import CANARY
from support.knowledge import KnowledgeBase

from asdlc_kb.search.policy import MAX_QUERY_CHARS

Invoke = Callable[..., Result]


def line(query: str | None, found: int = 1, **fields: Any) -> str:
    """Return a line of an access log."""
    row = {
        "event": "request",
        "path": "/mcp",
        "method": "tools/call",
        "tool": "search_articles",
        "found": found,
        **fields,
    }
    return json.dumps(row if query is None else {**row, "query": query})


@pytest.fixture
def run(
    invoke: Invoke, knowledge: KnowledgeBase, folder: Path
) -> Callable[..., Result]:
    """Run `eval draft` with a log of these lines."""
    knowledge.write("concepts/pelican", title="The pelican", body="It eats fish.\n")
    knowledge.write("patterns/net", title="A net", body="To catch fish.\n")
    knowledge.write("patterns/plan", title=f"Fish {CANARY}", status="Draft")

    def run(*lines: str, options: tuple[str, ...] = ()) -> Result:
        (folder / "access.log").write_text("\n".join(lines), encoding="utf-8")
        content = str(knowledge.root)
        return invoke("eval", "draft", "access.log", content, *options)

    return run


def test_queries_are_cases_by_frequency(run: Callable[..., Result]) -> None:
    """With the first results as comments, and what is to be filled in."""
    result = run(line("pelican"), line("fish"), line("Fish"), line("zzqx", 0))
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert lines[lines.index("# Asked 2 times.") :] == [
        "# Asked 2 times.",
        "[[case]]",
        'query = "fish"',
        "# 1. concepts/pelican: The pelican",
        "# 2. patterns/net: A net",
        "must_include = []",
        "",
        "# Asked once.",
        "[[case]]",
        'query = "pelican"',
        "# 1. concepts/pelican: The pelican",
        "must_include = []",
        "",
        "# Asked once. No results.",
        "[[case]]",
        'query = "zzqx"',
        "must_include = []",
    ]


def test_the_draft_is_a_file_of_cases_that_are_not_judged(
    run: Callable[..., Result], invoke: Invoke, folder: Path, knowledge: KnowledgeBase
) -> None:
    """`eval` reads it as it is, and fails none."""
    (folder / "cases.toml").write_text(run(line("fish"), line("pelican")).stdout)
    result = invoke("eval", "cases.toml", str(knowledge.root), "--verbose")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[:2] == ["not judged  fish", "not judged  pelican"]


@pytest.mark.parametrize(
    "query",
    [
        'a "b" \\ c',
        "tab\tand\nline",
        "\x1b[2J",
        "\x7f\x85",
        "\u202eevil\u2066",
        "日本語 😀",
        "'''",
        '"""',
        "a # b",
        "]\n[[case]]",
    ],
)
def test_any_query_is_read_back_as_it_was_logged(
    run: Callable[..., Result], query: str
) -> None:
    """However it is quoted; nothing reaches the terminal unescaped."""
    written = run(line(query)).stdout
    assert [case["query"] for case in tomllib.loads(written)["case"]] == [query.strip()]
    assert not set(written) & set("\x1b\x7f\x85\u202e\u2066")


def test_the_number_of_queries_is_limited(run: Callable[..., Result]) -> None:
    """Empty ones and too long ones are no cases."""
    lines = [line(f"fish {number}") for number in range(5)]
    written = run(*lines, options=("--limit", "3")).stdout
    assert len(tomllib.loads(written)["case"]) == 3
    written = run(line("x" * (MAX_QUERY_CHARS + 1)), line(" "), line("fish")).stdout
    assert [case["query"] for case in tomllib.loads(written)["case"]] == ["fish"]


def test_a_log_without_queries_is_an_error(run: Callable[..., Result]) -> None:
    """With the option that logs them."""
    result = run(line(None), "not a log line")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == (
        "asdlc-kb: access.log: no queries in this log: "
        "start the server with --log-queries\n"
    )


def test_a_log_may_come_from_standard_input(
    invoke: Invoke, knowledge: KnowledgeBase
) -> None:
    """As from a pipe."""
    result = invoke("eval", "draft", "-", str(knowledge.root), stdin=line("fish"))
    assert result.exit_code == 0
    assert 'query = "fish"' in result.stdout


def test_help_names_its_own_arguments(invoke: Invoke) -> None:
    """And that of eval names the draft."""
    assert "eval draft [OPTIONS] LOG" in invoke("eval", "draft", "--help").stdout
    assert "eval draft LOG" in invoke("eval", "--help").stdout
