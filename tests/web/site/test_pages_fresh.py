"""Pages are as current as their files: new at the next request, gone at the next."""

import asyncio
from pathlib import Path

import pytest
from support.knowledge import KnowledgeBase
from support.pages import PERSON
from support.peers import open_app, serving
from support.publication import fill_both
from support.rendering import hold_renderings
from support.wire import ask

from asdlc_kb.site import page_cache


async def test_a_saved_article_is_new_at_the_next_request(
    knowledge: KnowledgeBase,
) -> None:
    """D-066: before any watcher event: as page, as Markdown, by any of its names."""
    paths = ("/concepts/a", "/concepts/a.md", "/concepts/a.html", "/concepts/a.htm")
    knowledge.write("concepts/a", title="One", body="## One\n")
    async with serving(open_app(knowledge)) as site:
        for number, path in enumerate(paths):
            for _ in range(2):
                answer = await ask(site.port, "GET", path, PERSON)
                assert answer.status == 200
            knowledge.write("concepts/a", title="x", body=f"## Version {number}\n")
            answer = await ask(site.port, "GET", path, PERSON)
            assert f"Version {number}".encode() in answer.body
            text = await ask(site.port, "GET", path, {"Accept": "text/markdown"})
            assert f"Version {number}".encode() in text.body


async def test_a_demoted_article_is_gone_at_the_next_request(
    knowledge: KnowledgeBase,
) -> None:
    """At every address that it had; promoted, it is back at once."""
    paths = ("/concepts/a", "/concepts/a.md", "/concepts/a/", "/concepts/a.htm")
    for path in (*paths, "/articles/a", "/articles/concepts/a", "/articles/a.md"):
        knowledge.write("concepts/a", title="Plover")
        async with serving(open_app(knowledge)) as site:
            before = await ask(site.port, "GET", path, PERSON)
            assert before.status in (200, 301)
            knowledge.write("concepts/a", title="Plover", status="Draft")
            assert (await ask(site.port, "GET", path, PERSON)).status == 404
            for other in ("/", "/concepts/", "/search?q=plover", "/llms.txt", "/map"):
                answer = await ask(site.port, "GET", other, PERSON)
                assert b"Plover" not in answer.body
            knowledge.write("concepts/a", title="Plover")
            after = await ask(site.port, "GET", path, PERSON)
            assert after.status == before.status


async def test_a_saved_page_is_new_at_the_next_request(tmp_path: Path) -> None:
    """Pages of documentation too: with suffix, as index, as twin, alone at the top."""
    _, tree = fill_both(tmp_path)
    files = {
        "/docs/a": "a.md",
        "/docs/a.md": "a.md",
        "/docs/guide/": "guide/README.md",
        "/docs/guide/index.md": "guide/README.md",
        "/docs/a.mdx": "a.mdx",
        "/docs/a.mdx.md": "a.mdx",
        "/docs/a%20b": "a b.md",
        "/": "index.md",
        "/index.html": "index.md",
    }
    async with serving(open_app(None, docs=tree)) as site:
        for number, (path, name) in enumerate(files.items()):
            assert (await ask(site.port, "GET", path, PERSON)).status == 200
            tree.write(name, f"# Title\n\nVersion {number}.\n")
            answer = await ask(site.port, "GET", path, PERSON)
            assert f"Version {number}.".encode() in answer.body, path
        tree.write("c#.md", "---\nstatus: Draft\n---\n# A\n")
        assert (await ask(site.port, "GET", "/docs/c%23", PERSON)).status == 404


async def test_many_ask_at_once(tmp_path: Path) -> None:
    """Every client gets the page that it requested."""
    knowledge, tree = fill_both(tmp_path)
    odd_app = open_app(knowledge, docs=tree)
    paths = ("/", "/concepts/first", "/concepts/second", "/docs/a", "/tags/", "/map")
    async with serving(odd_app) as site:
        alone = [(await ask(site.port, "GET", path)).body for path in paths]
        for _ in range(3):
            answers = (ask(site.port, "GET", path) for path in paths * 3)
            together = await asyncio.gather(*answers)
            assert [answer.body for answer in together] == alone * 3


async def test_a_browser_asks_again_for_a_text_that_is_being_rendered(
    knowledge: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Text shown as code meanwhile is replaced; nothing else is reloaded."""
    knowledge.write("concepts/large", body="Some *words*.\n\n" * 1_000)
    async with serving(open_app(knowledge)) as site:
        with monkeypatch.context() as changed, hold_renderings(changed):
            changed.setattr(page_cache, "MAX_RENDER_SECONDS", 0.0)
            early = await ask(site.port, "GET", "/concepts/large", PERSON)
        assert b"Some *words*." in early.body
        assert b'<meta http-equiv="refresh" content="2">' in early.body
        assert b" data-awaited>" in early.body
        with monkeypatch.context() as changed:
            changed.setattr(page_cache, "MAX_RENDER_SECONDS", 60.0)
            page = await ask(site.port, "GET", "/concepts/large", PERSON)
        assert b"Some <em>words</em>." in page.body
        assert b'http-equiv="refresh"' not in page.body
        assert b" data-awaited>" not in page.body
