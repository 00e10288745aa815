"""Scenarios of the project tools; the tool list is all that is cached."""

import asyncio
import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from support.canary import Scanner
from support.wire import until
from support.workspace import FILES, Workspace, make_workspace

AMONG = ("resources/list", "resources/templates/list", "prompts/list")
"""Lists that a project adds to, or may."""


async def test_an_agent_requests_all_rules(workspace: Workspace) -> None:
    """D-100: an array of 3 RuleInfo objects: name, description, type, path."""
    rules = await workspace.ask("list_rules")
    assert rules == [
        {
            "name": "house",
            "description": "",
            "type": "always",
            "path": ".cursor/rules/house.mdc",
            "activation": "always",
            "platform": "cursor",
        },
        {
            "name": "security",
            "description": "Keep: secrets out",
            "type": "glob",
            "path": ".cursor/rules/security.mdc",
            "globs": ["**/*.py"],
            "activation": "auto-attached",
            "platform": "cursor",
        },
        {
            "name": "style",
            "description": "",
            "type": "always",
            "path": ".claude/rules/style.md",
            "activation": "always",
            "platform": "claude",
        },
    ]


async def test_an_agent_requests_a_rule(workspace: Workspace) -> None:
    """D-100: `security.mdc` as RuleContent, full content and metadata."""
    rule = await workspace.ask("get_rule", name="security")
    assert rule == {
        "name": "security",
        "description": "Keep: secrets out",
        "type": "glob",
        "path": ".cursor/rules/security.mdc",
        "globs": ["**/*.py"],
        "activation": "auto-attached",
        "platform": "cursor",
        "content": "# Security\n\nNo keys in code.\n",
    }


@pytest.mark.parametrize(
    ("tool", "argument", "key"),
    [
        ("get_rule", "name", "rule"),
        ("get_command", "name", "command"),
        ("get_skill", "name", "skill"),
        ("get_spec", "domain", "spec"),
    ],
)
async def test_what_does_not_exist_is_null_and_no_error(
    workspace: Workspace, tool: str, argument: str, key: str
) -> None:
    """D-023: no rule named `missing.mdc`: null; structured, an object with it."""
    arguments = {argument: "missing"}
    assert await workspace.ask(tool, **arguments) is None
    assert await workspace.call(tool, **arguments) == {key: None}


async def test_an_agent_requests_the_complete_context(workspace: Workspace) -> None:
    """D-100: ProjectContext with all artifacts, timestamp, and projectPath."""
    before = datetime.now(UTC)
    context = await workspace.ask("get_project_context")
    timestamp = datetime.fromisoformat(context["timestamp"])
    assert abs((timestamp - before).total_seconds()) < 3_600
    assert context["projectPath"] == "shop"
    names = {
        part: [item["name"] for item in context[part]]
        for part in ("rules", "commands", "skills", "agents")
    }
    assert names == {
        "rules": ["house", "security", "style"],
        "commands": ["review", "web:test"],
        "skills": ["create-plan", "release", "third"],
        "agents": ["auditor"],
    }
    artifacts = context["asdlcArtifacts"]
    assert artifacts["agentsMd"] == {"exists": True, "path": "AGENTS.md"}
    instructions = {"path": "AGENTS.md", "content": FILES["AGENTS.md"]}
    assert context["instructions"] == instructions
    assert artifacts["hasAnyArtifacts"] is True
    assert "truncated" not in context
    assert "problems" not in context


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("ace://agents-md", "AGENTS.md"),
        ("ace://skills/create-plan", ".cursor/skills/create-plan/SKILL.md"),
    ],
)
async def test_an_agent_reads_a_whole_file(
    workspace: Workspace, uri: str, path: str
) -> None:
    """D-100: AGENTS.md and each SKILL.md, complete, as text/markdown."""
    contents = await workspace.read(uri)
    assert contents["text"] == FILES[path]
    assert contents["mimeType"] == "text/markdown"


