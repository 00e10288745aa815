"""The bundle for Claude Desktop: its manifest, and what it installs."""

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from bundle import SOURCES, describe_manifest, describe_project, write_bundle
from packaging.requirements import Requirement
from published import Published, read_version
from support.canary import Scanner
from support.knowledge import KnowledgeBase
from support.peers import message
from support.processes import BOUND, environment

from asdlc_kb import __version__
from asdlc_kb.settings_descriptions import DESCRIPTIONS

MANIFEST = json.loads((SOURCES / "manifest.json").read_text(encoding="utf-8"))
HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "tests", "version": "1"},
}


def test_the_manifest_passes_every_option_to_the_server() -> None:
    """As flags and variables of the command; a folder without a value is empty."""
    assert MANIFEST["version"] == __version__
    options = MANIFEST["user_config"]
    started = json.dumps(MANIFEST["server"]["mcp_config"])
    assert set(re.findall(r"\$\{user_config\.(\w+)\}", started)) == options.keys()
    for name, option in options.items():
        assert name in DESCRIPTIONS
        assert option.get("required") or option["default"] == ""


def test_the_manifest_names_the_repository_once_it_is_public() -> None:
    """Before that it names no address."""
    nowhere = Published(repository="", index=False, image="")
    assert "https:" not in describe_manifest(nowhere, "1.2.3")
    public = Published("https://example.com/team/asdlc-kb", index=False, image="")
    manifest = json.loads(describe_manifest(public, "1.2.3"))
    assert manifest["version"] == "1.2.3"
    assert manifest["homepage"] == "https://example.com/team/asdlc-kb"


def test_the_bundle_installs_what_the_package_needs() -> None:
    """In the versions of the image; uv reads them from pyproject.toml."""
    project = tomllib.loads(describe_project())
    assert project["project"]["version"] == read_version()
    pins = [
        Requirement(pin) for pin in project["tool"]["uv"]["constraint-dependencies"]
    ]
    versions = {
        pin.name.lower().replace(".", "-"): str(pin.specifier).removeprefix("==")
        for pin in pins
    }
    needed = [Requirement(text) for text in project["project"]["dependencies"]]
    assert len(needed) > 10
    for requirement in needed:
        name = requirement.name.lower().replace(".", "-")
        assert requirement.specifier.contains(versions[name]), requirement


@pytest.mark.parametrize("has_articles", [True, False])
def test_the_entry_point_serves_the_chosen_folders(
    knowledge: KnowledgeBase, scanner: Scanner, tmp_path: Path, has_articles: bool
) -> None:
    """An empty text is a folder that the user did not choose."""
    bundle, docs = tmp_path / "bundle", tmp_path / "docs"
    write_bundle(bundle)
    docs.mkdir()
    (docs / "guide.md").write_text("# Guide\n\nStart here.\n", encoding="utf-8")
    content = str(knowledge.root) if has_articles else ""
    sent = [message("initialize", HELLO), message("tools/list", {}, 2)]
    done = subprocess.run(
        [sys.executable, bundle / "server.py", f"--docs={docs}", "--project="],
        input="".join(json.dumps(each) + "\n" for each in sent).encode(),
        capture_output=True,
        env=environment({"ASDLC_KB_CONTENT": content, "PATH": os.environ["PATH"]}),
        cwd=bundle,
        timeout=BOUND,
        check=True,
    )
    scanner.scan(done.stdout, "stdout")
    scanner.scan(done.stderr, "stderr")
    first, second = map(json.loads, done.stdout.splitlines())
    assert first["result"]["serverInfo"]["version"] == __version__
    names = {tool["name"] for tool in second["result"]["tools"]}
    assert "search_docs" in names
    assert ("get_article" in names) is has_articles
    assert "list_rules" not in names
