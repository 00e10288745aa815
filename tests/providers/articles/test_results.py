"""Lists of articles within the size of a result, and the cursors of the rest."""

import json
from typing import Any

import pytest
from support.canary import Scanner
from support.knowledge import KnowledgeBase
from support.manual import Manual
from support.peers import open_app
from support.shelf import DirectPeer

LISTING = [
    ("list_articles", {}),
    ("search_articles", {"query": "wide"}),
    ("search_articles", {"query": "wide", "format": "markdown"}),
    ("search_articles", {"query": "gannets", "mode": "fulltext"}),
    ("search_articles", {"query": "gannets", "format": "markdown"}),
]


def open_peer(knowledge: KnowledgeBase, scanner: Scanner) -> DirectPeer:
    """Return a peer of the newest version that asks a knowledge base."""
    app = open_app(knowledge, structured_results=True)
    return DirectPeer("2026-07-28", server=app.server, scanner=scanner)


def fill(knowledge: KnowledgeBase, count: int, description: str) -> None:
    """Write articles that keywords and full text find."""
    for number in range(count):
        knowledge.write(
            f"concepts/wide-{number}",
            title=f"Wide {number}",
            description=description,
            body="The gannets.\n",
        )


async def read_rows(peer: DirectPeer, tool: str, **arguments: Any) -> list[list[str]]:
    """Follow the cursors of a list; return the slugs of each answer."""
    answers: list[list[str]] = []
    cursor = None
    while len(answers) < 50:
        result = await peer.call(tool, cursor=cursor, **arguments)
        assert not result.get("isError"), result["content"]
        answer, (item, *notes) = result["structuredContent"], result["content"]
        text = item["text"]
        assert len(text) <= 10_000 or len(answer["articles"]) == 1
        if arguments.get("format") != "markdown":
            assert json.loads(text) == answer["articles"]
        answers.append([row["slug"] for row in answer["articles"]])
        cursor = answer.get("nextCursor")
        if cursor is None:
            return answers
        assert f'Next: cursor "{cursor}"' in notes[0]["text"]
    raise AssertionError("the list has no end")


@pytest.mark.parametrize("description", ["d" * 2_000, "d" * 10_000, "'\\\"' " * 400])
@pytest.mark.parametrize(("tool", "arguments"), LISTING)
async def test_a_default_list_stays_within_an_answer(
    knowledge: KnowledgeBase,
    scanner: Scanner,
    tool: str,
    arguments: dict[str, Any],
    description: str,
) -> None:
    """No more characters than fit; joined results are the list, each row once."""
    fill(knowledge, 50, json.dumps(description))
    peer = open_peer(knowledge, scanner)
    answers = await read_rows(peer, tool, **arguments)
    assert len(answers) > 1 and all(answers)
    slugs = [slug for answer in answers for slug in answer if "wide" in slug]
    assert len(slugs) == len(set(slugs)) == 50


@pytest.mark.parametrize(("tool", "arguments"), LISTING)
async def test_a_list_goes_on_after_its_limit(
    knowledge: KnowledgeBase, scanner: Scanner, tool: str, arguments: dict[str, Any]
) -> None:
    """As many as requested, then the cursor of the next."""
    fill(knowledge, 9, "Short")
    peer = open_peer(knowledge, scanner)
    answers = await read_rows(peer, tool, limit=4, **arguments)
    assert [len(answer) for answer in answers[:2]] == [4, 4]
    assert len({slug for answer in answers for slug in answer}) in (9, 10)


async def test_a_long_list_has_no_long_fields(
    knowledge: KnowledgeBase, scanner: Scanner
) -> None:
    """2,000 characters of a description, 100 tags; get_article has them all."""
    tags = [f"t{number}" for number in range(500)]
    knowledge.write(
        "concepts/wide", description="d" * 5_000, tags=f"[{', '.join(tags)}]"
    )
    peer = open_peer(knowledge, scanner)
    for include_content in (False, True):
        result = await peer.call(
            "search_articles", query="ddd", include_content=include_content
        )
        (row,) = result["structuredContent"]["articles"]
        assert (len(row["description"]), len(row["tags"])) == (2_000, 100)
    arguments = {"slug": "wide", "max_chars": 80_000}
    article = (await peer.call("get_article", **arguments))["structuredContent"]
    assert (len(article["description"]), article["tags"]) == (5_000, tags)


@pytest.mark.parametrize("max_chars", [1_000, 10_000, 80_000])
async def test_whole_articles_are_bounded_too(
    knowledge: KnowledgeBase, scanner: Scanner, max_chars: int
) -> None:
    """As many as fit, the rest by cursor; the first one is cut if it alone does not."""
    for number in range(20):
        body = f"Start {number}.\n{'word ' * 1_000}"
        knowledge.write(f"concepts/wide-{number}", title=f"Wide {number}", body=body)
    peer = open_peer(knowledge, scanner)
    arguments = {"include_content": True, "max_chars": max_chars}
    slugs, cursor = [], None
    while True:
        result = await peer.call(
            "search_articles", query="wide", cursor=cursor, **arguments
        )
        assert len(result["content"][0]["text"]) <= max_chars
        rows = json.loads(result["content"][0]["text"])
        for row in rows:
            whole = 5_000 + row["content"].index("\n") + 1
            assert len(row["content"]) == row.get("end", whole)
            assert row.get("characters", whole) == whole
        slugs += [row["slug"] for row in rows]
        cursor = result["structuredContent"].get("nextCursor")
        if cursor is None:
            break
    assert len(slugs) == len(set(slugs)) == 20


