"""The stdio transport as clients start it: a real process, pipes, signals, garbage."""

import json
import os
import signal
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from support.canary import Scanner
from support.knowledge import KnowledgeBase
from support.peers import envelope, message
from support.processes import Finished, Running, run_cli, start_cli
from support.results import read_value

PING = json.dumps(message("ping", {}, "ping")).encode()
MODERN = {"_meta": envelope("2026-07-28")}
INITIALIZE = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {}}

Start = Callable[[], AbstractContextManager[Running]]


@pytest.fixture
def start(knowledge: KnowledgeBase, scanner: Scanner) -> Start:
    """Start `asdlc-kb stdio` over the knowledge base."""
    return partial(start_cli, "stdio", knowledge.root, scanner=scanner)


@pytest.fixture
def feed(knowledge: KnowledgeBase, scanner: Scanner) -> Callable[..., Finished]:
    """Run `asdlc-kb stdio` with a fixed input to its end."""

    def run(stdin: bytes, *options: str) -> Finished:
        args = ("stdio", str(knowledge.root), *options)
        return run_cli(*args, stdin=stdin, scanner=scanner, cwd=knowledge.root)

    return run


def messages_of(stdout: bytes) -> list[dict[str, Any]]:
    """Return the answers on stdout: nothing but JSON-RPC, whole lines."""
    assert stdout == b"" or stdout.endswith(b"\n")
    answers = [json.loads(line) for line in stdout.decode().splitlines()]
    for answer in answers:
        assert answer["jsonrpc"] == "2.0"
        assert ("result" in answer) != ("error" in answer)
    return answers


def test_a_fixed_input_gets_all_answers(feed: Callable[..., Finished]) -> None:
    """Harnesses pipe a fixed input: every answer, then exit code 0."""
    sent = [
        message("server/discover", MODERN, 0),
        message("initialize", INITIALIZE, 1),
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        *(message("tools/list", {}, number) for number in range(2, 50)),
        message("tools/list", MODERN, "modern"),
    ]
    done = feed(b"".join(json.dumps(each).encode() + b"\n" for each in sent))
    answers = {answer["id"]: answer for answer in messages_of(done.stdout)}
    assert done.code == 0
    assert answers.keys() == {*range(50), "modern"}
    assert all("result" in answer for answer in answers.values())
    rows = [json.loads(line) for line in done.err.splitlines()]
    assert len([row for row in rows if row["event"] == "request"]) == 51


@pytest.mark.parametrize(
    "stdin",
    [PING, PING + b"\n", PING + b"\r\n", b"\n\n  \r\n\t\n" + PING + b"\n\n", PING * 0],
    ids=["no newline", "newline", "CRLF", "blank lines", "nothing"],
)
def test_lines_may_end_as_they_like(
    feed: Callable[..., Finished], stdin: bytes
) -> None:
    """The last newline may be missing; blank lines are no messages."""
    done = feed(stdin)
    expected = [{"jsonrpc": "2.0", "id": "ping", "result": {}}] if stdin else []
    assert (done.code, messages_of(done.stdout)) == (0, expected)


GARBAGE: dict[str, tuple[bytes, int]] = {
    "a word": (b"hello", -32700),
    "half an object": (b'{"jsonrpc": "2.0"', -32700),
    "a header of another protocol": (b"Content-Length: 52", -32700),
    "HTTP": (b"GET / HTTP/1.1", -32700),
    "binary": (bytes(set(range(256)) - {10}), -32700),
    "zeros": (b"\0" * 100, -32700),
    "bytes that are not UTF-8": (b'{"jsonrpc": "2.0", "id": "\xff"}', -32700),
    "UTF-16": (PING.decode().encode("utf-16-be"), -32700),
    "NaN": (b'{"jsonrpc": "2.0", "id": NaN, "method": "ping"}', -32700),
    "the same key twice": (b'{"id": 1, "id": 2}', -32700),
    "deep": (b"[" * 100_000, -32700),
    "a lone surrogate": (b'{"jsonrpc": "2.0", "id": "\\ud800"}', -32700),
    "an empty array": (b"[]", -32600),
    "an array too long": (b"[" + b",".join([PING] * 51) + b"]", -32600),
    "a number": (b"1", -32600),
    "null": (b"null", -32600),
    "an empty object": (b"{}", -32600),
    "no version": (b'{"method": "ping"}', -32600),
    "another version": (b'{"jsonrpc": "1.0", "method": "ping"}', -32600),
    "an id of null": (b'{"jsonrpc": "2.0", "id": null, "method": "ping"}', -32600),
    "an id of 65 bits": (
        b'{"jsonrpc": "2.0", "id": 18446744073709551616, "method": "ping"}',
        -32600,
    ),
}


