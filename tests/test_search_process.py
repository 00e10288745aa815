"""Search in real processes: current, without hidden text, fast to restart.

Repeated calls are bounded: `BOUND` seconds.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from support.canary import CANARY, Scanner
from support.docs import DocsTree
from support.knowledge import KnowledgeBase, article_text
from support.peers import envelope, message
from support.processes import BOUND, Finished, Served, run_cli, serve_process
from support.stateless import call

from asdlc_kb.providers.shared.size_budget import MAX_CHARS

WRITE = """
import os, sys
path, text = sys.argv[1:]
with open(path + ".tmp", "w") as file:
    file.write(text)
os.replace(path + ".tmp", path)
"""


@pytest.fixture
def tree(tmp_path: Path) -> DocsTree:
    """A small tree."""
    tree = DocsTree(tmp_path / "docs")
    tree.write("index.md", "# Welcome\n\nThe manual of the pelican.\n")
    tree.write("guide/heron.md", "# Herons\n\n## Feeding\n\nFish of the shallows.\n")
    return tree


def write_elsewhere(path: Path, text: str) -> None:
    """Save a file from a process that is independent of the server."""
    command = [sys.executable, "-c", WRITE, str(path), text]
    subprocess.run(command, timeout=BOUND, check=True)


STRUCTURED = "--structured-results"


async def ask(served: Served, tool: str, /, **arguments: Any) -> dict[str, Any]:
    """Call a tool that succeeds; return its structured content.

    The server has the setting `structured_results`.
    """
    params = {"name": tool, "arguments": arguments}
    answer = await call(served.port, "tools/call", params, tool)
    result = answer.json["result"]
    assert not result.get("isError"), result["content"]
    found: dict[str, Any] = result["structuredContent"]
    return found


async def ask_until(
    served: Served,
    holds: Callable[[dict[str, Any]], bool],
    tool: str,
    /,
    **arguments: Any,
) -> dict[str, Any]:
    """Call a tool until its result is the expected one."""
    deadline = time.monotonic() + BOUND
    while not holds(answer := await ask(served, tool, **arguments)):
        assert time.monotonic() < deadline, f"it stays at {answer}"
    return answer


def paths(answer: dict[str, Any]) -> list[str]:
    """Return the pages that were found."""
    return [row["path"] for row in answer["results"]]


def slugs(answer: dict[str, Any]) -> list[str]:
    """Return the articles that were found."""
    return [row["slug"] for row in answer["articles"]]


def events(done: Finished) -> list[str]:
    """Return the log events of a server that ended, by name."""
    return [json.loads(line)["event"] for line in done.stderr.splitlines()]


def holders(folder: Path, word: bytes) -> list[Path]:
    """Return the files below a folder that contain a word.

    The server replaces an index as a whole: files that vanish meanwhile are the last
    one's. Links are the server's own, to its copies in memory.
    """
    found = []
    for parent, _, names in os.walk(folder):
        for path in (Path(parent, name) for name in names):
            with suppress(FileNotFoundError):
                if not path.is_symlink() and word in path.read_bytes():
                    found.append(path)
    return found


async def test_documentation_alone_is_served_and_searched(
    tree: DocsTree, scanner: Scanner
) -> None:
    """`asdlc-kb serve --docs DIR` is enough; the first search finds."""
    options = ("--docs", str(tree.root))
    with serve_process(
        None, STRUCTURED, *options, scanner=scanner, cwd=tree.root.parent
    ) as served:
        result = await ask(served, "search_docs", query="what fish do herons eat?")
        page = await ask(served, "get_doc_page", path="guide/heron.md")
        done = served.stop()
    assert paths(result)[0] == "guide/heron.md"
    assert page["content"].startswith("# Herons\n")
    assert done.code == 0
    hidden = "6 hidden, 1 of them without a known status"
    assert f"  Docs      2 served, {hidden} ({tree.root})" in done.out.splitlines()


async def test_a_page_that_another_process_saves_is_found_by_its_new_words(
    tree: DocsTree, scanner: Scanner
) -> None:
    """New, changed, hidden and deleted: the index follows the disk."""
    options = ("--docs", str(tree.root))
    with serve_process(
        None, STRUCTURED, *options, scanner=scanner, cwd=tree.root.parent
    ) as served:
        assert paths(await ask(served, "search_docs", query="cormorant")) == []
        new = tree.root / "guide" / "cormorant.md"
        write_elsewhere(new, "# A diver\n\nThe shag dives.\n")
        query = {"query": "shag"}
        await ask_until(served, lambda a: a["total"] == 1, "search_docs", **query)
        write_elsewhere(new, "# A diver\n\nThe gannet dives.\n")
        query = {"query": "gannet"}
        result = await ask_until(
            served, lambda a: a["total"] == 1, "search_docs", **query
        )
        assert paths(result) == ["guide/cormorant.md"]
        assert result["results"][0]["passage"] == "The gannet dives."
        assert paths(await ask(served, "search_docs", query="shag")) == []
        write_elsewhere(new, f"---\ndraft: true\n---\nThe gannet {CANARY}.\n")
        await ask_until(served, lambda a: a["total"] == 0, "search_docs", **query)
        (tree.root / "index.md").unlink()
        query = {"query": "pelican"}
        await ask_until(served, lambda a: a["total"] == 0, "search_docs", **query)


async def test_an_article_that_another_process_saves_is_found_by_its_new_words(
    knowledge: KnowledgeBase, scanner: Scanner
) -> None:
    """D-012: auto searches full text if keywords find nothing, also after changes."""
    path = knowledge.write("concepts/diver", title="A diver", body="Text.\n")
    with serve_process(knowledge.root, STRUCTURED, scanner=scanner) as served:
        query = {"query": "gannet"}
        assert slugs(await ask(served, "search_articles", **query)) == []
        text = article_text("concepts/diver", title="A diver", body="The gannet.\n")
        write_elsewhere(path, text)
        result = await ask_until(
            served, lambda a: a["total"] == 1, "search_articles", **query
        )
        assert (slugs(result), result["mode"]) == (["diver"], "fulltext")
        article = await ask(served, "get_article", slug="diver")
        assert article["content"] == "The gannet.\n"


MARK = "zyxwvutsrq"
"""A word of one article, in the form of the index files."""


async def test_a_demoted_article_leaves_answers_and_the_files_of_the_index(
    knowledge: KnowledgeBase, tmp_path: Path, scanner: Scanner
) -> None:
    """D-089: hidden is hidden on disk too, without a query or another change."""
    body = f"## About {MARK}\n\nThe {MARK} dives.\n"
    knowledge.write("concepts/other", title="Other", body="It dives.\n")
    path = knowledge.write("concepts/diver", title="A diver", body=body)
    kept = tmp_path / "kept"
    options = ("--cache-dir", str(kept))
    with serve_process(knowledge.root, STRUCTURED, *options, scanner=scanner) as served:
        query = {"query": MARK, "mode": "fulltext"}
        assert slugs(await ask(served, "search_articles", **query)) == ["diver"]
        assert holders(kept, MARK.encode())
        demoted = article_text("concepts/diver", status="Draft", body=body)
        write_elsewhere(path, demoted)
        params = {"name": "get_article", "arguments": {"slug": "diver"}}
        answer = await call(served.port, "tools/call", params, "get_article")
        (item,) = answer.json["result"]["content"]
        assert item["text"] == "Article 'diver' not found"
        assert slugs(await ask(served, "search_articles", **query)) == []
        deadline = time.monotonic() + BOUND
        while open_files := holders(kept, MARK.encode()):
            assert time.monotonic() < deadline, f"it stays in {open_files}"
        dives = await ask(served, "search_articles", query="dives")
        assert slugs(dives) == ["other"]
        assert served.stop().code == 0
    assert holders(kept, MARK.encode()) == []
    assert holders(kept, CANARY.encode()) == []


async def test_the_next_start_opens_the_index_and_reads_what_changed(
    tree: DocsTree, tmp_path: Path, scanner: Scanner
) -> None:
    """Nothing is built twice; changes since the last run are found at once."""
    options = ("--docs", str(tree.root), "--cache-dir", str(tmp_path / "kept"))
    for word, event in (("pelican", "index built"), ("gannet", "index refreshed")):
        with serve_process(
            None, STRUCTURED, *options, scanner=scanner, cwd=tmp_path
        ) as served:
            result = await ask(served, "search_docs", query=word)
            assert paths(result) == ["index.md"]
            done = served.stop()
        assert done.code == 0
        events_logged = events(done)
        assert events_logged.count(event) == 1
        assert ("index opened" in events_logged) is (event == "index refreshed")
        tree.write("index.md", "# Welcome\n\nThe manual of the gannet.\n")


async def test_two_servers_of_one_folder_both_search(
    tree: DocsTree, tmp_path: Path, scanner: Scanner
) -> None:
    """D-090: the index belongs to the first; the second keeps its own in memory."""
    options = ("--docs", str(tree.root), "--cache-dir", str(tmp_path / "kept"))
    process_options: dict[str, Any] = {"scanner": scanner, "cwd": tmp_path}
    with serve_process(None, STRUCTURED, *options, **process_options) as first:
        assert paths(await ask(first, "search_docs", query="pelican")) == ["index.md"]
        with serve_process(None, STRUCTURED, *options, **process_options) as second:
            result = await ask(second, "search_docs", query="pelican")
            assert paths(result) == ["index.md"]
            done = second.stop()
            assert done.code == 0
            assert "index kept in memory only" in events(done)
        assert paths(await ask(first, "search_docs", query="pelican")) == ["index.md"]
        assert first.stop().code == 0


def test_a_server_that_is_stopped_at_once_leaves_an_index_that_is_right(
    tree: DocsTree, tmp_path: Path, scanner: Scanner
) -> None:
    """At any moment: exit code 0, and the next one finds every page."""
    for number in range(200):
        tree.write(f"many/{number}.md", f"# Page {number}\n\n{'An albatross. ' * 50}\n")
    options = ("--docs", str(tree.root), "--cache-dir", str(tmp_path / "kept"))
    with serve_process(
        None, STRUCTURED, *options, scanner=scanner, cwd=tmp_path
    ) as served:
        done = served.stop()
    assert done.code == 0
    assert b"Traceback" not in done.stderr
    process = run_cli(
        *("search", "albatross", *options, "--limit", "1000", "--json"),
        scanner=scanner,
        cwd=tmp_path,
    )
    assert len(json.loads(process.out)) == 200


def test_documentation_is_served_over_stdio(tree: DocsTree, scanner: Scanner) -> None:
    """`asdlc-kb stdio --docs DIR`, as a client starts it; a large page in parts."""
    tree.write("large.md", "# Large\n\n" + "Some words of it.\n\n" * 10_000)
    calls = (
        {"name": "search_docs", "arguments": {"query": "shallows"}},
        {"name": "get_doc_page", "arguments": {"path": "large.md"}},
    )
    meta = {"_meta": envelope("2026-07-28")}
    sent = [
        json.dumps(message("tools/call", {**params, **meta}, number)).encode()
        for number, params in enumerate(calls)
    ]
    done = run_cli(
        *("stdio", STRUCTURED, "--docs", tree.root),
        stdin=b"\n".join(sent),
        scanner=scanner,
        cwd=tree.root.parent,
    )
    assert done.code == 0
    answers = {a["id"]: a["result"] for a in map(json.loads, done.out.splitlines())}
    assert paths(answers[0]["structuredContent"]) == ["guide/heron.md"]
    assert len(answers[1]["content"][0]["text"]) < MAX_CHARS
    assert answers[1]["structuredContent"]["nextCursor"]
