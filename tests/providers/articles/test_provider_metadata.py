"""References and further fields of the frontmatter, wherever an article is read."""

import datetime
import json
from typing import Any

import pytest
from support.canary import CANARY, Scanner
from support.knowledge import KnowledgeBase
from support.pages import PERSON
from support.peers import open_app, serving
from support.shelf import DirectPeer
from support.site import articles_of
from support.wire import ask

from asdlc_kb.articles.checks import check_articles
from asdlc_kb.attachments.store import AttachmentStore

ITEM = "- [Lost in the Middle](https://a.example/1), Liu, 2023. A plover forgets."


@pytest.fixture
def cited(knowledge: KnowledgeBase) -> KnowledgeBase:
    """A base with an article that has references and a field of its own."""
    knowledge.write(
        "concepts/window",
        title="Window",
        references="[{title: Lost in the Middle, url: https://a.example/1, "
        "author: Liu, date: 2023, annotation: A plover forgets.}]",
        audience="{level: [new, old]}",
        body="A text, with [sources](#references).\n",
    )
    return knowledge


def connect(knowledge: KnowledgeBase, scanner: Scanner) -> DirectPeer:
    """Return a client of the newest version."""
    app = open_app(knowledge)
    return DirectPeer("2026-07-28", server=app.server, scanner=scanner)


async def get(peer: DirectPeer, **arguments: Any) -> tuple[dict[str, Any], list[str]]:
    """Return the JSON of `get_article`, and its further texts."""
    result = await peer.call("get_article", **arguments)
    first, *others = (item["text"] for item in result["content"])
    answer: dict[str, Any] = json.loads(first)
    return answer, others


async def test_references_are_in_every_form_of_an_article(
    cited: KnowledgeBase, scanner: Scanner
) -> None:
    """D-144: the tool, the resource, the page and its Markdown."""
    app = open_app(cited)
    peer = DirectPeer("2026-07-28", server=app.server, scanner=scanner)
    answer, _ = await get(peer, slug="window")
    assert answer["content"].endswith(f"\n\n## References\n\n{ITEM}\n")
    markdown = await peer.call("get_article", slug="window", format="markdown")
    read = await peer.result("resources/read", {"uri": "kb://article/window"})
    for text in (markdown["content"][0]["text"], read["contents"][0]["text"]):
        assert f"\n\n## References\n\n{ITEM}\n\nAuthor: " in text
    async with serving(app) as site:
        page = await ask(site.port, "GET", "/concepts/window", PERSON)
        plain = await ask(site.port, "GET", "/concepts/window.md", PERSON)
    assert 'id="references"' in page.body.decode()
    assert 'href="https://a.example/1"' in page.body.decode()
    assert ITEM in plain.body.decode()


async def test_references_are_found(cited: KnowledgeBase, scanner: Scanner) -> None:
    """D-144: with their section, which has an anchor."""
    peer = connect(cited, scanner)
    result = await peer.call("search_articles", query="plover", mode="fulltext")
    (row,) = json.loads(result["content"][0]["text"])
    assert (row["slug"], row["anchor"]) == ("window", "references")


def test_links_to_the_section_are_right(cited: KnowledgeBase) -> None:
    """D-144: `check` knows its anchor."""
    catalog = articles_of(open_app(cited)).catalog
    problems = check_articles(
        catalog, AttachmentStore((cited.root,)), datetime.date(2026, 1, 1)
    )
    found = [p.code for p in problems if p.path == "concepts/window.md"]
    assert found == ["KB023"]


async def test_further_fields_are_metadata_of_the_article_alone(
    cited: KnowledgeBase, scanner: Scanner
) -> None:
    """D-144: in the JSON of get_article, and nowhere else."""
    peer = connect(cited, scanner)
    answer, others = await get(peer, slug="window")
    assert answer["metadata"] == {"audience": {"level": ["new", "old"]}}
    assert others == []
    assert "metadata" not in (await get(peer, slug="links-to-hidden"))[0]
    for tool, arguments in (
        ("list_articles", {}),
        ("search_articles", {"query": "window"}),
        ("search_articles", {"query": "window", "include_content": True}),
        ("search_articles", {"query": "plover", "mode": "fulltext"}),
        ("get_article", {"slug": "window", "format": "markdown"}),
    ):
        result = await peer.call(tool, **arguments)
        text = result["content"][0]["text"]
        assert "indow" in text
        assert "audience" not in text
    read = await peer.result("resources/read", {"uri": "kb://article/window"})
    assert "audience" not in json.dumps(read)


async def test_fields_of_a_hidden_article_are_in_no_answer(
    cited: KnowledgeBase, scanner: Scanner
) -> None:
    """D-004: not found, as if there were no file."""
    fields = {"secret": CANARY, "references": f"plover {CANARY}"}
    cited.write("concepts/window", status="Draft", **fields)
    peer = connect(cited, scanner)
    result = await peer.call("get_article", slug="window")
    assert result["content"][0]["text"] == "Article 'window' not found"
    found = await peer.call("search_articles", query="plover", mode="fulltext")
    assert json.loads(found["content"][0]["text"]) == []


async def test_metadata_is_in_the_first_part(
    cited: KnowledgeBase, scanner: Scanner
) -> None:
    """Once, and only if it fits; else the second text says that it is left out."""
    body = "".join(f"## Part {n}\n\n{'word ' * 300}\n\n" for n in range(4))
    cited.write("concepts/long", note="x" * 900, body=body)
    peer = connect(cited, scanner)
    first, _ = await get(peer, slug="long", max_chars=4000)
    assert first["metadata"] == {"note": "x" * 900}
    cursor = first["nextCursor"]
    second, _ = await get(peer, slug="long", max_chars=4000, cursor=cursor)
    assert "metadata" not in second
    small, (note,) = await get(peer, slug="long", max_chars=1000)
    assert "metadata" not in small
    assert "metadata is left out: ask with a larger max_chars." in note
