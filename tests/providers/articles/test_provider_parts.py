"""get_article of a long article: in chunks, with its outline first, in both formats."""

import json
from typing import Any

import pytest
from support.canary import CANARY, Scanner
from support.knowledge import KnowledgeBase
from support.peers import open_app
from support.shelf import DirectPeer

from asdlc_kb.app import Runtime
from asdlc_kb.providers.shared.size_budget import DEFAULT_CHARS, MAX_CHARS, MIN_CHARS

BODY = "Before all.\n\n" + "".join(
    f"## Part {number}\n\n{'Some words of it. ' * 30}\n\n"
    f"### Detail\n\n```python\n# not a heading\n{'code()' * 20}\n```\n\n"
    for number in range(20)
)


@pytest.fixture
def app(knowledge: KnowledgeBase) -> Runtime:
    """A long article and a short one."""
    knowledge.write("concepts/long", title="Long", body=BODY, author="Ada")
    knowledge.write("concepts/short", title="Short", body="Text.\n")
    return open_app(knowledge, structured_results=True)


@pytest.fixture
def peer(app: Runtime, scanner: Scanner) -> DirectPeer:
    """A peer of the newest version that asks them."""
    return DirectPeer("2026-07-28", server=app.server, scanner=scanner)


async def read_parts(
    peer: DirectPeer, slug: str, **arguments: Any
) -> list[tuple[dict[str, Any], str]]:
    """Request every chunk; return structured content and text of each."""
    parts: list[tuple[dict[str, Any], str]] = []
    cursor = None
    while len(parts) < 100:
        result = await peer.call("get_article", slug=slug, cursor=cursor, **arguments)
        assert not result.get("isError"), result["content"]
        item, *notes = result["content"]
        part = result["structuredContent"]
        parts.append((part, item["text"]))
        cursor = part.get("nextCursor")
        if "start" in part:
            check_note(part, notes[0]["text"])
        if cursor is None:
            return parts
    raise AssertionError("the parts have no end")


def check_note(part: dict[str, Any], note: str) -> None:
    """The second text says where a part is, and how to get the next."""
    where = f"{part['start'] + 1:,} to {part['end']:,} of {part['characters']:,}"
    cursor = part.get("nextCursor")
    rest = "This is the last part."
    if cursor:
        rest = f'Next: cursor "{cursor}". Or name `sections` of its outline.'
    assert note == f"Characters {where}. {rest}"


async def failed(peer: DirectPeer, **arguments: Any) -> str:
    """Return the error text of a call."""
    result = await peer.call("get_article", **arguments)
    assert result["isError"] is True
    text: str = result["content"][0]["text"]
    return text


@pytest.mark.parametrize("max_chars", [MIN_CHARS, 3_000])
async def test_parts_joined_are_the_body(peer: DirectPeer, max_chars: int) -> None:
    """Nothing is lost or repeated; start and end state the position of each chunk."""
    parts = [part for part, _ in await read_parts(peer, "long", max_chars=max_chars)]
    assert len(parts) > 2
    assert "".join(part["content"] for part in parts) == BODY
    end = 0
    for part in parts:
        assert (part["start"], part["characters"]) == (end, len(BODY))
        end = part["end"]
        assert part["content"] == BODY[part["start"] : end]
    assert end == len(BODY)


@pytest.mark.parametrize("max_chars", [MIN_CHARS, 3_000])
async def test_parts_of_markdown_joined_are_the_whole_text(
    peer: DirectPeer, max_chars: int
) -> None:
    """D-010: title above, author and status at the end."""
    arguments = {"format": "markdown"}
    (_, whole), *more = await read_parts(peer, "long", max_chars=MAX_CHARS, **arguments)
    assert not more
    parts = await read_parts(peer, "long", max_chars=max_chars, **arguments)
    assert "".join(part["content"] for part, _ in parts) == whole
    assert whole.startswith("# Long\n\nBefore all.")
    assert "\n\nAuthor: Ada\nCategory: concepts\n" in parts[-1][0]["content"]
    for _, text in parts:
        assert len(text) <= max_chars


async def test_the_first_part_has_the_outline(peer: DirectPeer) -> None:
    """Headings with anchors and sizes; none from code."""
    (first, _), *others = await read_parts(peer, "long", max_chars=4_000)
    headings = [(e["heading"], e["anchor"], e["level"]) for e in first["outline"]]
    assert headings[0] == ("Part 0", "part-0", 2)
    assert {level for *_, level in headings} == {2}
    assert all("not a heading" not in heading for heading, *_ in headings)
    size = len(BODY[BODY.index("## Part 0") : BODY.index("## Part 1")])
    assert first["outline"][0]["characters"] == size
    assert [part for part, _ in others if "outline" in part] == []


