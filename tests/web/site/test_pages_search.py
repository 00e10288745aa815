"""Search over HTTP: any query, any page, and nothing of it in a log."""

import re
from pathlib import Path
from urllib.parse import quote

import pytest
from support.knowledge import KnowledgeBase
from support.loglines import captured
from support.pages import PERSON
from support.peers import open_app, serving
from support.publication import fill_both
from support.wire import ask

from asdlc_kb.app import Runtime
from asdlc_kb.web.site import pages


@pytest.fixture
def odd_app(tmp_path: Path) -> Runtime:
    """Return an application over content that is hard to render."""
    knowledge, tree = fill_both(tmp_path)
    return open_app(knowledge, docs=tree, base_url="https://example.com/kb")


HARD = (
    "<script>alert(1)</script>",
    "\x00\x1b[2J",
    "  ",
    "+" * 50,
    '"' * 3,
    "%",
    "上下文",
)


async def test_a_search_is_answered_and_not_logged(odd_app: Runtime) -> None:
    """D-084: people search for personal things."""
    with captured() as lines:
        async with serving(odd_app) as site:
            for door in ("/search", "/-/search.json"):
                answer = await ask(site.port, "GET", f"{door}?q=plover%20dunes", PERSON)
                assert answer.status == 200
                assert answer.headers["x-robots-tag"] == "noindex"
    assert [row["path"] for row in lines.rows] == ["/search", "/-/search.json"]
    assert "plover" not in lines.text


@pytest.mark.parametrize("query", [*HARD, "q" * 2_001, "第" * 2_001])
async def test_any_search_is_answered(odd_app: Runtime, query: str) -> None:
    """Long, hostile, empty or in another script: a page, and nothing in it runs."""
    async with serving(odd_app) as site:
        for door in ("/search", "/-/search.json"):
            path = f"{door}?q={quote(query)}"
            answer = await ask(site.port, "GET", path, PERSON)
            assert answer.status == 200
            assert b"<script>alert" not in answer.body or "json" in door
            again = await ask(site.port, "GET", path, PERSON)
            assert again.headers["etag"] == answer.headers["etag"]


async def test_a_search_goes_on_after_its_first_page(knowledge: KnowledgeBase) -> None:
    """By links alone, each result once; an invalid page number is the first page."""
    for number in range(pages.MAX_RESULTS + 3):
        knowledge.write(f"concepts/n{number:02}", title=f"Plover {number:02}")
    found: list[str] = []
    async with serving(open_app(knowledge)) as site:
        path = "/search?q=plover"
        first = (await ask(site.port, "GET", path, PERSON)).body
        turned = []
        while path:
            turned.append(path)
            answer = await ask(site.port, "GET", path, PERSON)
            html = answer.body.decode()
            found += re.findall(r'<h2><a href="(/concepts/n\d+)', html)
            following = re.search(r'rel="next" href="([^"]*)"', html)
            path = following[1].replace("&amp;", "&") if following else ""
        assert turned == ["/search?q=plover", "/search?q=plover&page=2"]
        assert len(found) == len(set(found)) == pages.MAX_RESULTS + 3
        for odd in ("0", "-1", "x", "", "%FF", "1&page=1"):
            same = await ask(site.port, "GET", f"{turned[0]}&page={odd}", PERSON)
            assert same.body == first, odd
        last = await ask(site.port, "GET", f"{turned[0]}&page=999999", PERSON)
        assert last.status == 200


@pytest.mark.parametrize("query", ["q=%FF", "q=%C3%28"])
async def test_a_search_that_is_no_text_is_refused(
    odd_app: Runtime, query: str
) -> None:
    """One line, without the query."""
    async with serving(odd_app) as site:
        answer = await ask(site.port, "GET", f"/search?{query}", PERSON)
    assert (answer.status, answer.json) == (400, {"error": "Bad Request"})
