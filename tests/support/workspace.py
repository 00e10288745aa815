"""Projects behind a server, and a peer that calls it directly.

In every project and around it are files that must stay hidden, full of canary text;
whatever leaves the server during a test is scanned for it (see `support.canary`).
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from asdlc_kb.project.registry import Projects
from asdlc_kb.providers.project.provider import ProjectProvider
from support.canary import CANARY, Scanner
from support.files import save_in_place
from support.shelf import DirectPeer, make_server

FILES = {
    ".cursor/rules/security.mdc": (
        "---\ndescription: Keep: secrets out\nglobs: **/*.py\nalwaysApply: false\n---\n"
        "# Security\n\nNo keys in code.\n"
    ),
    ".cursor/rules/house.mdc": "---\nalwaysApply: true\n---\nBe kind.\n",
    ".claude/rules/style.md": "Write plainly.\n",
    ".cursor/commands/review.md": "# Review\n\n## Overview\n\nReviews a change.\n",
    ".claude/commands/web/test.md": (
        "---\ndescription: Tests a page\nargument-hint: '[page]'\n---\n"
        "Test $ARGUMENTS.\n"
    ),
    ".cursor/skills/create-plan/SKILL.md": (
        "---\nname: create-plan\ndescription: Plans. Use before work.\n---\n# Plan\n"
    ),
    ".claude/skills/release/SKILL.md": (
        "---\ntitle: Release\noverview: Cuts a version\n---\nSteps.\n"
    ),
    ".agents/skills/third/SKILL.md": "---\nname: third\ndescription: d\n---\nx\n",
    ".claude/agents/auditor.md": "---\ndescription: Audits\n---\nAudit.\n",
    "AGENTS.md": "# Shop\n\n> Sell things.\n\n## Rules\n\nBe quick.\n",
    "web/AGENTS.md": "Only CSS.\n",
    "specs/login/spec.md": "# Login\n\n## Blueprint\n\nx\n\n## Contract\n\ny\n",
    "specs/a b/deep/spec.md": "# Deep\n",
    "schemas/note.schema.json": '{"$id": "https://example.com/note"}',
}
"""A project with artifacts of every kind."""

LEFT_OUT = {"problems", "truncated"}
"""Fields of structured content that the second text has in words."""


def plant_canaries(root: Path) -> None:
    """Write what must stay hidden into a project and next to it."""
    for path in (".env", ".git/config", ".cursor/mcp.json", "src/secret.txt"):
        save_in_place(root / path, f"TOKEN={CANARY}\n")
    save_in_place(root.parent / "outside" / "rule.mdc", f"# {CANARY}\n")
    save_in_place(root.parent / f"{root.name}-sibling" / "AGENTS.md", f"{CANARY}\n")


def make_workspace(folder: Path, files: Mapping[str, str | bytes] = FILES) -> Path:
    """Write a project with these files; return its root."""
    folder.mkdir(parents=True, exist_ok=True)
    for path, text in files.items():
        save_in_place(folder / path, text)
    plant_canaries(folder)
    return folder


class Workspace:
    """Some projects, the first called `shop`, and a server that offers them."""

    def __init__(
        self,
        folder: Path,
        scanner: Scanner,
        files: Mapping[str, str | bytes] = FILES,
        *others: Path,
        is_local: bool = False,
        home: Path | None = None,
        **settings: Any,
    ) -> None:
        self.root = make_workspace(folder / "shop", files)
        projects = Projects((self.root, *others))
        self.provider = ProjectProvider(projects, accepts_paths=is_local, home=home)
        self.server = make_server(self.provider, **settings)
        self.peer = DirectPeer("2026-07-28", server=self.server, scanner=scanner)

    def write(self, path: str, text: str | bytes) -> Path:
        """Save a file of the first project."""
        return save_in_place(self.root / path, text)

    async def ask(self, tool: str, /, **arguments: Any) -> Any:
        """Call a tool that succeeds; return the value of its text."""
        result = await self.peer.call(tool, **arguments)
        assert not result.get("isError"), result["content"]
        payload = json.loads(result["content"][0]["text"])
        structured = result["structuredContent"]
        without_notes = {key: structured[key] for key in structured.keys() - LEFT_OUT}
        assert payload in (structured, without_notes, *structured.values())
        return payload

    async def note(self, tool: str, /, **arguments: Any) -> str:
        """Call a tool that succeeds; return its second text, empty without one."""
        result = await self.peer.call(tool, **arguments)
        assert not result.get("isError"), result["content"]
        _, *notes = (content["text"] for content in result["content"])
        assert len(notes) <= 1
        return "".join(notes)

    async def text(self, tool: str, /, **arguments: Any) -> str:
        """Call a tool that succeeds; return its first text."""
        result = await self.peer.call(tool, **arguments)
        assert not result.get("isError"), result["content"]
        text: str = result["content"][0]["text"]
        return text

    async def call(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """Call a tool that succeeds; return its structured content."""
        await self.ask(tool, **arguments)
        result = await self.peer.call(tool, **arguments)
        structured: dict[str, Any] = result["structuredContent"]
        return structured

    async def fail(self, tool: str, /, **arguments: Any) -> str:
        """Call a tool that fails; return its error text."""
        result = await self.peer.call(tool, **arguments)
        assert result["isError"] is True
        content, *hints = result["content"]
        assert all(hint["text"].startswith("Did you mean: ") for hint in hints)
        text: str = content["text"]
        return text

    async def read(self, uri: str) -> dict[str, Any]:
        """Read an existing resource; return its one content."""
        (contents,) = (await self.peer.result("resources/read", {"uri": uri}))[
            "contents"
        ]
        assert contents["uri"] == uri
        found: dict[str, Any] = contents
        return found

    async def list_uris(self) -> list[str]:
        """Return the URIs of all resources, in their order."""
        uris: list[str] = []
        params: dict[str, Any] = {}
        while True:
            page = await self.peer.result("resources/list", params)
            uris += [resource["uri"] for resource in page["resources"]]
            if "nextCursor" not in page:
                return uris
            params = {"cursor": page["nextCursor"]}
