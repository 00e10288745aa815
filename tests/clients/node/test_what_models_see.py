"""What reaches the model in coding agents, behind stand-ins for their model APIs.

One run of a client serves many assertions: its model makes all calls of a tour.
"""

import json
import re
from collections.abc import Mapping
from concurrent.futures import Future
from typing import Any
from urllib.request import Request, urlopen

import pytest
from support.canary import Scanner
from support.coding_agents import AGENTS, Session
from support.coding_tasks import SURVEY, SURVEY_BODY, Library, Run
from support.model_api.answers import find_cursor, flatten
from support.model_api.conversation import Call, Script
from support.peers import message
from support.processes import BOUND
from support.wire import JSON

QUESTION = Call(
    "search_articles",
    {"query": "How should MCP tool results be formatted to save tokens?"},
)
THREE = Call("list_articles", {"limit": 3})
NEAR_MISS = Call("get_article", {"slug": "contxt-rot"})
HIDDEN = Call("get_article", {"slug": "known-draft"})
HIDDEN_WORDS = Call("search_articles", {"query": "known draft"})
AS_JSON = Call("get_article", {"slug": SURVEY})
AS_MARKDOWN = Call("get_article", {"slug": SURVEY, "format": "markdown"})

MAX_PARTS = 12
MAX_CHARS = 10_000
"""Characters of a text by default."""
MAX_INSTRUCTIONS = 1_000
"""Characters."""
FIRST_SEEN = 240
"""Characters of the instructions that every model sees before it looks for tools."""


def tour() -> Script:
    """Make all calls; follow the cursors that the second texts name."""
    for call in (QUESTION, NEAR_MISS, HIDDEN, HIDDEN_WORDS):
        yield call
    first = yield THREE
    yield follow(THREE, find_cursor(first))
    for call in (AS_JSON, AS_MARKDOWN):
        cursor = find_cursor((yield call))
        for _ in range(MAX_PARTS):
            if cursor is not None:
                cursor = find_cursor((yield follow(call, cursor)))
    return "I have seen it all."


def follow(call: Call, cursor: str | None) -> Call:
    """Return the call for what comes next."""
    return Call(call.tool, {**call.arguments, "cursor": cursor})


@pytest.fixture(scope="module")
def tours(run: Run) -> "Mapping[tuple[str, str], Future[Session]]":
    """Let every client make the tour over both transports."""
    return {
        (agent, transport): run(agent, transport, tour())
        for agent in AGENTS
        for transport in ("http", "stdio")
    }


@pytest.fixture(params=["http", "stdio"])
def transport(request: pytest.FixtureRequest) -> str:
    """How the client reaches the server."""
    name: str = request.param
    return name


@pytest.fixture(params=AGENTS)
def session(
    request: pytest.FixtureRequest,
    transport: str,
    tours: "Mapping[tuple[str, str], Future[Session]]",
) -> Session:
    """The tour of one client."""
    return tours[request.param, transport].result()


def test_the_tour_ends_and_no_client_reaches_another_host(session: Session) -> None:
    """All calls were made, and the user is given the model's last words."""
    assert session.answer == "I have seen it all."
    assert list(session.outbound) == []


def test_a_question_is_answered_with_complete_rows_once(session: Session) -> None:
    """A JSON array of rows with passages, nothing of it twice, and no links."""
    result = session.find(QUESTION)
    rows, note = json.loads(result.texts[0]), result.texts[1:]
    assert next(row["slug"] for row in rows) == "tool-result-shaping"
    assert all(row["passage"] for row in rows[:1])
    for row in rows:
        assert result.received.count(plain_words(row["description"])) == 1
    assert "kb://" not in result.received
    assert "resource" not in result.received.lower().split("passage")[0]
    assert "structuredContent" not in result.received
    (line,) = note
    assert re.match(rf"{len(rows)} of \d+ articles shown\.", line)


def plain_words(text: str) -> str:
    """Return the longest part of a text that is the same in JSON in JSON."""
    return max(re.split(r"""[^ \w.,:;'()-]|[^ -~]""", text), key=len).strip()


