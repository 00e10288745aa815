"""The stdio transport answers from the result cache at once."""

import json
from typing import Any

import pytest
from support.canary import Scanner
from support.knowledge import KnowledgeBase
from support.loglines import captured
from support.peers import envelope, message, open_app, stdio_peer
from support.slow import SlowProvider

from asdlc_kb.app import Runtime
from asdlc_kb.mcp.dispatch.response import Response

META = {"2025-11-25": {}, "2026-07-28": {"_meta": envelope("2026-07-28")}}
CALL = {"name": "get_article", "arguments": {"slug": "links-to-hidden"}}


@pytest.mark.parametrize("version", META)
async def test_what_was_answered_before_is_answered_without_a_task(
    app: Runtime, scanner: Scanner, monkeypatch: pytest.MonkeyPatch, version: str
) -> None:
    """The same result with its own id, and the same fields in its log line."""
    params = {**CALL, **META[version]}
    async with stdio_peer(app, version, scanner) as peer:
        with captured() as lines:
            cold = await peer.exchange(message("tools/call", params, 1))

            async def answer(*_: object) -> Response:
                raise AssertionError("it was to be remembered")

            monkeypatch.setattr(app.server, "answer", answer)
            hot = await peer.exchange(message("tools/call", params, 2))
    assert hot == {**cold, "id": 2}
    first, second = [
        {
            name: value
            for name, value in row.items()
            if name not in {"time", "ms", "request_id"}
        }
        for row in lines.rows
    ]
    assert json.dumps(first) == json.dumps(second)


async def test_remembered_answers_overtake_what_takes_longer(
    knowledge: KnowledgeBase, scanner: Scanner
) -> None:
    """And keep their order among themselves."""
    slow = SlowProvider()
    wait: dict[str, Any] = message("tools/call", {"name": "wait"}, "slow")
    async with stdio_peer(open_app(knowledge, slow), "2025-11-25", scanner) as peer:
        await peer.exchange(message("tools/call", CALL, "cold"))
        peer.send(wait)
        for number in range(50):
            peer.send(message("tools/call", CALL, number))
        answered = [(await peer.receive())["id"] for _ in range(50)]
        assert answered == list(range(50))
        slow.released.set()
        assert (await peer.receive())["id"] == "slow"


async def test_each_line_of_a_call_has_its_id(
    knowledge: KnowledgeBase, scanner: Scanner
) -> None:
    """Also lines from deep inside; the next call has another id."""
    app = open_app(knowledge, SlowProvider())
    async with stdio_peer(app, "2025-11-25", scanner) as peer:
        with captured("asdlc_kb") as lines:
            for number in (1, 2):
                await peer.exchange(message("tools/call", {"name": "crash"}, number))
    events = [row["event"] for row in lines.rows]
    assert events == ["unexpected error", "request"] * 2
    first, same, second, again = [row["request_id"] for row in lines.rows]
    assert first == same != second == again
