"""Tests of the probe: what a client will see of a real server, and of an odd one."""

import json
import sys
from dataclasses import replace

import pytest
from support.answering import answering
from support.canary import Scanner
from support.knowledge import VISIBLE_COUNT, KnowledgeBase
from support.processes import environment, serve_process

from asdlc_kb import __version__
from asdlc_kb.connect.machine import Machine
from asdlc_kb.connect.probe import probe
from asdlc_kb.connect.target import Address, Command

SEEN = [
    (
        "server/discover",
        "speaks 2026-07-28, 2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05",
    ),
    (
        "initialize",
        f"asdlc-knowledge-base {__version__}, agreed on 2025-11-25",
    ),
    ("tools/list", "3 tools: list_articles, get_article, search_articles"),
]


def test_a_running_server_is_seen_as_clients_see_it(
    machine: Machine, knowledge: KnowledgeBase, scanner: Scanner
) -> None:
    """Both eras, its tools, and one that answers."""
    with serve_process(knowledge.root, scanner=scanner) as served:
        address = Address(f"http://127.0.0.1:{served.port}/mcp")
        steps = probe(address, machine)
        brief = probe(address, machine, is_brief=True)
    assert [(step.name, step.said) for step in steps[:3]] == SEEN
    assert steps[3].name == "tools/call"
    assert steps[3].said.startswith("list_articles answered, ")
    assert all(step.is_ok for step in steps)
    assert brief == steps[:2]
    assert VISIBLE_COUNT == 1


def test_a_command_is_seen_as_clients_see_it(
    machine: Machine, knowledge: KnowledgeBase
) -> None:
    """The same over pipes; the process ends with its input."""
    machine = replace(machine, variables=environment())
    command = (sys.executable, "-m", "asdlc_kb", "stdio", str(knowledge.root))
    steps = probe(Command(command), machine)
    assert [(step.name, step.said) for step in steps[:3]] == SEEN
    assert all(step.is_ok for step in steps)


def test_a_command_that_cannot_start_is_one_step(machine: Machine) -> None:
    """Nothing else is asked."""
    (step,) = probe(Command(("/gone",)), machine)
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
    ("method", "result", "told", "count"),
    [
        ("tools/call", ANSWERS["tools/call"], "x answered, 4 characters", 4),
        ("server/discover", {"supportedVersions": []}, "does not speak 2026", 4),
        ("server/discover", {}, "it does not speak 2026-07-28", 4),
        ("initialize", {}, "it does not say who it is", 2),
        ("tools/list", {}, "its list of tools is none", 3),
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
        ("tools/call", {}, "x answered, 0 characters", 4),
        ("tools/list", {"tools": [{"name": "x"}], "nextCursor": "c"}, "20 tools", 4),
    ],
)
def test_an_odd_server_is_told_apart(machine, method, result, told, count) -> None:
    """Every question is one step; what cannot be asked after a failure is not."""

    def answer(verb, headers, body):
        sent = json.loads(body or b"{}")
        if "id" not in sent:
            return 202, {}, b""
        given = result if sent["method"] == method else ANSWERS[sent["method"]]
        text = json.dumps({"jsonrpc": "2.0", "id": sent["id"], "result": given})
        return 200, {"Content-Type": "application/json"}, text.encode()

    with answering(answer) as address:
        steps = probe(Address(address), machine)
    assert len(steps) == count
    (step,) = (step for step in steps if step.name == method)
    assert told in step.said
