"""Tests of the probe: a client's view of a real server, and of a faulty one."""

import json
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from support.answering import Response, answering
from support.canary import Scanner
from support.knowledge import VISIBLE_COUNT, KnowledgeBase
from support.processes import environment, serve_process

from asdlc_kb import __version__
from asdlc_kb.connect.host_environment import HostEnvironment
from asdlc_kb.connect.probe import probe
from asdlc_kb.connect.probe_client import open_transport
from asdlc_kb.connect.server_entry import ServerAddress, ServerCommand
from asdlc_kb.ops.auth.bearer_tokens import format_line

SEEN = [
    (
        "server/discover",
        "supports 2026-07-28, 2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05",
    ),
    (
        "initialize",
        f"asdlc-knowledge-base {__version__}, agreed on 2025-11-25",
    ),
    ("tools/list", "3 tools: list_articles, get_article, search_articles"),
]


def test_a_running_server_is_seen_as_clients_see_it(
    machine: HostEnvironment, knowledge: KnowledgeBase, scanner: Scanner
) -> None:
    """Both eras, its tools, and one that answers."""
    with serve_process(knowledge.root, scanner=scanner) as served:
        address = ServerAddress(f"http://127.0.0.1:{served.port}/mcp")
        steps = probe(address, machine)
        brief = probe(address, machine, is_brief=True)
    assert [(step.name, step.message) for step in steps[:3]] == SEEN
    assert steps[3].name == "tools/call"
    assert steps[3].message.startswith("list_articles returned ")
    assert all(step.is_ok for step in steps)
    assert brief == steps[:2]
    assert VISIBLE_COUNT == 1


def test_a_command_is_seen_as_clients_see_it(
    machine: HostEnvironment, knowledge: KnowledgeBase
) -> None:
    """The same over pipes; the process ends with its input."""
    machine = replace(machine, variables=environment())
    command = (sys.executable, "-m", "asdlc_kb", "stdio", str(knowledge.root))
    steps = probe(ServerCommand(command), machine)
    assert [(step.name, step.message) for step in steps[:3]] == SEEN
    assert all(step.is_ok for step in steps)


def test_a_command_that_cannot_start_is_one_step(machine: HostEnvironment) -> None:
    """No request follows."""
    (step,) = probe(ServerCommand(("/gone",)), machine)
    assert (step.name, step.is_ok) == ("start", False)


ANSWERS = {
    "server/discover": {"supportedVersions": ["2026-07-28"]},
    "initialize": {
        "protocolVersion": "2025-11-25",
        "serverInfo": {"name": "odd", "version": "1"},
    },
    "tools/list": {"tools": [{"name": "x", "inputSchema": {"type": "object"}}]},
    "tools/call": {"content": [{"type": "text", "text": "fine"}]},
}


@pytest.mark.parametrize(
    ("method", "result", "message", "count"),
    [
        ("tools/call", ANSWERS["tools/call"], "x returned 4 characters", 4),
        ("server/discover", {"supportedVersions": []}, "does not support 2026", 4),
        ("server/discover", {}, "it does not support 2026-07-28", 4),
        ("initialize", {}, "it returned no serverInfo", 2),
        ("tools/list", {}, "it returned no list of tools", 3),
        ("tools/list", {"tools": []}, "0 tools: ", 4),
        (
            "tools/list",
            {"tools": [{"name": "y", "inputSchema": {"required": ["a"]}}]},
            "1 tools: y",
            4,
        ),
        (
            "tools/call",
            {"isError": True, "content": [{"text": "no such"}, 3]},
            "x failed: no such",
            4,
        ),
        ("tools/call", {}, "x returned 0 characters", 4),
        ("tools/list", {"tools": [{"name": "x"}], "nextCursor": "c"}, "20 tools", 4),
    ],
)
def test_an_odd_server_is_told_apart(
    machine: HostEnvironment, method: str, result: object, message: str, count: int
) -> None:
    """Every request is one step; requests that depend on a failed one are left out."""

    def answer(verb: str, headers: Mapping[str, str], body: bytes) -> Response:
        sent = json.loads(body or b"{}")
        if "id" not in sent:
            return 202, {}, b""
        reply = result if sent["method"] == method else ANSWERS[sent["method"]]
        text = json.dumps({"jsonrpc": "2.0", "id": sent["id"], "result": reply})
        return 200, {"Content-Type": "application/json"}, text.encode()

    with answering(answer) as address:
        steps = probe(ServerAddress(address), machine)
    assert len(steps) == count
    (step,) = (step for step in steps if step.name == method)
    assert message in step.message


def test_a_server_that_asks_for_a_token_gets_the_one_in_the_environment(
    machine: HostEnvironment, knowledge: KnowledgeBase, scanner: Scanner, tmp_path: Path
) -> None:
    """If the user named the server; otherwise the message says what is needed."""
    file = tmp_path / "tokens"
    file.write_text(format_line("me", "akb_mine"))
    steps = {}
    with serve_process(
        knowledge.root, "--auth-tokens-file", str(file), scanner=scanner
    ) as served:
        address = ServerAddress(f"http://127.0.0.1:{served.port}/mcp")
        for token, is_ours in (
            (" akb_mine\n", True),
            ("akb_mine", False),
            ("akb_other", True),
            ("", True),
        ):
            with_token = replace(machine, variables={"ASDLC_KB_TOKEN": token})
            result = probe(address, with_token, is_ours=is_ours)
            steps[token, is_ours] = [(step.is_ok, step.message) for step in result]
    known, strange, other, none = steps.values()
    assert [is_ok for is_ok, _ in known] == [True] * 4
    assert (
        strange
        == none
        == [(False, "it requires a token: put one in ASDLC_KB_TOKEN")] * 2
    )
    assert other == [(False, "it rejected the token in ASDLC_KB_TOKEN")] * 2


@pytest.mark.parametrize("token", ["two\nlines", "\0", "ä"])
def test_what_is_no_token_is_not_sent(machine: HostEnvironment, token: str) -> None:
    """It could be another header."""
    odd = replace(machine, variables={"ASDLC_KB_TOKEN": token})
    (step,) = probe(ServerAddress("http://127.0.0.1:1/mcp"), odd, is_ours=True)
    assert step.message == "ASDLC_KB_TOKEN contains no valid token"


def test_a_token_goes_nowhere_without_encryption(machine: HostEnvironment) -> None:
    """Except on this machine: every hop on the way could read it."""
    token = "akb_mine"
    for url, sent in (
        ("http://127.0.0.1:1/mcp", token),
        ("https://kb.example.com/mcp", token),
        ("http://kb.example.com/mcp", None),
    ):
        assert (
            vars(open_transport(ServerAddress(url), machine, token))["_token"] == sent
        )
