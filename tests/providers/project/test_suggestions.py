"""Hints for names and paths of artifacts that are not found."""

from typing import Any

import pytest
from support.workspace import Workspace

RULES = ".claude/skills/release/references/rules.md"
MANUAL = "---\nname: deploy\ndisable-model-invocation: true\n---\nOnly people.\n"


@pytest.mark.parametrize(
    ("tool", "name", "hint"),
    [
        ("get_rule", "AGENTS.md", "AGENTS.md is a guide: get_artifact reads it."),
        ("get_rule", "web/AGENTS.md", "web/AGENTS.md is a guide: get_artifact"),
        ("get_rule", "create-plan", ".cursor/skills/create-plan/SKILL.md is a skill"),
        ("get_skill", "/review", ".cursor/commands/review.md is a command"),
        ("get_command", "house", ".cursor/rules/house.mdc is a rule: get_rule reads"),
        ("get_skill", "login", "specs/login/spec.md is a specification: get_spec"),
        ("get_skill", "auditor", ".claude/agents/auditor.md is an agent: get_artifact"),
        (
            "get_command",
            "note.schema",
            "schemas/note.schema.json is a schema: get_artifact",
        ),
        ("get_skill", "created-plan", "Did you mean: create-plan?"),
    ],
)
async def test_a_hint_names_the_tool_that_reads_what_has_the_name(
    workspace: Workspace, tool: str, name: str, hint: str
) -> None:
    """The answer is still null: D-023, D-103."""
    result = await workspace.peer.call(tool, name=name)
    first, second = (content["text"] for content in result["content"])
    assert first == "null"
    assert second.startswith(hint)
    named = second.split()[0]
    if " is a" in second:
        reader = second.split(": ")[1].split()[0]
        argument = {"get_artifact": "path", "get_spec": "domain"}.get(reader, "name")
        assert await workspace.text(reader, **{argument: named}) != "null"


@pytest.mark.parametrize(
    ("written", "hint"),
    [
        ("references/rules.md", RULES),
        ("rules.md", RULES),
        ("release/references/rules.md#top", RULES),
        ("docs/rule.md", RULES),
        ("specs/logins/plan.md", "specs/login/plan.md"),
    ],
)
async def test_a_missing_path_suggests_those_that_end_so(
    workspace: Workspace, written: str, hint: str
) -> None:
    """Links in the text of a skill are relative to its folder."""
    workspace.write(RULES, "x\n")
    workspace.write("specs/login/plan.md", "# Plan\n")
    result = await workspace.peer.call("get_artifact", path=written)
    error, second = (content["text"] for content in result["content"])
    assert error == f"Path '{written}' not found"
    assert second == f"Did you mean: {hint}?"


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("get_rule", {"name": "deploy"}),
        ("get_skill", {"name": "deploys"}),
        ("get_artifact", {"path": "deploy/SKILL.md"}),
        ("get_artifact", {"path": "deploy.md"}),
    ],
)
async def test_no_hint_names_what_only_people_start(
    workspace: Workspace, tool: str, arguments: dict[str, Any]
) -> None:
    """D-274: it is offered to no model."""
    workspace.write(".claude/skills/deploy/SKILL.md", MANUAL)
    workspace.write(".claude/commands/deploy.md", MANUAL)
    result = await workspace.peer.call(tool, **arguments)
    assert "deploy/" not in "".join(c["text"] for c in result["content"][1:])
    assert "commands" not in "".join(c["text"] for c in result["content"][1:])