async def test_the_first_part_as_markdown_begins_with_the_outline(
    peer: DirectPeer,
) -> None:
    """The other parts are nothing but text."""
    parts = await read_parts(peer, "long", max_chars=4_000, format="markdown")
    first, text = parts[0]
    assert text.startswith("Outline:\n\n- Long (#long, ")
    assert text.endswith(f"\n\n---\n\n{first['content']}")
    assert [text for _, text in parts[1:]] == [part["content"] for part, _ in parts[1:]]


async def test_a_part_as_json_is_the_article_with_less_text(peer: DirectPeer) -> None:
    """Text and structured content agree; every field but the text is complete."""
    (first, text), *_ = await read_parts(peer, "long", max_chars=2_000)
    assert json.loads(text) == first
    (whole, _), *_ = await read_parts(peer, "long", max_chars=MAX_CHARS)
    differing = {"content", "characters", "start", "end", "outline", "nextCursor"}
    fields = {key: value for key, value in first.items() if key not in differing}
    assert fields == {key: whole[key] for key in whole if key != "content"}


@pytest.mark.parametrize("form", ["json", "markdown"])
async def test_an_article_that_fits_is_whole(peer: DirectPeer, form: str) -> None:
    """No position, no cursor, nothing around the text."""
    ((article, text),) = await read_parts(peer, "short", format=form)
    assert not article.keys() & {"characters", "start", "end", "outline", "nextCursor"}
    assert article["content"] == "Text.\n"
    if form == "markdown":
        assert text.startswith("# Short\n\nText.\n\nAuthor: ")


@pytest.mark.parametrize("form", ["json", "markdown"])
async def test_a_default_answer_is_bounded(
    knowledge: KnowledgeBase, scanner: Scanner, form: str
) -> None:
    """D-011: no article is too long for a client: the answer stays within the limit."""
    knowledge.write("concepts/huge", body="## Heading\n\nSome words.\n\n" * 20_000)
    app = open_app(knowledge, structured_results=True)
    peer = DirectPeer("2026-07-28", server=app.server, scanner=scanner)
    result = await peer.call("get_article", slug="huge", format=form)
    article = result["structuredContent"]
    assert len(result["content"][0]["text"]) <= DEFAULT_CHARS
    assert article["nextCursor"]


@pytest.mark.parametrize("max_chars", [MIN_CHARS - 1, MAX_CHARS + 1, "many", 1.5])
async def test_other_sizes_are_refused(peer: DirectPeer, max_chars: object) -> None:
    """The schema has both bounds."""
    message = await failed(peer, slug="long", max_chars=max_chars)
    assert message.startswith("Invalid parameter max_chars: must be ")


@pytest.mark.parametrize("cursor", ["x", " ", "MTIz", "=", "\N{BLACK STAR}", "x" * 100])
async def test_what_is_no_cursor_is_refused(peer: DirectPeer, cursor: str) -> None:
    """A tool error that says what to do."""
    message = await failed(peer, slug="long", cursor=cursor)
    assert message == (
        "Invalid cursor: not a cursor of this tool. Ask again without it"
    )


async def test_a_cursor_belongs_to_one_text(
    knowledge: KnowledgeBase, peer: DirectPeer
) -> None:
    """D-011: of this article, in this format, in its current version."""
    (first, _), *_ = await read_parts(peer, "long", max_chars=2_000)
    cursor = first["nextCursor"]
    refusal = "Invalid cursor: it belongs to other arguments, or the content changed"
    for other in ({"slug": "short"}, {"slug": "long", "format": "markdown"}):
        assert (await failed(peer, cursor=cursor, **other)).startswith(refusal)
    assert "isError" not in await peer.call("get_article", slug="long", cursor=cursor)
    knowledge.write("concepts/long", title="Long", body=f"More.\n{BODY}", author="Ada")
    assert (await failed(peer, slug="long", cursor=cursor)).startswith(refusal)


async def test_a_cursor_opens_nothing_that_was_hidden_since(
    knowledge: KnowledgeBase, peer: DirectPeer
) -> None:
    """D-002: demoted between two chunks: not found, like a missing article."""
    (first, _), *_ = await read_parts(peer, "long", max_chars=2_000)
    knowledge.write("concepts/long", title=CANARY, body=BODY + CANARY, status="Draft")
    message = await failed(peer, slug="long", cursor=first["nextCursor"])
    assert message == "Article 'long' not found"
