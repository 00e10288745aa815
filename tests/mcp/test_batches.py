"""Batches by themselves: how many are answered at once, and what does not wait."""

import asyncio
import json

from support.wire import until

from asdlc_kb.mcp.batches import MAX_BATCHES, Batches
from asdlc_kb.mcp.inbound import Batch, Call, Inbound, Notice
from asdlc_kb.mcp.reply import Reply


async def test_few_batches_are_answered_at_once_and_notifications_do_not_wait() -> None:
    """Each batch holds its answers; a notification may cancel a call of another."""
    batches, released = Batches(), asyncio.Event()
    begun: list[Inbound] = []

    async def answer(member: Inbound) -> Reply:
        begun.append(member)
        if isinstance(member, Notice):
            return Reply(202)
        await released.wait()
        return Reply(200, b"1")

    call = Call(1, "ping", {}, "2025-03-26")
    answering = [
        asyncio.ensure_future(batches.answer(Batch((call, call)), answer))
        for _ in range(MAX_BATCHES + 1)
    ]
    await until(lambda: len(begun) == MAX_BATCHES)
    notice = Notice("notifications/cancelled", {})
    assert await batches.answer(Batch((notice,)), answer) == b""
    assert begun[MAX_BATCHES:] == [notice]
    released.set()
    bodies = await asyncio.gather(*answering)
    assert [json.loads(body) for body in bodies] == [[1, 1]] * len(answering)
