"""Files of one person, where a project is served to others: every way to read them.

The file's text is a canary, so no answer may have it; and every answer is the one that
is given without the file.
"""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from support.canary import CANARY
from support.files import save_in_place
from support.knowledge import KnowledgeBase
from support.peers import HttpPeer, open_app, serving, shake_hands
from support.site import Site
from support.wire import ask

from asdlc_kb.project.readable_files import find_readable
from asdlc_kb.project.registry import Project
from asdlc_kb.project.scanner import ProjectScanner

NAME = "CLAUDE.local.md"
SKILL = "---\nname: tidy\ndescription: d\n---\nx\n"
HTML = {"Accept": "text/html"}

FILES: dict[str, dict[str, str]] = {
    "none": {},
    "import": {"CLAUDE.md": f"Mine: @{NAME}\n"},
    "import of an import": {"CLAUDE.md": "@docs/a.md\n", "docs/a.md": f"@../{NAME}\n"},
    "import with a link": {"CLAUDE.md": "@notes.md and @notes\n"},
    "path in settings": {"opencode.json": json.dumps({"instructions": [NAME]})},
    "pattern in settings": {"opencode.json": '{"instructions": ["*.md"]}'},
    "name of guides": {
        "GEMINI.md": "x",
        ".gemini/settings.json": f'{{"contextFileName": "{NAME}"}}',
    },
    "file of a skill": {".claude/skills/tidy/SKILL.md": SKILL},
    "guide without it": {"AGENTS.md": "Claude Code reads it unless the file is there."},
}
"""Files of a project with the file of one person."""

PLACES = {
    "file of a skill": f".claude/skills/tidy/{NAME}",
    "rule": f".claude/rules/{NAME}",
    "command": f".claude/commands/{NAME}",
    "agent": f".claude/agents/{NAME}",
    "document": f"specs/x/{NAME}",
    "guide of a folder": f"web/{NAME}",
}
"""Where it is, if not at the top."""

LINKS = {
    "import with a link": "notes.md",
    "link of a rule": ".cursor/rules/x.mdc",
    "link of a command": ".claude/commands/x.md",
    "link of an agent": ".claude/agents/x.md",
    "link of a skill": ".claude/skills/x/SKILL.md",
    "link of a specification": "specs/x/spec.md",
    "link of a guide": "AGENTS.md",
    "link of a guide in a folder": "web/CLAUDE.md",
}
"""A link to it."""

WAYS = (*{**FILES, **PLACES, **LINKS}, "link in its place")


def lead(root: Path, way: str) -> list[str]:
    """Write a project that leads to the file of one person; return the paths to it."""
    own = PLACES.get(way, NAME)
    for path, text in {"web/a.ts": "", **FILES.get(way, {})}.items():
        save_in_place(root / path, text)
    if way == "link in its place":
        save_in_place(root / "docs/mine.md", f"{CANARY}\n")
        save_in_place(root / "CLAUDE.md", f"@{NAME.lower()}\n")
        (root / NAME.lower()).symlink_to("docs/mine.md")
        return [NAME.lower()]
    save_in_place(root / own, f"{CANARY}\n")
    paths = [own]
    if way in LINKS:
        link = root / LINKS[way]
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(os.path.relpath(root / own, link.parent))
        paths.append(LINKS[way])
    return paths


def read(project: Project, path: str) -> str | bytes:
    """Return a readable file; empty if there is none."""
    scanner = ProjectScanner(project)
    found = find_readable(scanner, path)
    return (found.read(scanner) if found else None) or ""


@pytest.mark.parametrize("way", WAYS)
def test_only_the_person_reads_it(tmp_path: Path, way: str) -> None:
    """D-227: the way leads there, and ends where others are served."""
    paths = lead(tmp_path, way)
    own = Project("own", tmp_path, is_personal=True)
    assert CANARY in str(read(own, paths[-1]))
    for path in paths:
        assert read(Project("shared", tmp_path), path) == ""


class Client:
    """Asks a server for all there is in its projects."""

    def __init__(self, site: Site, paths: dict[str, list[str]]) -> None:
        self._site = site
        self._peer = HttpPeer("2025-11-25", site=site)
        self._paths = paths

    async def ask_all(self) -> dict[str, str]:
        """Return all answers by what was asked for."""
        await shake_hands(self._peer)
        answers: dict[str, str] = {}
        for method in ("resources/list", "prompts/list"):
            answers[method] = json.dumps(await self._peer.result(method))
        for name, paths in self._paths.items():
            for tool, arguments in self._list_calls(paths):
                every = {"projectPath": name, **arguments}
                result = await self._peer.call(tool, **every)
                answers[f"{tool} {every}"] = _write(result)
            for query in ("", "?path=web/a.ts", *(f"?file={path}" for path in paths)):
                page = f"/projects/{name}/{query}"
                answer = await ask(self._site.port, "GET", page, HTML)
                answers[page] = f"{answer.status} {answer.body.decode()}"
        return answers

    def _list_calls(self, paths: list[str]) -> list[tuple[str, dict[str, Any]]]:
        lists = ("list_rules", "list_commands", "list_skills", "list_specs")
        calls: list[tuple[str, dict[str, Any]]] = [(tool, {}) for tool in lists]
        calls += [(tool, {}) for tool in ("get_project_context", "get_asdlc_artifacts")]
        calls += [("get_artifact", {"path": path}) for path in paths]
        for tool in ("get_rule", "get_command", "get_skill"):
            calls += [(tool, {"name": name}) for name in ("x", "CLAUDE.local", "tidy")]
        return [
            *calls,
            ("rules_for_path", {"path": "web/a.ts", "include_content": True}),
        ]


def _write(result: dict[str, Any]) -> str:
    """Return a result as a text, without the time at which it was made."""
    for content in result["content"]:
        if content["text"].startswith("{"):
            value = json.loads(content["text"])
            value.pop("timestamp", None)
            content["text"] = json.dumps(value)
    return json.dumps(result)


async def test_no_answer_shows_that_it_is_there(
    knowledge: KnowledgeBase, tmp_path: Path
) -> None:
    """D-236: over MCP and on the pages; links are to a file that may be missing."""
    paths = {}
    for number, way in enumerate(WAYS):
        paths[f"p{number}"] = lead(tmp_path / f"p{number}", way)
    roots = tuple(tmp_path / name for name in paths)
    app = open_app(knowledge, projects=roots, project_pages=True)
    async with serving(app) as site:
        client = Client(site, paths)
        with_it = await client.ask_all()
        for name, (own, *_) in paths.items():
            (tmp_path / name / own).unlink()
        without = await client.ask_all()
    assert len(with_it) > 15 * len(WAYS)
    assert {key for key, answer in with_it.items() if answer != without[key]} == set()
