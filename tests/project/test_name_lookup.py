"""Lookup by name: exact first, and never a similar one."""

from dataclasses import dataclass

import pytest

from asdlc_kb.project.name_lookup import (
    find_named,
    find_near,
    find_titled,
    read_written_name,
)


@dataclass
class Thing:
    """A value with a name and a path."""

    name: str
    path: str


@dataclass
class OfPlugin(Thing):
    """A value of a plugin."""

    plugin: str


@dataclass
class Titled(Thing):
    """A value with a title."""

    title: str | None


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
    """D-108: `mcp` is not `009-single-mcp-server`."""
    assert find_named(THINGS, wanted) is None


@pytest.mark.parametrize(
    ("written", "project", "name"),
    [
        ("style", None, "style"),
        (" style ", None, "style"),
        ("ace://rules/web%3Atest", None, "web:test"),
        ("ace://rules/style?project=my%20shop", "my shop", "style"),
        ("skill://release/SKILL.md", None, "release"),
        ("skill://~shop/release/SKILL.md", "shop", "release"),
        ("skill://release", None, "release"),
        ("/.cursor/rules/Style.mdc", None, ".cursor/rules/Style.mdc"),
        ("./specs/mcp/spec.md", None, "specs/mcp/spec.md"),
        ("Style.md", None, "Style"),
    ],
)
def test_a_name_is_read_as_models_write_it(
    written: str, project: str | None, name: str
) -> None:
    """URIs, paths and other suffixes; the name as given comes first."""
    found = read_written_name(written)
    assert found.names[0] == written
    assert name in found.names
    assert found.project == project


def test_a_title_is_found_if_it_is_that_of_one_artifact() -> None:
    """In any case; several files of one name are one artifact."""
    things = [
        Titled("a", "a.md", "The Same"),
        Titled("b", "b.md", "The Same"),
        Titled("c", "c.md", "Another"),
        Titled("c", "ui/c.md", "Another"),
        Titled("d", "d.md", None),
    ]
    assert find_titled(things, "another  ") is things[2]
    assert find_titled(things, "the same") is None
    assert find_titled(things, "") is None
    assert find_titled(THINGS, "style") is None


def test_near_names_are_names_of_artifacts() -> None:
    """By name, file name or title."""
    assert find_near(THINGS, "web-tests") == ("web:test",)
    assert find_near([Titled("x1", "x1.md", "Release notes")], "relase notes") == (
        "x1",
    )
    assert find_near(THINGS, "kubernetes") == ()


@pytest.mark.parametrize(
    ("wanted", "path"),
    [
        ("power:plan", "plugins/power/skills/plan/SKILL.md"),
        ("plan", ".claude/skills/plan/SKILL.md"),
        ("skills/plan", ".claude/skills/plan/SKILL.md"),
        ("power/skills/plan", "plugins/power/skills/plan/SKILL.md"),
        ("tower:plan", None),
        ("power:pla", None),
        (":plan", None),
        ("skills", None),
    ],
)
def test_a_plugin_or_folder_before_the_name_selects(
    wanted: str, path: str | None
) -> None:
    """Claude Code names the skills of plugins `plugin:skill`."""
    things = [
        Thing("plan", ".claude/skills/plan/SKILL.md"),
        OfPlugin("plan", "plugins/power/skills/plan/SKILL.md", "power"),
    ]
    found = find_named(things, wanted)
    assert (found and found.path) == path
