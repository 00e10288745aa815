"""The context of a project: its guide first, then short lists, and what is left out."""

import json
from pathlib import Path

import pytest
from support.canary import Scanner
from support.large_project import DESCRIPTIONS, list_totals, make_large
from support.workspace import FILES, Workspace

TOOL = "get_project_context"


async def test_the_guide_comes_first_and_lists_are_short(workspace: Workspace) -> None:
    """A name and a line for each; what can be requested otherwise is not repeated."""
    text = await workspace.text(TOOL)
    assert list(json.loads(text)) == [
        *("projectPath", "timestamp", "instructions", "rules", "commands", "skills"),
        *("agents", "asdlcArtifacts"),
    ]
    context = await workspace.ask(TOOL)
    assert context["instructions"]["content"] == FILES["AGENTS.md"]
    assert context["rules"][1] == {
        "name": "security",
        "description": "Keep: secrets out",
        "type": "glob",
        "activation": "auto-attached",
        "globs": ["**/*.py"],
    }
    assert context["skills"][0] == {
        "name": "create-plan",
        "description": "Plans. Use before work.",
    }
    assert context["agents"] == [
        {
            "name": "auditor",
            "description": "Audits",
            "path": ".claude/agents/auditor.md",
        }
    ]
    artifacts = context["asdlcArtifacts"]
    assert artifacts["specs"]["specs"][1] == {"name": "login", "description": "Login"}
    assert artifacts["schemas"]["schemas"] == [
        {"name": "note.schema", "path": "schemas/note.schema.json"}
    ]
    assert artifacts["guides"] == ["web/AGENTS.md"]


async def test_a_name_that_two_artifacts_have_comes_with_paths(
    workspace: Workspace,
) -> None:
    """Each can be requested."""
    workspace.write(".claude/rules/house.md", "x")
    rules = (await workspace.ask(TOOL))["rules"]
    assert [(rule["name"], rule.get("path")) for rule in rules] == [
        ("house", ".cursor/rules/house.mdc"),
        ("security", None),
        ("house", ".claude/rules/house.md"),
        ("style", None),
    ]


async def test_without_an_agents_md_the_guide_is_claude_md(
    workspace: Workspace,
) -> None:
    """An AGENTS.md has precedence; a linked one is named once."""
    (workspace.root / "CLAUDE.md").symlink_to("AGENTS.md")
    context = await workspace.ask(TOOL)
    assert context["instructions"]["path"] == "AGENTS.md"
    assert context["instructions"]["alsoIn"] == ["CLAUDE.md"]
    (workspace.root / "AGENTS.md").unlink()
    (workspace.root / "CLAUDE.md").unlink()
    assert "instructions" not in await workspace.ask(TOOL)
    workspace.write("CLAUDE.md", "Only here.\n")
    context = await workspace.ask(TOOL)
    instructions = {"path": "CLAUDE.md", "content": "Only here.\n"}
    assert context["instructions"] == instructions
    assert context["asdlcArtifacts"]["agentsMd"] == {"exists": False}


@pytest.mark.parametrize("name", ["AGENTS.md", "CLAUDE.md"])
async def test_a_guide_is_whole_up_to_8000_characters(
    workspace: Workspace, name: str
) -> None:
    """With code and quotes too; the rest of a longer one is at the cursor."""
    lines = [f'- Run `make "{number}"` first.\n' for number in range(1_000)]
    (workspace.root / "AGENTS.md").unlink()
    whole = "".join(lines)[:8_000]
    workspace.write(name, whole)
    assert (await workspace.ask(TOOL))["instructions"]["content"] == whole
    assert await workspace.note(TOOL) == ""
    text = "# Top\n\n" + "".join(f"## P{n}\n\n{'word ' * 99}\n\n" for n in range(60))
    workspace.write(name, text)
    start = (await workspace.ask(TOOL))["instructions"]["content"]
    assert text.startswith(start)
    assert 6_000 < len(start) <= 8_000
    note = await workspace.note(TOOL)
    shown = f"{name}: {len(start):,} of {len(text):,} characters. Next: get_artifact"
    assert note.startswith(f'{shown} with path "{name}" and cursor "')
    cursor = note.split('cursor "')[1].split('"')[0]
    rest = await workspace.text(
        "get_artifact", path=name, cursor=cursor, max_chars=80_000
    )
    assert start + rest == text


async def test_a_guide_of_one_line_is_read_where_its_text_is(
    workspace: Workspace,
) -> None:
    """The cursor belongs to that file."""
    (workspace.root / "AGENTS.md").unlink()
    workspace.write("web/AGENTS.md", "word " * 5_000)
    workspace.write("CLAUDE.md", "@web/AGENTS.md\n")
    assert 'get_artifact with path "web/AGENTS.md"' in await workspace.note(TOOL)


@pytest.mark.timeout(seconds=120)
@pytest.mark.parametrize(("described", "number"), DESCRIPTIONS)
async def test_no_default_answer_is_too_large(
    tmp_path: Path, scanner: Scanner, described: str, number: int
) -> None:
    """At most 16,000 characters; cuts are stated in both forms."""
    workspace = Workspace(tmp_path, scanner, make_large(described, number))
    context = await workspace.call(TOOL)
    assert 12_000 <= len(await workspace.text(TOOL)) <= 16_000
    cuts = {cut["part"]: (cut["shown"], cut["total"]) for cut in context["truncated"]}
    artifacts, totals = context["asdlcArtifacts"], list_totals(number)
    note = await workspace.note(TOOL)
    for part in ("rules", "commands", "skills", "specs", "schemas"):
        rows = artifacts[part][part] if part in artifacts else context[part]
        assert cuts[part] == (len(rows), totals[part])
        assert f"{len(rows)} of {totals[part]} {part}" in note
    assert "The rest: list_rules, list_commands, list_skills, list_specs or" in note
    shown = len(context["instructions"]["content"])
    assert cuts.get("instructions", (shown,))[0] == shown
    large = await workspace.text(TOOL, max_chars=80_000)
    assert 35_000 < len(large) <= 80_000


async def test_problems_are_said(workspace: Workspace) -> None:
    """In the second text; structured content has them all."""
    workspace.write(".cursor/rules/bad.mdc", b"\xff\xfe")
    assert await workspace.note(TOOL) == (
        "1 problem (asdlc-kb check --project shows all): .cursor/rules/bad.mdc: "
        "not UTF-8 at byte 0: save it as UTF-8."
    )
    assert "problems" not in await workspace.ask(TOOL)
    (problem,) = (await workspace.call(TOOL))["problems"]
    assert problem["path"] == ".cursor/rules/bad.mdc"


async def test_a_small_project_is_told_whole(workspace: Workspace) -> None:
    """Nothing is left out, so there is no second text."""
    assert "truncated" not in await workspace.call(TOOL)
    assert await workspace.note(TOOL) == ""