async def test_a_cursor_belongs_to_one_list_as_it_was(
    knowledge: KnowledgeBase, scanner: Scanner
) -> None:
    """Other arguments, or other rows before it: a tool error that says so."""
    fill(knowledge, 9, "Short")
    peer = open_peer(knowledge, scanner)
    first = await peer.call("search_articles", query="wide", limit=4)
    cursor = first["structuredContent"]["nextCursor"]
    params = {"query": "wide", "cursor": cursor}
    others = [
        ("list_articles", {"cursor": cursor}),
        ("search_articles", params | {"query": "short"}),
        ("search_articles", params | {"mode": "fulltext"}),
    ]
    assert "isError" not in await peer.call("search_articles", **params)
    changed = KnowledgeBase(knowledge.root)
    changed.write("concepts/wide-new", title="Wide", lastUpdated="2030-01-01")
    others.append(("search_articles", params))
    for tool, arguments in others[:3]:
        result = await peer.call(tool, **arguments)
        assert result["isError"] is True
    result = await open_peer(changed, scanner).call("search_articles", **params)
    message = "Invalid cursor: it belongs to other arguments, or the content changed"
    assert result["isError"] is True
    assert result["content"][0]["text"].startswith(message)


BODIES = [
    '"\\' * 30_000,
    "".join(f"## Heading {n}\n\n{'Words. ' * 20}\n\n" for n in range(600)),
    "line\n" * 8_000,
    "Plain words.\n\n" + '"' * 17_000,
    "Short.\n",
]
MATTER = [
    {},
    {"description": "d" * 15_000},
    {"tags": f"[{', '.join(f'tag {n}' for n in range(1_500))}]"},
]


@pytest.mark.parametrize("form", ["json", "markdown"])
@pytest.mark.parametrize("matter", range(len(MATTER)))
@pytest.mark.parametrize("body", range(len(BODIES)))
async def test_a_default_article_stays_within_an_answer(
    knowledge: KnowledgeBase, scanner: Scanner, body: int, matter: int, form: str
) -> None:
    """Quotes, headings, lines, descriptions, tags; parts joined are the text."""
    knowledge.write("concepts/large", title="L", body=BODIES[body], **MATTER[matter])
    peer = open_peer(knowledge, scanner)
    whole, cursor, count = "", None, 0
    while count == 0 or cursor is not None:
        result = await peer.call(
            "get_article", slug="large", cursor=cursor, format=form
        )
        assert len(result["content"][0]["text"]) <= 12_000
        part = result["structuredContent"]
        is_text = form == "json" or "start" in part
        whole += part["content"] if is_text else result["content"][0]["text"]
        cursor, count = part.get("nextCursor"), count + 1
        assert count < 100
    assert BODIES[body].strip() in whole
    if form == "json":
        assert whole == BODIES[body]


@pytest.mark.parametrize("matter", range(len(MATTER)))
@pytest.mark.parametrize("body", range(len(BODIES)))
async def test_a_default_page_stays_within_an_answer(
    manual: Manual, body: int, matter: int
) -> None:
    """The same for documentation."""
    lines = "".join(f"{key}: {value}\n" for key, value in MATTER[matter].items())
    text = f"# Large\n\n{BODIES[body]}"
    manual.tree.write("large.md", f"---\ntitle: Large\n{lines}---\n{text}")
    manual.update()
    whole, cursor, count = "", None, 0
    while count == 0 or cursor is not None:
        page = await manual.call("get_doc_page", path="large.md", cursor=cursor)
        assert len(page["content"]) <= 10_000
        whole += page["content"]
        cursor, count = page.get("nextCursor"), count + 1
        assert count < 100
    assert whole == text


async def test_a_hit_below_a_long_heading_stays_within_an_answer(
    manual: Manual, knowledge: KnowledgeBase, scanner: Scanner
) -> None:
    """The heading is cut; its anchor would lead nowhere and is left out."""
    long = "word " * 19_000
    manual.tree.write("large.md", f"# Large\n\n## {long}\n\nThe gannets.\n")
    manual.update()
    (hit,) = (await manual.call("search_docs", query="gannets"))["results"]
    cut = f"Large > {long[:99].rstrip()}…"
    assert (hit["heading"], "anchor" in hit) == (cut, False)
    knowledge.write("concepts/large", body=f"## {long}\n\nThe gannets.\n")
    peer = open_peer(knowledge, scanner)
    result = await peer.call("search_articles", query="gannets", mode="fulltext")
    (row,) = result["structuredContent"]["articles"]
    assert (row["heading"], "anchor" in row) == (f"{long[:99].rstrip()}…", False)
