"""Probes on the fast path: the answers of the handlers, and of this moment."""

import json
from pathlib import Path

import pytest
from support.canary import CANARY
from support.knowledge import KnowledgeBase
from support.loglines import captured
from support.peers import open_app
from support.site import articles_of
from support.two_paths import pair
from support.wire import ask, until

from asdlc_kb.app import Runtime, build
from asdlc_kb.ops.auth.bearer_tokens import format_line
from asdlc_kb.settings import Settings


@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize("path", ["/health", "/ready"])
async def test_a_probe_is_answered_as_by_the_handler(
    app: Runtime, path: str, method: str
) -> None:
    """From the first one; logged with the same fields."""
    varying = {"date": "", "x-request-id": ""}
    async with pair(app) as both:
        answers, rows = [], []
        for port in (both.site.port, both.bare):
            with captured() as lines:
                answer = await ask(port, method, path)
                await until(lambda lines=lines: bool(lines.rows))  # type: ignore[misc]
            answers.append((answer.status, {**answer.headers, **varying}, answer.body))
            rows.append({**lines.rows[0], "time": "", "ms": 0, "request_id": ""})
        assert answers[0] == answers[1]
        assert json.dumps(rows[0]) == json.dumps(rows[1])
        assert both.counting.answered == 1


async def test_a_probe_tells_the_numbers_of_now(knowledge: KnowledgeBase) -> None:
    """After each change of the content, hidden articles excluded."""
    app = open_app(knowledge)
    library = articles_of(app)
    async with pair(app) as both:
        first = await ask(both.site.port, "GET", "/health")
        knowledge.write("concepts/new")
        knowledge.write("concepts/other", title=CANARY, status="Draft")
        library.publish(library.scan())
        second = await ask(both.site.port, "GET", "/health")
        assert second.json["articles"] == first.json["articles"] + 1
        assert second.json == (await ask(both.bare, "GET", "/health")).json
        assert both.counting.answered == 2


async def test_a_server_that_is_not_ready_says_so(tmp_path: Path) -> None:
    """The handler does, with Retry-After; it is alive all the same."""
    app = build(Settings(content=str(tmp_path / "later"), wait=True))
    articles_of(app).load()
    async with pair(app) as both:
        ready = await ask(both.site.port, "GET", "/ready")
        assert (ready.status, ready.headers["retry-after"]) == (503, "30")
        assert both.counting.answered == 0
        assert (await ask(both.site.port, "GET", "/health")).status == 200
        assert both.counting.answered == 1


async def test_a_probe_needs_no_token_and_no_rate(
    knowledge: KnowledgeBase, tmp_path: Path
) -> None:
    """However frequent it is; other methods and queries are left to the handlers."""
    file = tmp_path / "tokens"
    file.write_text(format_line("ci", "akb_s3cret-of-ci"))
    rate = "1/hour"
    app = open_app(
        knowledge, auth_tokens_file=str(file), rate_limit=rate, page_rate_limit=rate
    )
    async with pair(app) as both:
        for _ in range(3):
            assert (await ask(both.site.port, "GET", "/health")).status == 200
        assert both.counting.answered == 3
        assert (await ask(both.site.port, "GET", "/health?x")).status == 200
        assert (await ask(both.site.port, "POST", "/health", body=b"")).status == 405
        assert both.counting.answered == 3
