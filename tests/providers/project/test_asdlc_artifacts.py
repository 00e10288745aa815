"""The AGENTS.md of a project with its meaning, and the artifacts next to it."""

from pathlib import Path

import pytest
from support.canary import Scanner
from support.large_project import DESCRIPTIONS, list_totals, make_large
from support.workspace import Workspace

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
    """D-110: mission, commands, boundaries and sections, next to its text."""
    workspace.write("AGENTS.md", AGENTS_MD)
    guide = (await workspace.ask("get_asdlc_artifacts"))["agentsMd"]
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
    for _ in range(30):
        answer = await workspace.call("get_asdlc_artifacts", cursor=cursor)
        text_of_answer = await workspace.text("get_asdlc_artifacts", cursor=cursor)
        assert len(text_of_answer) <= 10_000
        guide = answer["agentsMd"]
        parts.append(guide["content"])
        assert guide["characters"] == len(text)
        assert answer["specs"]["count"] == 2
        cursor = guide.get("nextCursor")
        if cursor is None:
            break
    assert len(parts) > 2
    assert "".join(parts) == text


async def test_a_guide_with_several_paths_is_listed_once(workspace: Workspace) -> None:
    """With the other paths."""
    (workspace.root / "CLAUDE.md").symlink_to("AGENTS.md")
    artifacts = await workspace.ask("get_asdlc_artifacts")
    assert [(guide["path"], guide.get("alsoIn")) for guide in artifacts["guides"]] == [
        ("AGENTS.md", ["CLAUDE.md"]),
        ("web/AGENTS.md", None),
    ]


@pytest.mark.timeout(seconds=120)
@pytest.mark.parametrize(("described", "number"), DESCRIPTIONS)
async def test_no_default_answer_is_too_large(
    tmp_path: Path, scanner: Scanner, described: str, number: int
) -> None:
    """At most 10,000 characters; cuts are stated in both forms."""
    workspace = Workspace(tmp_path, scanner, make_large(described, number))
    answer = await workspace.call("get_asdlc_artifacts")
    text = await workspace.text("get_asdlc_artifacts")
    # The budget is used: half for the lists, the rest for the text.
    assert 6_500 <= len(text) <= 10_000
    cuts = {cut["part"]: (cut["shown"], cut["total"]) for cut in answer["truncated"]}
    totals = list_totals(number)
    note = await workspace.note("get_asdlc_artifacts")
    for part in ("specs", "schemas", "guides"):
        rows = answer["guides"] if part == "guides" else answer[part][part]
        assert cuts.get(part, (totals[part],) * 2) == (len(rows), totals[part])
        if part in cuts:
            assert f"{len(rows)} of {totals[part]} {part}" in note
    assert answer["specs"]["count"] == totals["specs"]
    assert len(answer["agentsMd"]["content"]) > 500
    assert answer["agentsMd"]["nextCursor"] in note
    assert "The rest: list_specs or a larger max_chars." in note


async def test_a_small_project_is_told_whole(workspace: Workspace) -> None:
    """Nothing is left out, so there is no second text."""
    assert "truncated" not in await workspace.call("get_asdlc_artifacts")
    assert await workspace.note("get_asdlc_artifacts") == ""
