"""Responses to JSON-RPC batches, bounded in bytes and in number (2025-03-26)."""

from asyncio import Semaphore, sleep
from collections.abc import Awaitable, Callable
from typing import Final, TypeAlias

from asdlc_kb.mcp.dispatch.response import Response
from asdlc_kb.mcp.protocol.errors import InternalError
from asdlc_kb.mcp.protocol.inbound import (
    Batch,
    Call,
    Inbound,
    InboundNotification,
    Rejection,
)

MAX_BATCH_BYTES: Final = 8 * 1024 * 1024
"""Bytes of the response to one batch. Calls beyond it are rejected, so that the
response exceeds it by one result at most."""

MAX_BATCHES: Final = 4
"""Batches processed concurrently: each buffers its responses until the last one."""

BatchAnswer: TypeAlias = Callable[[Inbound], Awaitable[Response]]
"""Answers one member of a batch; never raises for an invalid one."""


class BatchLimiter:
    """Answers batches within the limits of one server."""

    def __init__(self) -> None:
        self._slots = Semaphore(MAX_BATCHES)

    async def answer(self, batch: Batch, answer: BatchAnswer) -> bytes:
        """Return the array of responses, or nothing if no member gets one.

        Members are answered sequentially. Notifications are handled first, without
        waiting for other batches: they may cancel a call of one.
        """
        members: list[Inbound] = []
        for member in batch.members:
            if isinstance(member, InboundNotification):
                await answer(member)
            else:
                members.append(member)
        if not members:
            return b""
        async with self._slots:
            bodies = await _answer_members(members, answer)
        return b"[%b]" % b",".join(bodies) if bodies else b""


async def _answer_members(members: list[Inbound], answer: BatchAnswer) -> list[bytes]:
    bodies: list[bytes] = []
    size = 0
    for member in members:
        if size > MAX_BATCH_BYTES and isinstance(member, Call):
            body = (await answer(_reject_call(member))).body
        else:
            body = (await answer(member)).body
        if body:
            size += len(body)
            bodies.append(body)
        # Answering may not suspend: let other requests run.
        await sleep(0)
    return bodies


def _reject_call(call: Call) -> Rejection:
    reason = (
        f"the answers of this batch exceed {MAX_BATCH_BYTES} bytes: "
        "ask for less at once"
    )
    error = InternalError(data={"reason": reason})
    return Rejection(error, 200, call.id, call.version)