def test_a_list_in_parts_tells_how_many_there_are(session: Session) -> None:
    """The second text has the count and the cursor, which continues the list."""
    first = session.find(THREE)
    assert len(first.texts) == 2
    assert re.match(r"3 of \d+ articles shown\. Next: cursor ", first.texts[1])
    second = session.find(follow(THREE, find_cursor(first)))
    slugs = [row["slug"] for page in (first, second) for row in page.json]
    assert len(slugs) == len(set(slugs)) == 6


def test_a_long_article_arrives_whole_in_parts(session: Session) -> None:
    """No part is cut; the outline comes first; the parts joined are the article."""
    parts = session.continued(AS_JSON)
    values: list[Mapping[str, Any]] = [part.json for part in parts]
    assert len(parts) > 2
    assert "".join(value["content"] for value in values).strip() == SURVEY_BODY.strip()
    assert [row["heading"] for row in values[0]["outline"]][:2] == [
        "Chapter 1",
        "Chapter 2",
    ]
    assert all(len(part.texts[0]) <= MAX_CHARS for part in parts)
    assert all(value["content"].startswith("## Chapter") for value in values)


def test_an_article_arrives_as_markdown_where_it_is_asked_for(session: Session) -> None:
    """Not as JSON, and in parts that are the article."""
    parts = session.continued(AS_MARKDOWN)
    first = parts[0].texts[0]
    assert first.startswith("Outline:\n")
    assert "\n# Long Survey\n" in first
    assert all(len(part.texts[0]) <= MAX_CHARS for part in parts)
    joined = flatten(" ".join(part.texts[0] for part in parts))
    for chapter in re.split(r"^(?=## )", SURVEY_BODY, flags=re.MULTILINE)[1:]:
        assert joined.count(flatten(chapter)) == 1


def test_a_near_miss_names_what_is_near(session: Session) -> None:
    """The contract's text, then visible names; Claude Code joins the two."""
    told = "\n".join(session.find(NEAR_MISS).texts)
    message, _, hint = told.partition("\n")
    assert message == "Article 'contxt-rot' not found"
    assert hint.strip().startswith("Did you mean")
    assert "context-rot" in hint


def test_a_hidden_article_is_missing(session: Session, scanner: Scanner) -> None:
    """No byte of what is sent to a model, or shown to the user, is hidden text."""
    told = "\n".join(session.find(HIDDEN).texts)
    message, _, hint = told.partition("\n")
    assert message == "Article 'known-draft' not found"
    assert "known-draft" not in hint
    for number, body in enumerate(session.bodies):
        scanner.scan(body, ("prompt", number))
    scanner.scan(session.answer.encode(), "answer")
    assert scanner.collect() == []


def test_every_tool_is_described_to_the_model(session: Session) -> None:
    """What the model loads has the server's description and its parameters."""
    tools = {tool.name: tool for tool in session.prompts[-1].tools}
    for name in ("search_articles", "list_articles", "get_article"):
        assert len(tools[name].description) > 40
        assert "cursor" in tools[name].schema
    assert "slug" in tools["get_article"].schema


def test_the_instructions_reach_the_model(session: Session, library: Library) -> None:
    """Their beginning in its first request, all of them before its first call.

    Codex's own models get the beginning, and the whole with each tool they look up.
    """
    client = {"name": "test", "version": "1"}
    params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client}
    body = json.dumps(message("initialize", params)).encode()
    request = Request(library.address, body, JSON)
    with urlopen(request, timeout=BOUND) as answer:
        instructions: str = json.load(answer)["result"]["instructions"]
    assert len(instructions) <= MAX_INSTRUCTIONS
    assert flatten(instructions[:FIRST_SEEN]) in flatten(session.prompts[0].context)
    last = session.prompts[-1]
    told = [last.context, *(tool.description for tool in last.tools)]
    assert flatten(instructions) in flatten(" ".join(told))
