"""Command-line clients that shake hands with a server without a login: Claude, Gemini.

They are installed from the npm registry, pinned, into a home of their own, which also
stores their servers.
"""

import re
from pathlib import Path

from support.command_lines import CommandLine
from support.processes import Served

ROOT = Path(__file__).parents[3]
GEMINI = "gemini mcp add --transport http -s user asdlc {address}"


def test_claude_connects_after_the_line_of_the_readme(
    served: Served, home: Path, programs: Path
) -> None:
    """README, "Connect a client"; its list shakes hands, or reports no server."""
    address = f"http://127.0.0.1:{served.port}/mcp"
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (line,) = re.findall(r"^claude mcp add .*$", readme, re.MULTILINE)
    claude = CommandLine("claude", home, programs)
    claude.run(line.replace("http://127.0.0.1:8420/mcp", address))
    status = claude.health("claude mcp list")
    assert status == f"asdlc: {address} (HTTP) - \N{HEAVY CHECK MARK} Connected"
    assert served.stop().code == 0
    assert "Connected" not in claude.health("claude mcp list")


def test_gemini_connects_after_its_own_command(
    served: Served, home: Path, programs: Path
) -> None:
    """Gemini CLI's `mcp add`; its list shakes hands, or reports no server."""
    address = f"http://127.0.0.1:{served.port}/mcp"
    gemini = CommandLine("gemini", home, programs)
    gemini.run(GEMINI.format(address=address))
    status = gemini.health("gemini mcp list")
    assert status == f"asdlc: {address} (http) - Connected"
    assert served.stop().code == 0
    assert gemini.health("gemini mcp list").endswith("(http) - Disconnected")
