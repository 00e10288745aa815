"""The table of places: each can be read, and says by what documentation."""

import re
from datetime import date
from pathlib import Path

import pytest
from support.project import FIXTURES

from asdlc_kb.project.instruction_places import (
    GUIDES,
    INNER_GUIDE,
    PLACES,
    RULES,
    TOOLS,
    InstructionPlace,
    find_documentation,
)
from asdlc_kb.project.link_targets import TOOL_FOLDERS, file_filter
from asdlc_kb.project.locations import ArtifactFolder, Platform
from asdlc_kb.project.rule_dialects import DIALECTS

each_place = pytest.mark.parametrize(
    "place", PLACES, ids=lambda place: f"{place.tool} {place.path}"
)


def name(place: InstructionPlace) -> str:
    """Return an example of a file in a place."""
    path = place.path.replace("*", "x")
    return f"{path}a{place.suffixes[0]}" if place.is_folder else path


@pytest.mark.parametrize(
    "place", PLACES, ids=lambda place: f"{place.tool} {place.path}"
)
def test_every_place_is_cited_and_may_be_read(place: InstructionPlace) -> None:
    """Its tool's documentation, with a date; its holder is searched for in a walk."""
    assert place.documentation.address.startswith("https://")
    assert date.fromisoformat(place.documentation.as_of) >= date(2025, 1, 1)
    assert place.dialect in DIALECTS
    path = name(place)
    folder = ArtifactFolder(FIXTURES, ".", place.tool)
    assert file_filter(folder, path, accepts_personal=True)(path) is None
    assert not place.holder or place.holder in TOOL_FOLDERS
    assert place.path not in place.unless


def test_a_nested_place_is_a_guide_or_in_a_hidden_folder() -> None:
    """Other names are not looked up in each folder."""
    for place in PLACES:
        if place.is_nested:
            assert place.holder or place.path in GUIDES


def test_rules_and_guides_are_all_places() -> None:
    """Each path once; the tools are those of the rows."""
    paths = [places[0].path for places in RULES]
    assert len(paths) == len(set(paths))
    assert {*paths, *GUIDES, INNER_GUIDE} == {place.path for place in PLACES}
    assert {place.tool for place in PLACES} == set(TOOLS)
    assert all(re.fullmatch("[a-z]+", tool) for tool in TOOLS)


@pytest.mark.parametrize(
    "place", PLACES, ids=lambda place: f"{place.tool} {place.path}"
)
def test_the_page_on_projects_lists_every_place(place: InstructionPlace) -> None:
    """In a row of its tool, with the documentation and its date."""
    page = (Path(__file__).parents[2] / "docs" / "projects.md").read_text("utf-8")
    cited = f"[{place.documentation.as_of}]({place.documentation.address})"
    rows = [row for row in page.splitlines() if row.startswith(f"| {place.tool} |")]
    nested = "**/" if place.is_nested else ""
    suffix = f"**/*{place.suffixes[0]}" if place.is_folder else ""
    path = f"`{nested}{place.path}{suffix}`"
    assert any(path in row and cited in row for row in rows)


@pytest.mark.parametrize(
    ("path", "tool", "page"),
    [
        ("AGENTS.md", "windsurf", "cascade/agents-md"),
        ("app/AGENTS.md", "windsurf", "cascade/agents-md"),
        ("app/.windsurf/rules/a/b.md", "windsurf", "cascade/memories"),
        (".roo/rules-code/a.md", "roo", "custom-instructions"),
        (".claude/rules/a.md", "copilot", "copilot/customization"),
        ("AGENTS.md", "claude", "claudemd"),
        ("docs/imported.md", "gemini", "gemini-md.md"),
        ("docs/named.md", "opencode", "opencode.ai"),
    ],
)
def test_a_file_is_documented_for_each_tool(
    path: str, tool: Platform, page: str
) -> None:
    """By the page of its place, or by the first of the tool."""
    assert page in find_documentation(path, tool).address
