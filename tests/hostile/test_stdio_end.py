"""A stdio server at the end of its input: it ends within seconds in any state."""

import json
import sys
from pathlib import Path
from time import monotonic

import pytest
from support.canary import Scanner
from support.knowledge import KnowledgeBase
from support.peers import message
from support.processes import BOUND, start_command

MAX_SECONDS = 5.0
"""From the end of the input to the end of the process."""

STALL_SECONDS = 20.0
"""A busy machine may delay both processes for so long; the work takes a minute."""

SLOW = """
import asyncio, sys, time
from asdlc_kb.cli import main
from asdlc_kb.mcp.protocol.inbound import Call
from asdlc_kb.mcp.server import McpServer

def hold():
    end = time.monotonic() + 60
    while time.monotonic() < end:
        pass

async def answer(self, message, *given):
    if isinstance(message, Call) and message.method == "tools/call":
        print("begun", file=sys.stderr, flush=True)
        {work}
    return await answer_fast(self, message, *given)

answer_fast, McpServer.answer = McpServer.answer, answer
main()
"""
"""The program with tool calls that take a minute."""

WORK = {
    "on the event loop": "hold()",
    "in a thread": "await asyncio.to_thread(hold)",
    "by waiting": "await asyncio.sleep(60)",
}


@pytest.mark.parametrize("work", WORK.values(), ids=WORK)
def test_the_end_of_the_input_ends_calls_that_take_long(
    knowledge: KnowledgeBase, tmp_path: Path, scanner: Scanner, work: str
) -> None:
    """D-099: a client that ended must not leave a working server behind.

    Answers that are ready by then are written.
    """
    program = SLOW.format(work=work)
    call = {"name": "list_articles", "arguments": {}}
    sent = (message("ping", {}, 1), message("tools/call", call, 2))
    with start_command(
        *(sys.executable, "-c", program, "stdio", knowledge.root),
        scanner=scanner,
        cwd=tmp_path,
    ) as process:
        process.send(b"".join(json.dumps(each).encode() + b"\n" for each in sent))
        assert json.loads(process.read_line())["id"] == 1
        deadline = monotonic() + BOUND
        while b"begun" not in process.read_stderr():
            assert monotonic() < deadline
        process.close_stdin()
        began = monotonic()
        finished = process.wait()
    assert monotonic() - began < MAX_SECONDS + STALL_SECONDS
    assert finished.code == (1 if work == WORK["on the event loop"] else 0)
    assert finished.stdout.count(b"\n") == 1


def test_answers_that_take_a_moment_are_still_written(
    knowledge: KnowledgeBase, tmp_path: Path, scanner: Scanner
) -> None:
    """Programs write their requests, and close the pipe before the answers come."""
    program = SLOW.format(work="await asyncio.sleep(0.5)")
    call = {"name": "list_articles", "arguments": {}}
    sent = [message("tools/call", call, number) for number in range(50)]
    with start_command(
        *(sys.executable, "-c", program, "stdio", knowledge.root),
        scanner=scanner,
        cwd=tmp_path,
    ) as process:
        process.send(b"".join(json.dumps(each).encode() + b"\n" for each in sent))
        process.close_stdin()
        finished = process.wait()
    assert finished.code == 0
    answers = [json.loads(line) for line in finished.stdout.splitlines()]
    assert {answer["id"] for answer in answers} == set(range(50))
    assert all("result" in answer for answer in answers)
