"""Instructions of a user's home directory, which tools read in every project."""

from datetime import date
from pathlib import Path

import pytest
from support.files import save_in_place
from support.project import make_project

from asdlc_kb.project.applicability import rules_for_path
from asdlc_kb.project.instruction_places import TOOLS, USER_PLACES, InstructionPlace
from asdlc_kb.project.readable_files import find_readable
from asdlc_kb.project.rule_dialects import DIALECTS
from asdlc_kb.project.rules import scan_rules
from asdlc_kb.project.scanner import ProjectScanner
from asdlc_kb.project.user_instructions import list_user_instructions

PROJECT = {"CLAUDE.md": "Ours.\n", ".claude/rules/a.md": "Always.\n"}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """An empty home directory."""
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


@pytest.fixture
def opened(tmp_path: Path, home: Path) -> ProjectScanner:
    """A scanner of a project, and of the home directory."""
    return ProjectScanner(make_project(tmp_path, PROJECT), home)


def name(place: InstructionPlace) -> str:
    """Return an example of a file in a place."""
    return f"{place.path}a{place.suffixes[0]}" if place.is_folder else place.path


def applying(opened: ProjectScanner) -> list[tuple[str, tuple[str, ...]]]:
    """Return the paths and tools of what applies from the home directory."""
    return [
        (rule.path, rule.tools)
        for rule in rules_for_path(opened, "src/a.py")
        if rule.path.startswith("~/")
    ]


each_place = pytest.mark.parametrize(
    "place", USER_PLACES, ids=lambda place: f"{place.tool} {place.path}"
)


@each_place
def test_a_file_in_every_place_applies_and_can_be_read(
    opened: ProjectScanner, home: Path, place: InstructionPlace
) -> None:
    """For its tool, under a path that shows where it is."""
    save_in_place(home / name(place), "Mine.\n")
    shown = f"~/{name(place)}"
    [(path, tools)] = applying(opened)
    assert path == shown
    assert place.tool in tools
    readable = find_readable(opened, shown)
    assert readable is not None
    assert readable.read(opened) == "Mine.\n"


@each_place
def test_every_place_is_cited(place: InstructionPlace) -> None:
    """With a date, in the code and in a row of the page on projects."""
    assert place.tool in TOOLS
    assert place.dialect in DIALECTS
    documentation = place.documentation
    assert date.fromisoformat(documentation.as_of) >= date(2025, 1, 1)
    page = (Path(__file__).parents[2] / "docs" / "projects.md").read_text("utf-8")
    cited = f"[{documentation.as_of}]({documentation.address})"
    suffix = f"**/*{place.suffixes[0]}" if place.is_folder else ""
    path = f"`~/{place.path}{suffix}`"
    rows = [row for row in page.splitlines() if row.startswith(f"| {place.tool} |")]
    assert any(path in row and cited in row for row in rows)


def test_the_project_s_own_come_first(opened: ProjectScanner, home: Path) -> None:
    """Of the same reason; and the phrase says that it is for every project."""
    save_in_place(home / ".claude/CLAUDE.md", "Mine.\n")
    found = [(rule.path, rule.why) for rule in rules_for_path(opened, "a.py")]
    assert found == [
        ("CLAUDE.md", "for all in the project"),
        (".claude/rules/a.md", "always attached in the project"),
        ("~/.claude/CLAUDE.md", "always attached in every project"),
    ]


def test_a_rule_of_the_user_may_have_patterns(
    opened: ProjectScanner, home: Path
) -> None:
    """They are those of its tool's rules in a project."""
    save_in_place(home / ".claude/rules/py.md", "---\npaths: '**/*.py'\n---\nx\n")
    assert applying(opened) == [("~/.claude/rules/py.md", ("claude",))]
    assert not [r for r in rules_for_path(opened, "a.ts") if r.path.startswith("~")]


def test_a_place_gives_way_to_another(opened: ProjectScanner, home: Path) -> None:
    """Codex reads one file; opencode reads Claude's without one of its own."""
    save_in_place(home / ".codex/AGENTS.md", "Base.\n")
    save_in_place(home / ".claude/CLAUDE.md", "Claude's.\n")
    before = dict(applying(opened))
    assert before["~/.codex/AGENTS.md"] == ("codex",)
    assert before["~/.claude/CLAUDE.md"] == ("claude", "copilot", "opencode")
    save_in_place(home / ".codex/AGENTS.override.md", "Other.\n")
    save_in_place(home / ".config/opencode/AGENTS.md", "Opencode's.\n")
    again = ProjectScanner(opened.project, home)
    after = dict(applying(again))
    assert "~/.codex/AGENTS.md" not in after
    assert after["~/.codex/AGENTS.override.md"] == ("codex",)
    assert after["~/.claude/CLAUDE.md"] == ("claude", "copilot")


def test_nothing_is_read_without_a_home_directory(
    opened: ProjectScanner, home: Path
) -> None:
    """As over HTTP: a user's files are for that user."""
    save_in_place(home / ".claude/CLAUDE.md", "Mine.\n")
    without = ProjectScanner(opened.project)
    assert not list(list_user_instructions(without))
    assert not applying(without)
    assert find_readable(without, "~/.claude/CLAUDE.md") is None


def test_they_are_not_among_the_rules_of_the_project(
    opened: ProjectScanner, home: Path
) -> None:
    """Lists of a project are the same for all its users."""
    save_in_place(home / ".claude/rules/a.md", "Mine.\n")
    assert [rule.path for rule in scan_rules(opened)] == [".claude/rules/a.md"]


def test_a_link_out_of_the_tool_s_folder_is_not_followed(
    opened: ProjectScanner, home: Path
) -> None:
    """A key is not read, whatever links to it."""
    save_in_place(home / ".ssh/id_rsa", "KEY\n")
    (home / ".claude").mkdir()
    (home / ".claude/CLAUDE.md").symlink_to(home / ".ssh/id_rsa")
    assert not applying(opened)


def test_a_folder_of_the_project_may_be_called_like_a_home(tmp_path: Path) -> None:
    """Where a file is from is known, not guessed from how its path looks."""
    project = make_project(tmp_path, {"~/AGENTS.md": "Ours.\n"})
    [rule] = rules_for_path(ProjectScanner(project), "~/a.py")
    assert (rule.path, rule.why) == ("~/AGENTS.md", "for all in ~/")