async def test_an_agent_lists_the_skills(workspace: Workspace) -> None:
    """D-100: `ace://skills` is an array: name, title, overview, location, path."""
    contents = await workspace.read("ace://skills")
    skills = json.loads(contents["text"])
    assert contents["mimeType"] == "application/json"
    assert [skill["name"] for skill in skills] == ["create-plan", "release", "third"]
    assert skills[1] == {
        "name": "release",
        "description": "Cuts a version",
        "title": "Release",
        "overview": "Cuts a version",
        "path": ".claude/skills/release/SKILL.md",
        "location": "workspace",
        "platform": "claude",
    }


async def test_another_project_is_asked_by_its_path(
    tmp_path: Path, scanner: Scanner
) -> None:
    """D-021: `projectPath: "/other/project"`; over stdio, a path is accepted."""
    other = make_workspace(tmp_path / "other", {".cursor/rules/only.mdc": "x"})
    workspace = Workspace(tmp_path, scanner, FILES, other, is_local=True)
    for path in (str(other), "other", "../other", f"{other}/.cursor/rules/"):
        rules = await workspace.ask("list_rules", projectPath=path)
        assert [rule["name"] for rule in rules] == ["only"]
    context = await workspace.ask("get_project_context", projectPath="other")
    assert context["projectPath"] == str(other)


async def test_an_answer_is_of_the_disk_as_it_is(workspace: Workspace) -> None:
    """D-022: scanned for each call."""
    for number in range(3):
        workspace.write(".cursor/rules/house.mdc", f"Version {number}\n")
        workspace.write(f".cursor/rules/new-{number}.mdc", "x")
        rule = await workspace.ask("get_rule", name="house")
        assert rule["content"] == f"Version {number}\n"
        assert f"ace://rules/new-{number}" in await workspace.list_uris()
        read = await workspace.read("ace://rules/house")
        assert read["text"] == f"Version {number}\n"
    assert workspace.peer.remembered == 0


async def test_the_list_of_tools_is_remembered(workspace: Workspace) -> None:
    """D-022: no file on the disk changes it."""
    await workspace.peer.result("tools/list")
    assert workspace.peer.remembered == 0
    await workspace.peer.result("tools/list")
    assert workspace.peer.remembered == 1


@pytest.mark.parametrize("method", AMONG)
async def test_no_client_keeps_a_list_that_a_project_is_in(
    workspace: Workspace, method: str
) -> None:
    """D-022: private, with ttl 0, once a project is served."""
    result = await workspace.peer.result(method)
    assert (result["ttlMs"], result["cacheScope"]) == (0, "private")
    discovered = await workspace.peer.result("server/discover")
    assert (discovered["ttlMs"], discovered["cacheScope"]) == (0, "private")
    tools = await workspace.peer.result("tools/list")
    assert (tools["ttlMs"], tools["cacheScope"]) == (200_000, "public")


async def test_no_client_keeps_what_it_reads_of_a_project(workspace: Workspace) -> None:
    """D-022: private, with ttl 0."""
    read = await workspace.peer.result("resources/read", {"uri": "ace://rules"})
    assert (read["ttlMs"], read["cacheScope"]) == (0, "private")


async def test_of_two_looks_the_newest_counts(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A slow scan that ends late does not restore an old state."""
    provider = workspace.provider
    real = asyncio.to_thread
    first_may_end = asyncio.Event()
    waiting: list[bool] = []

    async def hold_first(work: Callable[..., Any], *arguments: Any) -> Any:
        result = await real(work, *arguments)
        if not waiting:
            waiting.append(True)
            await first_may_end.wait()
        return result

    monkeypatch.setattr(asyncio, "to_thread", hold_first)
    slow = asyncio.ensure_future(provider.refresh("resources/list"))
    await until(lambda: bool(waiting))
    workspace.write(".cursor/rules/late.mdc", "x")
    await provider.refresh("resources/list")
    first_may_end.set()
    await slow
    uris = [listed.item.uri for listed in provider.resources()]
    assert "ace://rules/late" in uris
