"""Evaluation in real processes: from the log of a server to cases and a comparison."""

import json
import tomllib
from pathlib import Path

import pytest
from support.canary import Scanner
from support.docs import DocsTree
from support.knowledge import KnowledgeBase
from support.processes import run_cli, serve_process
from support.stateless import call

QUERIES = ("fish of the shallows", "Fish of the shallows", "pelican updated:2025-01")


@pytest.fixture
def sources(knowledge: KnowledgeBase, tmp_path: Path) -> tuple[str, ...]:
    """Articles and pages, as arguments of a command."""
    knowledge.write("concepts/pelican", title="The pelican", body="It dives.\n")
    tree = DocsTree(tmp_path / "docs")
    tree.write("guide/heron.md", "# Herons\n\n## Feeding\n\nFish of the shallows.\n")
    return str(knowledge.root), "--docs", str(tree.root)


async def test_the_queries_of_a_server_become_cases_that_are_compared(
    sources: tuple[str, ...], tmp_path: Path, scanner: Scanner
) -> None:
    """Asked, drafted, judged, measured, and measured again after a change."""
    content, *docs = sources
    with serve_process(
        Path(content), *docs, "--log-queries", scanner=scanner
    ) as served:
        for query in QUERIES:
            params = {"name": "search_docs", "arguments": {"query": query}}
            await call(served.port, "tools/call", params, "search_docs")
        log = served.stop().stderr
    drafted = run_cli(
        *("eval", "draft", "-", *sources, "--cache-dir", "off"),
        scanner=scanner,
        stdin=log,
    )
    assert drafted.code == 0, drafted.err
    first, second = tomllib.loads(drafted.out)["case"]
    assert first == {"query": "fish of the shallows", "must_include": []}
    assert second["query"] == "pelican updated:2025-01"
    assert "# Asked 2 times.\n" in drafted.out
    assert ". guide/heron.md: Herons\n" in drafted.out
    assert "# 1. concepts/pelican: The pelican\n" in drafted.out
    cases = drafted.out
    for name in ("guide/heron.md", "concepts/pelican"):
        cases = cases.replace("must_include = []", f'must_include = ["{name}"]', 1)
    (tmp_path / "cases.toml").write_text(cases)
    evaluate = ("eval", str(tmp_path / "cases.toml"), *sources, "--cache-dir", "off")
    before = run_cli(*evaluate, "--json", scanner=scanner)
    assert before.code == 0, before.out
    (tmp_path / "before.json").write_bytes(before.stdout)
    Path(sources[0], "concepts/pelican.md").unlink()
    after = run_cli(
        *(*evaluate, "--json", "--compare", str(tmp_path / "before.json")),
        scanner=scanner,
    )
    assert after.code == 0, after.err
    changed = json.loads(after.out)["comparison"]["changed"]
    steps = {case["query"]: case["better"] for case in changed}
    assert steps[second["query"]] is False


def test_a_search_is_filtered_and_explained(
    sources: tuple[str, ...], scanner: Scanner
) -> None:
    """On the command line, without a server."""
    query = "shallws source:root"
    found = run_cli("search", query, *sources, "--explain", "--json", scanner=scanner)
    assert found.code == 0, found.err
    answer = json.loads(found.out)
    (search,) = answer["searches"]
    (word,) = search["words"]
    assert (word["typed"], word["isReplaced"]) == ("shallws", True)
    assert word["variants"][0]["word"] == "shallows"
    (row,) = answer["results"]
    assert row["path"] == "guide/heron.md"
    assert row["why"]["matches"][0]["fields"] == ["text"]
