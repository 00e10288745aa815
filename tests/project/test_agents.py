"""Agents of Cursor and Claude."""

from pathlib import Path

from support.files import save_in_place
from support.project import fixture, make_project, row, rows_like, scan_of

from asdlc_kb.project.agents import scan_agents
from asdlc_kb.project.name_lookup import find_named
from asdlc_kb.project.scanner import ProjectScanner


def test_agents_are_listed_with_what_they_say_of_themselves() -> None:
    """D-110: `.cursor/agents` and `.claude/agents`."""
    expected = [
        row(
            name="reviewer",
            description="Reviews changes. Use it before a merge.",
            path=".cursor/agents/reviewer.md",
            location="workspace",
            platform="cursor",
            tools=(),
            model=None,
        ),
    ]
    assert (
        rows_like(scan_agents(ProjectScanner(fixture("cursor"))), expected) == expected
    )
    (auditor,) = scan_agents(ProjectScanner(fixture("claude")))
    assert (auditor.tools, auditor.model) == (("Read", "Grep"), "haiku")


def test_an_agent_is_given_with_its_text(tmp_path: Path) -> None:
    """By the name that it states, or by its file's; a README is none."""
    text = "---\nname: Declared\n---\nYou are.\n"
    files = {".claude/agents/file.md": text, ".claude/agents/README.md": "x"}
    scanner = scan_of(tmp_path, files)
    for name in ("Declared", "declared", "file"):
        agent = find_named(scan_agents(scanner), name)
        assert agent is not None
        assert (agent.content, agent.source) == ("You are.\n", text)
        assert agent.description == "You are."
    assert find_named(scan_agents(scanner), "README") is None


def test_the_workspace_comes_before_the_home(tmp_path: Path) -> None:
    """D-110: the precedence of the table."""
    save_in_place(tmp_path / "home" / ".cursor/agents/x.md", "home")
    project = make_project(tmp_path, {".claude/agents/x.md": "here"})
    agents = scan_agents(ProjectScanner(project, tmp_path / "home"))
    assert [agent.location for agent in agents] == ["workspace", "global"]
