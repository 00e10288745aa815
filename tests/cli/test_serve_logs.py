"""The format of a server's log: text on a terminal, JSON elsewhere."""

import json
import os
import re
import select
import signal
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from support.canary import Scanner
from support.knowledge import KnowledgeBase
from support.processes import (
    BOUND,
    COMMAND,
    UNLIMITED,
    environment,
    run_cli,
    serve_process,
)
from support.terminals import STYLES, open_terminal, read_terminal

_ADDRESS = re.compile(rb'(?:Website +|"url": ")(http://127\.0\.0\.1:[0-9]+/)')
_LINE = re.compile(r"[0-9]{2}(:[0-9]{2}){2}\.[0-9]{3} (info|warning|error) +\S")


@contextmanager
def serve_in_terminal(
    knowledge: KnowledgeBase, *options: str, env: dict[str, str] | None = None
) -> Iterator[list[str]]:
    """Serve with a terminal for stdout and stderr, and request one page.

    Yield the lines that were written until the end.
    """
    master, slave = open_terminal()
    process = subprocess.Popen(
        [*COMMAND, "serve", str(knowledge.root), *UNLIMITED, *options],
        stdin=subprocess.DEVNULL,
        stdout=slave,
        stderr=slave,
        env=environment({"TERM": "xterm", **(env or {})}),
    )
    os.close(slave)
    try:
        written = b""
        deadline = time.monotonic() + BOUND
        while not (match := _ADDRESS.search(written)):
            ready, _, _ = select.select([master], [], [], deadline - time.monotonic())
            assert ready, written
            written += os.read(master, 65_536)
        with urllib.request.urlopen(f"{match[1].decode()}health", timeout=BOUND):
            pass
        process.send_signal(signal.SIGTERM)
        written += read_terminal(master)
        assert process.wait(BOUND) == 0
        yield written.decode().splitlines()
    finally:
        process.kill()
        process.wait(BOUND)
        os.close(master)


def find_request(lines: list[str]) -> str:
    """Return the only line of the request."""
    (line,) = [line for line in lines if "/health" in line]
    return line


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_terminal_gets_text_in_color(knowledge: KnowledgeBase, workers: str) -> None:
    """Access lines too, of every process."""
    with serve_in_terminal(knowledge, "--workers", workers) as lines:
        request = find_request(lines)
    plain = STYLES.sub("", request)
    assert re.fullmatch(
        r"[0-9:.]{12} info    200 +[0-9.]+ ms  GET /health( +\S+=\S+)*", plain
    )
    assert "\x1b[32m200\x1b[0m" in request
    changed = [line for line in lines if "content changed" in line]
    assert changed
    assert all(_LINE.match(STYLES.sub("", line)) for line in changed)
    assert not any(line.startswith("{") for line in lines)


@pytest.mark.parametrize("env", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_a_terminal_without_colors_gets_plain_text(
    knowledge: KnowledgeBase, env: dict[str, str]
) -> None:
    """Not one escape sequence."""
    with serve_in_terminal(knowledge, env=env) as lines:
        assert "GET /health" in find_request(lines)
        assert "\x1b" not in "".join(lines)


@pytest.mark.parametrize("workers", ["1", "2"])
def test_json_can_be_asked_for(knowledge: KnowledgeBase, workers: str) -> None:
    """On a terminal too, and then every line is JSON: there is no banner."""
    options = ("--log-format", "json", "--workers", workers)
    with serve_in_terminal(knowledge, *options) as lines:
        row = json.loads(find_request(lines))
    events = [json.loads(line)["event"] for line in lines]
    assert events.count("serving") == 1
    assert (row["event"], row["path"], row["status"]) == ("request", "/health", 200)


@pytest.mark.parametrize("env", [{}, {"FORCE_COLOR": "1"}])
def test_a_pipe_gets_json(
    knowledge: KnowledgeBase, scanner: Scanner, env: dict[str, str]
) -> None:
    """Whatever the environment says about colors."""
    with serve_process(knowledge.root, scanner=scanner, env=env) as served:
        done = served.stop()
    assert all(json.loads(line)["event"] for line in done.err.splitlines())


def test_text_can_be_asked_for(knowledge: KnowledgeBase, scanner: Scanner) -> None:
    """In a pipe it has no escape sequences."""
    options = ("--log-format", "text")
    with serve_process(knowledge.root, *options, scanner=scanner) as served:
        done = served.stop()
    assert "content changed  generation=1" in done.err
    assert all(_LINE.match(line) for line in done.err.splitlines())


def test_stdio_writes_json_for_its_client(
    knowledge: KnowledgeBase, scanner: Scanner
) -> None:
    """And text if that is asked for: stdout belongs to the protocol."""
    command = ("stdio", str(knowledge.root))
    done = run_cli(*command, scanner=scanner)
    assert all(json.loads(line)["event"] for line in done.err.splitlines())
    done = run_cli(*command, "--log-format", "text", scanner=scanner)
    assert all(_LINE.match(line) for line in done.err.splitlines())
    assert done.out == ""


def test_stdio_in_a_terminal_says_what_it_waits_for(knowledge: KnowledgeBase) -> None:
    """A person who types it sees why nothing happens; a client's pipe gets no line."""
    master, slave = open_terminal()
    written = {}
    command = f"asdlc-kb connect --stdio --content {knowledge.root}"
    for name, stdin in (("terminal", slave), ("pipe", subprocess.PIPE)):
        process = subprocess.Popen(
            [*COMMAND, "stdio", str(knowledge.root)],
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment(None),
        )
        if name == "terminal":
            os.write(master, b"\x04")
        _, errors = process.communicate(timeout=BOUND)
        written[name] = [line for line in errors.splitlines() if b"waiting" in line]
    os.close(master)
    os.close(slave)
    assert written == {
        "terminal": [
            b"asdlc-kb: waiting for an MCP client on stdin: connect one with "
            + f"'{command}'".encode()
        ],
        "pipe": [],
    }
