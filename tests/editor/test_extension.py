"""The extension of VS Code and Cursor: its types, tests, package and server."""

import json
import re
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

from editor.tools import NPM, ROOT, run
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from support.canary import Scanner
from support.files import save_in_place
from support.processes import BOUND, environment

from asdlc_kb import __version__

ACTIVATE = Path(__file__).with_name("activate.cjs")

PACKED = {
    "[Content_Types].xml",
    "extension.vsixmanifest",
    "extension/LICENSE.txt",
    "extension/changelog.md",
    "extension/icon.png",
    "extension/package.json",
    "extension/readme.md",
    "extension/src/checks.js",
    "extension/src/commands.js",
    "extension/src/detected-paths.json",
    "extension/src/detection.js",
    "extension/src/extension.js",
    "extension/src/program.js",
    "extension/src/registrars.js",
    "extension/src/registration.js",
    "extension/src/rules.js",
    "extension/src/server.js",
    "extension/src/start.js",
    "extension/src/status.js",
}


def test_its_types_are_those_of_the_editors(built: Path) -> None:
    """Every call of the editor's API exists, with its arguments."""
    run(built, NPM, "run", "check")


def test_its_own_tests_pass(built: Path) -> None:
    """Registration, commands, settings that users may write, other systems."""
    written = run(built, NPM, "test")
    counts = dict(re.findall(r"^\S+ (tests|pass|fail) (\d+)$", written, re.MULTILINE))
    assert int(counts["tests"]) == int(counts["pass"]) > 90, written
    assert counts["fail"] == "0"


def test_the_package_has_what_it_needs_and_nothing_else(package: Path) -> None:
    """No tools, no tests, no sources of others; the version is the server's."""
    assert package.name == f"asdlc-kb-{__version__}.vsix"
    with zipfile.ZipFile(package) as archive:
        assert set(archive.namelist()) == PACKED
        manifest = json.loads(archive.read("extension/package.json"))
        listing = archive.read("extension.vsixmanifest").decode()
        licence = archive.read("extension/LICENSE.txt")
    assert manifest["version"] == __version__
    assert f'Version="{__version__}" Publisher="asdlc"' in listing
    assert licence == (ROOT / "LICENSE").read_bytes()
    assert package.stat().st_size < 50_000


def activate(package: Path, folder: Path, built: Path, opened: dict[str, Any]) -> Any:
    """Return the server that the packed extension registers."""
    with zipfile.ZipFile(package) as archive:
        archive.extractall(folder)
    stand_in = built / "tests" / "stand-in.js"
    extension = folder / "extension"
    seen = json.loads(run(folder, ACTIVATE, extension, stand_in, json.dumps(opened)))
    assert seen["shown"] == []
    return seen["registered"]["asdlc"]


async def test_what_the_packed_extension_registers_is_a_server_that_answers(
    package: Path, built: Path, scanner: Scanner, tmp_path: Path
) -> None:
    """Unpacked, activated, started with its command: each folder is a project."""
    for name in ("api", "my web"):
        rule = tmp_path / name / ".cursor" / "rules" / f"of {name}.mdc"
        save_in_place(rule, "Be brief.")
    command = str(Path(sys.executable).with_name("asdlc-kb"))
    folders = [str(tmp_path / name) for name in ("api", "my web")]
    opened = {"folders": folders, "settings": {"command": command}}
    server = activate(package, tmp_path / "unpacked", built, opened)
    parameters = StdioServerParameters(
        command=server["command"], args=server["args"], env=environment(), cwd=tmp_path
    )
    with tempfile.TemporaryFile("w+") as errors:
        transport = stdio_client(parameters, errlog=errors)
        async with Client(transport, read_timeout_seconds=BOUND) as client:
            for folder in folders:
                found = await client.call_tool("list_rules", {"projectPath": folder})
                (content,) = found.content
                assert content.type == "text"
                names = [rule["name"] for rule in json.loads(content.text)]
                assert names == [f"of {Path(folder).name}"]
        errors.seek(0)
        scanner.scan(errors.read().encode(), "stderr")
