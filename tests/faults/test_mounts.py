"""Kernel faults: a server with its own mounts and limits."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from support.canary import Scanner
from support.knowledge import KnowledgeBase
from support.namespaces import Mounts, namespaced
from support.peers import BOUND
from support.processes import Served, serve_process
from support.stateless import call
from support.wire import ask

MISSING = "Article 'x' not found"


class ServedArticle:
    """State of the article `x`, and of a server in another process."""

    def __init__(self, served: Served) -> None:
        self.port = served.port

    async def title(self) -> str:
        """Return the title of `x`, or the error instead."""
        params = {"name": "get_article", "arguments": {"slug": "x"}}
        answer = await call(self.port, "tools/call", params, "get_article")
        text = answer.json["result"]["content"][0]["text"]
        return str(text if text == MISSING else json.loads(text)["title"])

    async def listed(self) -> set[str]:
        """Return the titles in the list of articles, as the watcher updates it."""
        params = {"name": "list_articles", "arguments": {}}
        answer = await call(self.port, "tools/call", params, "list_articles")
        payload = json.loads(answer.json["result"]["content"][0]["text"])
        return {article["title"] for article in payload} - {"Links to hidden"}

    async def health(self) -> tuple[str, int]:
        """Return the state and the number of problems beyond those of every base."""
        state = (await ask(self.port, "GET", "/health")).json
        return state["status"], state["problems"]

    async def until(self, holds: Callable[[], object], *expected: object) -> None:
        """Ask until the state is one of `expected`, at most `BOUND` seconds."""
        async with asyncio.timeout(BOUND):
            while await holds() not in expected:  # type: ignore[misc]
                await asyncio.sleep(0.01)


def logged(served: Served, event: str) -> list[dict[str, str]]:
    """Return the lines of the server's log for an event."""
    return [line for line in served.running.read_log() if line["event"] == event]


@pytest.mark.parametrize(
    ("limit", "value", "reason"),
    [
        ("max_inotify_watches", 2, "file watch limit"),
        ("max_inotify_instances", 0, "no inotify instance left"),
    ],
)
async def test_inotify_limit(
    knowledge: KnowledgeBase, scanner: Scanner, limit: str, value: int, reason: str
) -> None:
    """Out of watches or instances: it starts anyway, scans, and logs it once."""
    prefix = namespaced({limit: value})
    with serve_process(knowledge.root, scanner=scanner, prefix=prefix) as served:
        article = ServedArticle(served)
        for title in ("One", "Two"):
            knowledge.write("patterns/x", title=title)
            await article.until(article.listed, {title})
        (failure,) = logged(served, "kernel events failed")
    assert reason in failure["reason"]


async def test_eio(knowledge: KnowledgeBase, scanner: Scanner) -> None:
    """A disk error keeps the last good version, is reported, and is retried."""
    path = knowledge.write("patterns/x", title="One")
    with serve_process(knowledge.root, scanner=scanner, prefix=namespaced()) as served:
        article, mounts = ServedArticle(served), Mounts(served)
        state, problems = await article.health()
        mounts.break_file(path)
        # No event reports a mount: a read finds it, or the next scan of all files.
        assert await article.title() == "One"
        await article.until(article.health, ("degraded", problems + 1))
        assert (await article.title(), await article.listed()) == ("One", {"One"})
        mounts.take_away(path)
        knowledge.write("patterns/x", title="Two")
        await article.until(article.health, (state, problems))
        await article.until(article.listed, {"Two"})


async def test_a_root_that_is_mounted_over(
    knowledge: KnowledgeBase, scanner: Scanner, tmp_path: Path
) -> None:
    """A bind mount over the root is the new set, without any event; and back."""
    knowledge.write("patterns/x", title="One")
    other = KnowledgeBase(tmp_path / "other")
    other.write("patterns/x", title="Two")
    with serve_process(knowledge.root, scanner=scanner, prefix=namespaced()) as served:
        article, mounts = ServedArticle(served), Mounts(served)
        mounts.bind(other.root, knowledge.root)
        await article.until(article.listed, {"Two"})
        other.write("patterns/x", title="Three")
        await article.until(article.listed, {"Three"})
        mounts.take_away(knowledge.root)
        await article.until(article.listed, {"One"})


@pytest.mark.parametrize("grace", ["60", "0"])
async def test_a_root_that_is_un_mounted(
    tmp_path: Path, scanner: Scanner, grace: str
) -> None:
    """D-069: an empty folder is left: the last good set for the grace, then none."""
    volume = KnowledgeBase(tmp_path / "volume")
    volume.write("patterns/x", title="One")
    root = tmp_path / "content"
    root.mkdir()
    prefix = namespaced()
    with serve_process(
        root, "--missing-grace", grace, scanner=scanner, prefix=prefix
    ) as served:
        article, mounts = ServedArticle(served), Mounts(served)
        assert await article.listed() == set()
        mounts.bind(volume.root, root)
        await article.until(article.listed, {"One"})
        state, problems = await article.health()
        mounts.take_away(root)
        if grace == "0":
            await article.until(article.listed, set())
        else:
            await article.until(article.health, ("degraded", problems + 1))
            assert (await article.title(), await article.listed()) == ("One", {"One"})
        volume.write("patterns/x", title="Two")
        mounts.bind(volume.root, root)
        await article.until(article.listed, {"Two"})
        assert await article.health() == (state, problems)