def test_garbage_is_answered_and_survived(start: Start) -> None:
    """-32700 or -32600 with id null for each line, and it goes on."""
    with start() as process:
        for name, (line, code) in GARBAGE.items():
            process.send(line + b"\n" + PING + b"\n")
            answer, next_answer = (json.loads(process.read_line()) for _ in "12")
            assert answer["id"] is None, name
            assert answer["error"]["code"] == code, name
            assert next_answer == {"jsonrpc": "2.0", "id": "ping", "result": {}}
        process.close_stdin()
        finished = process.wait()
    assert finished.code == 0
    assert "Traceback" not in finished.err


def test_a_request_with_half_an_emoji_is_answered_with_its_id(start: Start) -> None:
    """D-032: its sender waits for that id, and for the answer."""
    with start() as process:
        call = '{"jsonrpc": "2.0", "id": %d, "method": "tools/call", "params": %s}\n'
        params = '{"name": "search_articles", "arguments": {"query": "\\ud83d"}}'
        process.send((call % (7, params)).encode() + PING + b"\n")
        answers = {a["id"]: a for a in (json.loads(process.read_line()) for _ in "12")}
        assert answers.keys() == {7, "ping"}
        assert "result" in answers[7]
        process.close_stdin()
        assert process.wait().code == 0


def test_a_line_too_long_is_refused_and_survived(feed: Callable[..., Finished]) -> None:
    """-32700 once, whatever the length; the exact limit is served."""
    limit = 4096
    padding = "x" * (limit - len(PING) - len(', "a": ""'))
    whole = PING[:-1] + f', "a": "{padding}"}}'.encode()
    assert len(whole) == limit
    longer = [whole + b" ", b"y" * 200_000]
    stdin = b"\n".join([*longer, whole, longer[1]])
    done = feed(stdin, "--max-body", str(limit))
    answers = messages_of(done.stdout)
    refusal = {
        "code": -32700,
        "message": "Parse error",
        "data": {"reason": f"a line is longer than {limit} bytes"},
    }
    refused = [answer for answer in answers if "error" in answer]
    error = {"jsonrpc": "2.0", "id": None, "error": refusal}
    assert refused == [{**error, "id": "ping"}, error, error]
    assert [answer["id"] for answer in answers if "result" in answer] == ["ping"]
    assert done.code == 0


