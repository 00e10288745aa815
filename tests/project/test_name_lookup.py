"""Lookup by name: exact first, and never a similar one."""

from dataclasses import dataclass

import pytest

from asdlc_kb.project.name_lookup import find_named


@dataclass
class Thing:
    """A value with a name and a path."""

    name: str
    path: str


THINGS = [
    Thing("009-single-mcp-server", "specs/009-single-mcp-server/spec.md"),
    Thing("Style", ".cursor/rules/Style.mdc"),
    Thing("style", ".claude/rules/style.md"),
    Thing("web:test", ".claude/commands/web/test.md"),
    Thing("mcp", "specs/mcp/spec.md"),
    Thing("react", "ui/.cursor/rules/react.mdc"),
    Thing("react", "app/.cursor/rules/react.mdc"),
]


@pytest.mark.parametrize(
    ("wanted", "path"),
    [
        ("mcp", "specs/mcp/spec.md"),
        ("style", ".claude/rules/style.md"),
        ("STYLE", ".cursor/rules/Style.mdc"),
        ("test", ".claude/commands/web/test.md"),
        ("Web:Test", ".claude/commands/web/test.md"),
        ("web/test", ".claude/commands/web/test.md"),
        ("web/test.md", ".claude/commands/web/test.md"),
        ("react", "ui/.cursor/rules/react.mdc"),
        ("app/.cursor/rules/react.mdc", "app/.cursor/rules/react.mdc"),
        ("rules/style", ".cursor/rules/Style.mdc"),
    ],
)
def test_a_thing_is_found_by_name_or_path(wanted: str, path: str) -> None:
    """Exact, then any case, then the end of a path; the first in order of each."""
    found = find_named(THINGS, wanted)
    assert found is not None
    assert found.path == path


@pytest.mark.parametrize("wanted", ["", "single", "sty", "yle", "/", ".md", "x/style"])
def test_a_part_of_a_name_finds_nothing(wanted: str) -> None:
    """D-107: `mcp` is not `009-single-mcp-server`."""
    assert find_named(THINGS, wanted) is None
