"""The tutorial does what it shows, from an empty folder to a citation."""

import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from itertools import pairwise
from pathlib import Path

from support.canary import Scanner
from support.processes import BOUND, Running, start_command

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BLOCKS = [(match[1], match[2]) for match in FENCE.finditer(PAGE)]
SERVE = "asdlc-kb serve --docs handbook\n"
CONNECT = "asdlc-kb connect claude --docs handbook\n"
PORT = "8420"


class Reader:
    """A person with an empty folder and a shell, following the page."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = PORT
        self.variables = {
            # No client is on the PATH, so the home has what `connect` writes.
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}/usr/bin:/bin",
            "HOME": str(folder),
            "LANG": "C.UTF-8",
        }

    def follow(self, blocks: list[tuple[str, str]]) -> None:
        """Run the commands one after the other, and compare what they print."""
        for (kind, text), (following, shown) in pairwise([*blocks, ("", "")]):
            if kind == "sh" and following == "" and shown:
                self.see(text, shown)
            elif kind == "sh":
                self.run(text)

    def see(self, script: str, shown: str) -> None:
        """Repeat a script until the server has read the change that it shows."""
        deadline = time.monotonic() + BOUND
        while (printed := self.run(script)) != shown:
            assert "curl" in script, printed
            assert time.monotonic() < deadline, printed

    def run(self, script: str) -> str:
        """Return what a shell prints, both streams together."""
        finished = subprocess.run(
            ["sh", "-ec", script.replace(PORT, self.port)],
            cwd=self.folder,
            env=self.variables | {"ASDLC_KB_PORT": self.port},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=BOUND,
            text=True,
            encoding="utf-8",
            check=False,
        )
        assert finished.returncode == 0, finished.stdout
        return finished.stdout.replace(self.port, PORT)

    def read_banner(self, server: Running, length: int) -> str:
        """Return the first lines of a server, and learn its port."""
        lines = (server.read_line().decode() for _ in range(length))
        printed = "".join(lines)
        port = re.search(r":(\d+)/mcp", printed)
        assert port is not None, printed
        self.port = port[1]
        return printed.replace(self.port, PORT).replace(str(self.folder), "/home/you")


def ask(address: str, query: str) -> str:
    """Return what an agent reads when it searches."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    call = {"name": "search_docs", "arguments": {"query": query}, "_meta": meta}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    headers = {
        "Content-Type": "application/json",
        "MCP-Protocol-Version": "2026-07-28",
        "Mcp-Method": "tools/call",
        "Mcp-Name": "search_docs",
    }
    request = urllib.request.Request(address, json.dumps(message).encode(), headers)
    with urllib.request.urlopen(request, timeout=BOUND) as response:
        answer = json.loads(response.read())
    return str(answer["result"]["content"][0]["text"])


def test_the_tutorial_does_what_it_shows(tmp_path: Path, scanner: Scanner) -> None:
    """Every command in its order; an agent that searches gets the page to cite."""
    reader = Reader(tmp_path)
    start, connect = BLOCKS.index(("sh", SERVE)), BLOCKS.index(("sh", CONNECT))
    reader.follow(BLOCKS[:start])
    with start_command(
        *("sh", "-ec", f"exec {SERVE}"),
        scanner=scanner,
        cwd=tmp_path,
        env=reader.variables | {"ASDLC_KB_PORT": "0"},
    ) as server:
        shown = BLOCKS[start + 1][1]
        assert reader.read_banner(server, shown.count("\n")) == shown
        reader.follow(BLOCKS[start + 2 : connect + 1])
        address = f"http://127.0.0.1:{reader.port}/mcp"
        settings = tmp_path / ".claude.json"
        servers = json.loads(settings.read_text(encoding="utf-8"))["mcpServers"]
        (command,) = re.findall(r"^  Connect   (.+)$", shown, re.MULTILINE)
        assert command.split()[-2:] == ["handbook", f"http://127.0.0.1:{PORT}/mcp"]
        assert {name: it["url"] for name, it in servers.items()} == {
            "handbook": address
        }
        query = re.search(r'search_docs "(.+)"', PAGE)
        assert query is not None
        cited = ask(address, query[1])
        assert "1. deploys/freeze.md" in cited
        assert "Release freeze > Weekends" in cited
        reader.follow(BLOCKS[connect + 1 :])
        assert address not in settings.read_text(encoding="utf-8")
        server.signal(signal.SIGINT)
        assert server.wait().code in (0, 130)