def test_a_line_far_beyond_64_kilobytes_is_served(
    feed: Callable[..., Finished],
) -> None:
    """asyncio's own reader would stop at 64 KiB."""
    padding = "x" * 900_000
    line = PING[:-1] + f', "a": "{padding}"}}'.encode()
    done = feed(line + b"\n" + PING + b"\n")
    assert [answer["id"] for answer in messages_of(done.stdout)] == ["ping", "ping"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it(start: Start, number: int) -> None:
    """Exit code 0, while it waits for input."""
    with start() as process:
        process.send(PING + b"\n")
        assert json.loads(process.read_line())["id"] == "ping"
        process.signal(number)
        finished = process.wait()
    assert finished.code == 0
    assert "Traceback" not in finished.err


def test_a_signal_ends_it_though_its_output_is_not_read(
    knowledge: KnowledgeBase, start: Start
) -> None:
    """D-099: a client that hangs does not block the end."""
    knowledge.write("concepts/long", body="long text\n" * 50_000)
    call = {"name": "get_article", "arguments": {"slug": "long"}}
    with start() as process:
        process.send(PING + b"\n")
        process.read_line()
        for number in range(4):
            process.send(json.dumps(message("tools/call", call, number)).encode())
            process.send(b"\n")
        # The first bytes are there; far more than a pipe holds is waiting.
        assert process.process.stdout is not None
        assert os.read(process.process.stdout.fileno(), 1) == b"{"
        process.signal()
        assert process.process.wait(60) == 0


def test_it_ends_when_its_output_is_closed(start: Start) -> None:
    """stdout closed while stdin stays open: exit code 0, no traceback."""
    with start() as process:
        process.send(PING + b"\n")
        process.read_line()
        process.close_stdout()
        process.send(PING + b"\n")
        finished = process.wait()
    assert finished.code == 0
    assert "Traceback" not in finished.err


def test_an_input_that_is_closed_from_the_start_ends_it(start: Start) -> None:
    """EOF at once: exit code 0, without output."""
    with start() as process:
        process.close_stdin()
        finished = process.wait()
    assert (finished.code, finished.stdout) == (0, b"")


def test_a_stray_print_does_not_reach_stdout(
    knowledge: KnowledgeBase, scanner: Scanner, tmp_path: Path
) -> None:
    """D-099: nothing but JSON-RPC on stdout, even if a library prints to it."""
    tests = Path(__file__).parent
    program = tmp_path / "noisy.py"
    program.write_text(
        f"""
import asyncio, os, sys
sys.path.insert(0, {str(tests)!r})
from support.slow import SlowProvider
from asdlc_kb import app
from asdlc_kb.settings import Settings

sink = app.claim_stdout()
print("printed before")
os.write(1, b"written before")
built = app.build(Settings(content={str(knowledge.root)!r}), [SlowProvider()])
asyncio.run(app.serve_stdio(built, 0, sink))
print("printed after")
"""
    )
    call = json.dumps(message("tools/call", {"name": "print"}, "noisy")).encode()
    command = (sys.executable, program)
    done = run_cli(stdin=call, scanner=scanner, command=command)
    (answer,) = messages_of(done.stdout)
    assert answer["id"] == "noisy"
    assert answer["result"]["content"][0]["text"] == "print is done"
    for text in ("printed before", "written before", "a stray print", "printed after"):
        assert text in done.err


def test_a_missing_folder_is_served_until_it_appears(
    scanner: Scanner, tmp_path: Path
) -> None:
    """D-130: a missing named folder with --wait: start without content."""
    call = {"name": "list_articles", "arguments": {}}
    listing = message("tools/call", {**call, **MODERN})
    words = ("stdio", tmp_path / "later")
    lines = json.dumps(listing).encode()
    done = run_cli(*words, "--wait", stdin=lines, scanner=scanner)
    (answer,) = messages_of(done.stdout)
    assert done.code == 0
    assert read_value(answer["result"]) == []


def test_a_missing_folder_ends_the_start(scanner: Scanner, tmp_path: Path) -> None:
    """D-130: exit code 3, and how to wait for it."""
    done = run_cli("stdio", tmp_path / "later", stdin=b"", scanner=scanner)
    assert done.code == 3
    assert f"no such folder: {tmp_path / 'later'}" in done.err
    assert "--wait" in done.err


def test_no_folder_at_all_is_told_on_stderr(scanner: Scanner, tmp_path: Path) -> None:
    """D-130: exit code 3 and how to get one; stdout stays clean for the client."""
    done = run_cli("stdio", scanner=scanner, cwd=tmp_path)
    assert (done.code, done.stdout) == (3, b"")
    assert done.err.startswith("asdlc-kb: no content: name a folder")
