"""Batches: how many are answered at once, and messages that do not wait."""

import asyncio
import json

from support.wire import until

from asdlc_kb.mcp.batch_limits import MAX_BATCHES, BatchLimiter
from asdlc_kb.mcp.dispatch.response import Response
from asdlc_kb.mcp.protocol.inbound import Batch, Call, Inbound, InboundNotification


async def test_few_batches_are_answered_at_once_and_notifications_do_not_wait() -> None:
    """Each batch holds its answers; a notification may cancel a call of another."""
    batches, released = BatchLimiter(), asyncio.Event()
    begun: list[Inbound] = []

    async def answer(member: Inbound) -> Response:
        begun.append(member)
        if isinstance(member, InboundNotification):
            return Response(202)
        await released.wait()
        return Response(200, b"1")

    call = Call(1, "ping", {}, "2025-03-26")
    answering = [
        asyncio.ensure_future(batches.answer(Batch((call, call)), answer))
        for _ in range(MAX_BATCHES + 1)
    ]
    await until(lambda: len(begun) == MAX_BATCHES)
    notice = InboundNotification("notifications/cancelled", {})
    assert await batches.answer(Batch((notice,)), answer) == b""
    assert begun[MAX_BATCHES:] == [notice]
    released.set()
    bodies = await asyncio.gather(*answering)
    assert [json.loads(body) for body in bodies] == [[1, 1]] * len(answering)
