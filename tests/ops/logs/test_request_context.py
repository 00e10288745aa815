"""The request that code runs for: known in its tasks only."""

import asyncio
import json
import logging
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

from support.wire import BOUND

from asdlc_kb.ops.logs.request_context import (
    begin_request,
    describe_current,
    make_request_id,
    working_for,
)
from asdlc_kb.ops.logs.structured import JsonFormatter

FORKED = """
import os
from asdlc_kb.ops.logs.request_context import make_request_id
print(make_request_id(), flush=True)
child = os.fork()
if child:
    os.waitpid(child, 0)
print(*(make_request_id() for _ in range(200)), flush=True)
"""


def write_line(**extra: object) -> dict[str, object]:
    """Return a line of the log as it is written now."""
    record = logging.getLogger("t").makeRecord(
        "t", logging.INFO, "file.py", 1, "x", (), None, extra=extra
    )
    row: dict[str, object] = json.loads(JsonFormatter().format(record))
    del row["time"], row["level"], row["event"]
    return row


def test_a_line_names_the_request_it_is_of() -> None:
    """Within it, and neither before nor after."""
    assert write_line() == {}
    with working_for(request_id="a", trace=None):
        assert write_line(path="/mcp") == {"path": "/mcp", "request_id": "a"}
        with working_for(request_id="b"):
            assert write_line() == {"request_id": "b"}
        assert write_line() == {"request_id": "a"}
    assert write_line() == {}


def test_what_a_line_says_itself_is_believed() -> None:
    """A record may name another request or trace explicitly."""
    with working_for(request_id="a", trace="outer"):
        line = write_line(request_id="b", trace=None)
    assert line == {"request_id": "b", "trace": "outer"}


async def test_threads_and_tasks_work_for_who_started_them() -> None:
    """Other tasks meanwhile do not interfere."""

    async def answer(name: str) -> list[dict[str, Any]]:
        begin_request(request_id=name)
        await asyncio.sleep(0)
        in_thread = await asyncio.to_thread(describe_current)
        in_task = await asyncio.ensure_future(tell())
        return [dict(told) for told in (describe_current(), in_thread, in_task)]

    async def tell() -> Mapping[str, Any]:
        return describe_current()

    told = await asyncio.gather(*(answer(name) for name in "abc"))
    assert told == [[{"request_id": name}] * 3 for name in "abc"]
    assert not describe_current()


def test_no_two_requests_have_one_id() -> None:
    """They are random: nothing follows about the requests between two."""
    made = [make_request_id() for _ in range(1000)]
    assert len(set(made)) == 1000
    assert {len(name) for name in made} == {16}
    for half in (slice(8), slice(8, None)):
        assert len({name[half] for name in made}) > 990
    assert made != sorted(made)


def test_a_forked_process_makes_other_ids() -> None:
    """The ids that were made in advance are those of the parent."""
    program = [sys.executable, "-c", FORKED]
    made = subprocess.check_output(program, text=True, timeout=BOUND).split()
    assert len(set(made)) == len(made) == 401
