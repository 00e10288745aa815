"""Rate limits: a person types while an agent works at the same address."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from pathlib import Path
from threading import Event
from urllib.parse import quote_plus

import pytest
from e2e.content import write_articles, write_docs
from e2e.reader import reading
from playwright.sync_api import Browser, Response, expect
from support.canary import Scanner
from support.processes import BOUND, serve_process

QUESTIONS = (
    "how do I install it",
    "run on a server",
    "what is backoff",
    "retry a call",
    "keep an agent in",
    "habits of a team",
    "which port does it use",
    "sentence of part three",
    "tables and lists",
    "deeper still",
    "a longer way round",
    "first steps",
    "sampler of everything",
    "posts and rails",
    "pictures and drawings",
    "formulas in a page",
    "what is done each day",
    "a link to a fence",
    "tasks that are done",
    "the documentation",
)
KEY_MILLISECONDS = 130
CALL_SECONDS = 1.0
"""Seconds between two calls of an agent; the limit is two a second."""


@pytest.fixture
def limited(tmp_path: Path, scanner: Scanner) -> Iterator[int]:
    """The port of a server with the default limits."""
    docs = write_docs(tmp_path / "docs")
    options = ("--docs", str(docs), "--cache-dir", str(tmp_path / "cache"))
    limits = ("--rate-limit", "120/minute", "--page-rate-limit", "1200/minute")
    articles = write_articles(tmp_path / "content")
    with serve_process(articles, *options, *limits, scanner=scanner) as served:
        yield served.port


def call_until(port: int, is_over: Event) -> list[int]:
    """Search as an agent, call after call; return the statuses."""
    statuses: list[int] = []
    while not is_over.wait(CALL_SECONDS):
        connection = HTTPConnection("127.0.0.1", port, timeout=BOUND)
        arguments = {"query": f"part {len(statuses)}"}
        call = {
            "jsonrpc": "2.0",
            "id": len(statuses),
            "method": "tools/call",
            "params": {"name": "search_docs", "arguments": arguments},
        }
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": "2025-06-18",
        }
        connection.request("POST", "/mcp", json.dumps(call), headers)
        response = connection.getresponse()
        assert b"Rate limit" not in response.read()
        statuses.append(response.status)
        connection.close()
    return statuses


def test_typing_never_uses_up_the_calls_of_an_agent(
    browser: Browser, limited: int, scanner: Scanner
) -> None:
    """D-198: twenty questions, key by key, and no 429 for either."""
    statuses: list[int] = []
    site = f"http://127.0.0.1:{limited}"

    def record(response: Response) -> None:
        if "/-/search.json" in response.url:
            statuses.append(response.status)

    is_over = Event()
    with ThreadPoolExecutor(1) as pool, reading(browser, site, scanner) as reader:
        agent = pool.submit(call_until, limited, is_over)
        try:
            page = reader.open()
            page.on("response", record)
            page.keyboard.press("/")
            query = page.locator("#KB-query")
            for question in QUESTIONS:
                query.fill("")
                with page.expect_response(f"**?q={quote_plus(question)}"):
                    query.press_sequentially(question, delay=KEY_MILLISECONDS)
                expect(page.locator("#KB-status")).not_to_be_empty()
        finally:
            is_over.set()
    calls = agent.result(BOUND)
    assert set(statuses) <= {200, 304}
    assert len(statuses) >= len(QUESTIONS)
    assert set(calls) == {200}
    assert len(calls) > len(QUESTIONS)
