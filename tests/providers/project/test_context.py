"""A whole project in one result: its content, and the omissions of large ones."""

from pathlib import Path
from typing import Any

import pytest
from support.canary import Scanner
from support.workspace import FILES, Workspace

TOOLS = ("get_asdlc_artifacts", "get_project_context")

AGENTS_MD = """# Shop

> Sell things.

## Toolchain

| Intent | Command |
| --- | --- |
| Test | `make test` |

## Judgment Boundaries

### ALWAYS

- Write tests.

### ASK FIRST

- New packages.

### NEVER

- Push to main.
"""


async def test_the_artifacts_are_told_with_counts(workspace: Workspace) -> None:
    """D-023: what is absent has `exists: false`."""
    artifacts = await workspace.ask("get_asdlc_artifacts")
    assert artifacts["agentsMd"]["exists"] is True
    assert artifacts["agentsMd"]["path"] == "AGENTS.md"
    specs, schemas = artifacts["specs"], artifacts["schemas"]
    assert (specs["exists"], specs["count"], len(specs["specs"])) == (True, 2, 2)
    assert (schemas["exists"], schemas["count"]) == (True, 1)
    assert schemas["schemas"] == [
        {
            "name": "note.schema",
            "path": "schemas/note.schema.json",
            "schemaId": "https://example.com/note",
        }
    ]
    assert artifacts["hasAnyArtifacts"] is True
    assert [guide["path"] for guide in artifacts["guides"]] == [
        "AGENTS.md",
        "web/AGENTS.md",
    ]
    assert artifacts["guides"][1]["scope"] == "web"


async def test_what_an_agents_md_means_is_told(workspace: Workspace) -> None:
    """D-108: mission, commands, boundaries and sections, next to its text."""
    workspace.write("AGENTS.md", AGENTS_MD)
    for tool in TOOLS:
        answer = await workspace.ask(tool)
        guide = answer.get("asdlcArtifacts", answer)["agentsMd"]
        assert guide["mission"] == "Sell things."
        assert guide["toolchain"] == [{"label": "Test", "text": "make test"}]
        assert guide["boundaries"] == {
            "always": ["Write tests."],
            "ask": ["New packages."],
            "never": ["Push to main."],
        }
        assert [section["title"] for section in guide["sections"]] == [
            *("Shop", "Toolchain", "Judgment Boundaries"),
            *("ALWAYS", "ASK FIRST", "NEVER"),
        ]
        assert guide["sections"][0]["startLine"] == 0
        assert guide["content"] == AGENTS_MD
        assert "personas" not in guide


async def test_imports_of_a_guide_are_named(workspace: Workspace) -> None:
    """D-024: not followed; for targets outside, existence is not revealed."""
    workspace.write(
        "CLAUDE.md", "See @docs/x.md and @../outside/rule.mdc and @web/AGENTS.md\n"
    )
    artifacts = await workspace.ask("get_asdlc_artifacts")
    (guide,) = (each for each in artifacts["guides"] if each["kind"] == "claude")
    assert guide["imports"] == [
        {"written": "docs/x.md", "line": 0, "path": "docs/x.md", "exists": False},
        {"written": "../outside/rule.mdc", "line": 0, "exists": False},
        {
            "written": "web/AGENTS.md",
            "line": 0,
            "path": "web/AGENTS.md",
            "exists": True,
        },
    ]


async def test_a_long_agents_md_comes_in_parts(workspace: Workspace) -> None:
    """Joined, they are the text."""
    text = "# Top\n\n" + "".join(f"## P{n}\n\n{'word ' * 300}\n\n" for n in range(60))
    workspace.write("AGENTS.md", text)
    parts, cursor = [], None
    for _ in range(20):
        answer = await workspace.call("get_asdlc_artifacts", cursor=cursor)
        assert len(workspace.peer.body) <= 80_000
        guide = answer["agentsMd"]
        parts.append(guide["content"])
        assert guide["characters"] == len(text)
        assert answer["specs"]["count"] == 2
        cursor = guide.get("nextCursor")
        if cursor is None:
            break
    assert len(parts) > 2
    assert "".join(parts) == text
    # The overview has the beginning, and states that there is more.
    context = await workspace.call("get_project_context")
    content = context["asdlcArtifacts"]["agentsMd"]["content"]
    assert text.startswith(content)
    assert content.endswith("\n")
    assert context["truncated"] == [
        {"part": "agentsMd.content", "shown": len(content), "total": len(text)}
    ]


def make_large(described: str, number: int) -> dict[str, str]:
    """Return a project of many artifacts with long descriptions."""
    files = dict(FILES)
    for n in range(number):
        head = f"---\ndescription: {described}\n---\n"
        files[f".cursor/rules/r{n}.mdc"] = head
        files[f".cursor/commands/c{n}.md"] = head
        files[f".cursor/skills/s{n}/SKILL.md"] = head
        files[f"specs/d{n}/spec.md"] = f"# {described}\n"
        files[f"schemas/s{n}.json"] = "{}"
        files[f"a{n}/AGENTS.md"] = "x"
    files["AGENTS.md"] = (
        "# A\n\n" + f"> {described}\n\n## Section {described}\n\n" * 300
    )
    return files


@pytest.mark.timeout(seconds=120)
@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize(
    ("described", "number"),
    [("d", 310), ("word " * 300, 60), ('"' * 2_000, 60), ("ä\\" * 600, 60)],
)
async def test_no_default_answer_is_too_large(
    tmp_path: Path, scanner: Scanner, tool: str, described: str, number: int
) -> None:
    """At most 80,000 characters, text and structure together; cuts are stated."""
    workspace = Workspace(tmp_path, scanner, make_large(described, number))
    answer = await workspace.call(tool)
    assert len(workspace.peer.body.decode()) <= 80_000
    # The budget is used; JSON escapes make a row longer than its text.
    assert len(workspace.peer.body.decode()) >= 35_000
    cuts = {cut["part"]: cut for cut in answer["truncated"]}
    shown: dict[str, Any] = {
        "rules": answer.get("rules"),
        "commands": answer.get("commands"),
        "skills": answer.get("skills"),
    }
    artifacts = answer.get("asdlcArtifacts", answer)
    shown["specs"] = artifacts["specs"]["specs"]
    shown["schemas"] = artifacts["schemas"]["schemas"]
    shown["guides"] = artifacts["guides"]
    own = {"rules": 3, "commands": 2, "skills": 3, "specs": 2, "schemas": 1}
    totals = {part: number + count for part, count in own.items()}
    # At most 300 guides are read, which a problem reports.
    totals["guides"] = min(300, number + 2)
    for part, rows in shown.items():
        if rows is not None:
            cut = cuts.get(part, {"shown": totals[part], "total": totals[part]})
            assert (cut["shown"], cut["total"]) == (len(rows), totals[part])
    assert artifacts["specs"]["count"] == number + 2
    if tool == "get_asdlc_artifacts":
        # Lists use half of the budget; the text has the rest, in parts.
        assert len(artifacts["agentsMd"]["content"]) > 3_000


async def test_a_small_project_is_told_whole(workspace: Workspace) -> None:
    """Nothing is marked `truncated`."""
    for tool in TOOLS:
        assert "truncated" not in await workspace.call(tool)
