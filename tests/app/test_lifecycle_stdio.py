"""Lifecycle of a stdio server: the end of its input, SIGTERM, pending requests."""

import asyncio
import json
import os
import signal
from collections.abc import Sequence
from typing import Any

import pytest
from support.canary import Scanner
from support.knowledge import KnowledgeBase
from support.peers import BOUND, message

from asdlc_kb.app import build, serve_stdio
from asdlc_kb.app import lifecycle as module
from asdlc_kb.settings import Settings


async def test_stdio_is_served_until_the_input_ends(
    knowledge: KnowledgeBase, scanner: Scanner
) -> None:
    """The specification, basic/transports, stdio: lines already read are answered."""
    app = build(Settings(content=str(knowledge.root)))
    to_read, to_write = os.pipe()
    from_read, from_write = os.pipe()
    os.write(to_write, json.dumps(message("ping", request_id="last")).encode() + b"\n")
    os.close(to_write)
    await asyncio.wait_for(serve_stdio(app, to_read, from_write), BOUND)
    assert asyncio.all_tasks() == {asyncio.current_task()}
    os.close(from_write)
    with os.fdopen(from_read, "rb") as answers:
        written = answers.read()
    os.close(to_read)
    scanner.scan(written, "stdio")
    assert json.loads(written) == {"jsonrpc": "2.0", "id": "last", "result": {}}


@pytest.mark.parametrize(
    ("delays", "answered"),
    [((0.1, 0.2, 0.3, 0.4, 0.5, 0.6), 6), ((0.1, 60), 1)],
    ids=["each answer in time", "one takes a minute"],
)
async def test_stdio_answers_what_it_read_while_answers_come(
    knowledge: KnowledgeBase,
    scanner: Scanner,
    monkeypatch: pytest.MonkeyPatch,
    delays: Sequence[float],
    answered: int,
) -> None:
    """D-099: the limit after the end of input is one for the next answer."""
    monkeypatch.setattr(module, "STOP_SECONDS", 0.3)
    app = build(Settings(content=str(knowledge.root)))
    answer = app.server.answer

    async def answer_late(call: Any, *rest: Any) -> Any:
        await asyncio.sleep(delays[call.id])
        return await answer(call, *rest)

    monkeypatch.setattr(app.server, "answer", answer_late)
    monkeypatch.setattr(app.server, "cached_response", lambda _: None)
    to_read, to_write = os.pipe()
    from_read, from_write = os.pipe()
    for number in range(len(delays)):
        os.write(to_write, json.dumps(message("ping", {}, number)).encode() + b"\n")
    os.close(to_write)
    await asyncio.wait_for(serve_stdio(app, to_read, from_write), BOUND)
    os.close(from_write)
    with os.fdopen(from_read, "rb") as answers:
        written = answers.read()
    os.close(to_read)
    scanner.scan(written, "stdio")
    ids = [json.loads(line)["id"] for line in written.splitlines()]
    assert ids == list(range(answered))


async def test_stdio_ends_on_sigterm_with_its_input_open(
    knowledge: KnowledgeBase,
) -> None:
    """D-099: it ends although the client keeps the pipe open."""
    app = build(Settings(content=str(knowledge.root)))
    to_read, to_write = os.pipe()
    from_read, from_write = os.pipe()
    serving_it = asyncio.ensure_future(serve_stdio(app, to_read, from_write))
    os.write(to_write, json.dumps(message("ping")).encode() + b"\n")
    loop = asyncio.get_running_loop()
    answer = await asyncio.wait_for(
        loop.run_in_executor(None, os.read, from_read, 1000), BOUND
    )
    assert json.loads(answer)["result"] == {}
    os.kill(os.getpid(), signal.SIGTERM)
    await asyncio.wait_for(serving_it, BOUND)
    for descriptor in (to_write, to_read, from_write, from_read):
        os.close(descriptor)
