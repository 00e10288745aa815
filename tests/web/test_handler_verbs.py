"""Methods that the HTTP server does not know: checked, counted and logged as others.

All other checks come before that of the method.
"""

from pathlib import Path

import pytest
from support.knowledge import KnowledgeBase
from support.loglines import captured
from support.peers import open_app, serving
from support.wire import ask, dial

from asdlc_kb.app import Runtime
from asdlc_kb.ops.auth.bearer_tokens import format_line
from asdlc_kb.ops.metrics.definitions import REQUESTS

VERBS = ["FOO", "PROPFIND", "TRACE", "get", "REJECTED", "FINISH", "PREPARE", "REFUSE"]
"""Some are attributes of a handler, and must never be called."""
TOKEN = "akb_s3cret"


@pytest.mark.parametrize("path", ["/mcp", "/", "/health", "/nowhere"])
@pytest.mark.parametrize("verb", VERBS)
async def test_a_rebound_host_is_403_whatever_the_method(
    app: Runtime, verb: str, path: str
) -> None:
    """D-074: Host and Origin are checked first."""
    async with serving(app) as site:
        for headers in ({"Host": "evil.example"}, {"Origin": "https://evil.example"}):
            assert (await ask(site.port, verb, path, headers)).status == 403


@pytest.mark.parametrize("verb", VERBS)
async def test_a_token_is_asked_for_whatever_the_method(
    knowledge: KnowledgeBase, tmp_path: Path, verb: str
) -> None:
    """D-123: without one a client learns nothing of what is there."""
    file = tmp_path / "tokens"
    file.write_text(format_line("ci", TOKEN))
    headers = {"Authorization": f"Bearer {TOKEN}"}
    async with serving(open_app(knowledge, auth_tokens_file=str(file))) as site:
        for path, status in (("/mcp", 405), ("/", 404)):
            assert (await ask(site.port, verb, path)).status == 401
            assert (await ask(site.port, verb, path, headers)).status == status


@pytest.mark.parametrize("path", ["/mcp", "/", "/nowhere"])
@pytest.mark.parametrize("verb", VERBS)
async def test_they_count_as_pages(
    knowledge: KnowledgeBase, verb: str, path: str
) -> None:
    """The page limit, over one connection: it is not closed for them."""
    app = open_app(knowledge, page_rate_limit="2/hour")
    usual = 405 if path == "/mcp" else 404
    async with serving(app) as site, dial(site.port) as wire:
        for status in (usual, usual, 429, 429):
            await wire.request(verb, path, body=b"some of it")
            assert (await wire.answer()).status == status


@pytest.mark.parametrize("verb", VERBS)
async def test_they_are_logged_by_name_and_counted_by_few(
    app: Runtime, verb: str
) -> None:
    """A label is never a client's text; the line in the log has it, truncated."""
    long = verb * 9
    async with serving(app) as site:
        with captured() as lines:
            for sent in (verb, long):
                await ask(site.port, sent)
    assert [row["verb"] for row in lines.rows] == [verb, long[:20]]
    assert {row["status"] for row in lines.rows} == {405}
    keys = {key for key, number in app.telemetry.metrics.read().items() if number}
    counted = {
        key.split("\t")[2] for key in keys if key.startswith(f"{REQUESTS.name}\tmcp\t")
    }
    assert counted == {"other", "TRACE"} if verb == "TRACE" else counted == {"other"}
