"""Files are written once, and only those that were generated."""

import os
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.files import save_in_place
from support.project import make_project

from asdlc_kb.exceptions import UnreadableFile
from asdlc_kb.project.registry import Project
from asdlc_kb.project.rule_dialects import Activation
from asdlc_kb.project.rules import scan_rules
from asdlc_kb.project.scanner import ProjectScanner
from asdlc_kb.project.sync.headers import RuleFields, write_header
from asdlc_kb.project.sync.plan import SyncPlan, apply_plan, plan_sync
from asdlc_kb.project.sync.targets import SYNC_TOOLS

ALL = [name for name in SYNC_TOOLS if name != "cursor"]
FILES = {
    ".cursor/rules/house.mdc": "---\nalwaysApply: true\n---\nTabs.\n",
    ".cursor/rules/ts.mdc": "---\nglobs: app/**/*.ts\n---\nTypes.\n",
    ".cursor/rules/db.mdc": "---\ndescription: Migrations\n---\nRun it.\n",
    "app/.cursor/rules/a.mdc": "---\nalwaysApply: true\n---\nApp.\n",
}


def plan(project: Project, source: str = "cursor", *targets: str) -> SyncPlan:
    """Return the plan for some tools, or for all others."""
    tools = [SYNC_TOOLS[name] for name in targets or ALL]
    return plan_sync(ProjectScanner(project), SYNC_TOOLS[source], tools)


def sync(project: Project, source: str = "cursor", *targets: str) -> SyncPlan:
    """Apply the plan; return it."""
    made = plan(project, source, *targets)
    apply_plan(made)
    return made


def read_all(root: Path) -> Mapping[str, bytes]:
    """Return the files of a project."""
    files = (path for path in root.rglob("*") if path.is_file())
    return {str(path.relative_to(root)): path.read_bytes() for path in files}


def actions(made: SyncPlan) -> list[tuple[str, str]]:
    """Return the action for each path."""
    return [(change.path, change.action) for change in made.changes]


def test_a_second_run_changes_nothing(tmp_path: Path) -> None:
    """And removing the sources restores every file, byte for byte."""
    people = {
        "AGENTS.md": "# Ours\r\n",
        "app/AGENTS.md": "no line end",
        "GEMINI.md": "\ufeff# Ours\n",
        ".claude/rules/own.md": "Own.\n",
    }
    project = make_project(tmp_path, {**FILES, **people})
    before = read_all(project.root)
    made = sync(project)
    assert {change.action for change in made.changes} == {"create", "update"}
    assert made.is_complete
    after = read_all(project.root)
    assert len(after) > len(before) + 10
    assert not any(name.endswith((".bak", ".new")) for name in after)
    assert plan(project).changes == []
    for path in FILES:
        (project.root / path).unlink()
    assert {one.action for one in sync(project).changes} == {"remove", "update"}
    left = {path: text for path, text in before.items() if path not in FILES}
    assert read_all(project.root) == left


def test_a_changed_source_updates_what_it_made(tmp_path: Path) -> None:
    """A rule that was renamed is moved."""
    project = make_project(tmp_path, FILES)
    sync(project, "cursor", "claude", "agents")
    house = project.root / ".cursor/rules/house.mdc"
    house.write_text(FILES[".cursor/rules/house.mdc"].replace("Tabs", "Blanks"))
    house.rename(house.with_name("style.mdc"))
    assert actions(sync(project, "cursor", "claude", "agents")) == [
        (".claude/rules/house.md", "remove"),
        (".claude/rules/style.md", "create"),
        ("AGENTS.md", "update"),
    ]
    assert b"Blanks" in read_all(project.root)["AGENTS.md"]


def test_files_of_people_stop_everything(tmp_path: Path) -> None:
    """Nothing is written, and each of them is named."""
    own = {".claude/rules/house.md": "mine\n", ".clinerules": "one file\n"}
    project = make_project(tmp_path, {**FILES, **own})
    before = read_all(project.root)
    made = plan(project)
    assert made.has_conflicts
    reasons = {one.path: one.reason for one in made.changes if one.original is None}
    assert reasons[".claude/rules/house.md"] == (
        "the file is there, not generated: rename or remove it"
    )
    assert ".clinerules is a file" in reasons[".clinerules/house.md"]
    assert read_all(project.root) == before


def test_files_generated_from_another_tool_are_not_taken_over(tmp_path: Path) -> None:
    """Each tool removes its own only."""
    windsurf = {".windsurf/rules/house.md": "---\ntrigger: always_on\n---\nW.\n"}
    project = make_project(tmp_path, windsurf)
    sync(project, "windsurf", "claude")
    for path, text in FILES.items():
        save_in_place(project.root / path, text)
    made = plan(project, "cursor", "claude")
    assert (".claude/rules/house.md", "conflict") in actions(made)
    assert any("generated from windsurf" in change.reason for change in made.changes)
    (project.root / ".cursor/rules/house.mdc").unlink()
    assert not sync(project, "cursor", "claude").has_conflicts
    assert (project.root / ".claude/rules/house.md").read_text().endswith("W.\n")


def test_edited_files_are_kept(tmp_path: Path) -> None:
    """And reported, whether their source changed or is gone; the rest is written."""
    project = make_project(tmp_path, FILES)
    sync(project, "cursor", "claude", "agents")
    for path in (".claude/rules/house.md", "AGENTS.md"):
        file = project.root / path
        file.write_text(file.read_text().replace("Tabs", "Blanks"))
    (project.root / ".cursor/rules/house.mdc").unlink()
    save_in_place(
        project.root / ".cursor/rules/new.mdc", FILES[".cursor/rules/house.mdc"]
    )
    made = sync(project, "cursor", "claude", "agents")
    assert actions(made) == [
        (".claude/rules/house.md", "keep"),
        (".claude/rules/new.md", "create"),
        ("AGENTS.md", "keep"),
    ]
    assert not made.is_complete
    assert b"Blanks" in read_all(project.root)["AGENTS.md"]


@pytest.mark.parametrize("link", [".claude", ".claude/rules", "AGENTS.md", "GEMINI.md"])
def test_no_link_is_followed(tmp_path: Path, link: str) -> None:
    """Whether it leads to a file or a folder, into the project or out of it."""
    project = make_project(tmp_path, FILES)
    is_file = link.endswith(".md")
    outside = tmp_path / ("outside.md" if is_file else "outside")
    if is_file:
        outside.write_text("mine")
    else:
        outside.mkdir()
    path = project.root / link
    path.parent.mkdir(exist_ok=True)
    path.symlink_to(outside)
    made = plan(project, "cursor", "claude", "agents", "gemini")
    assert made.has_conflicts
    assert any("is a link" in change.reason for change in made.changes)
    assert outside.is_dir() or outside.read_text() == "mine"


def test_a_file_that_changes_after_the_plan_is_not_replaced(tmp_path: Path) -> None:
    """Nor one that was created meanwhile."""
    project = make_project(tmp_path, {**FILES, "AGENTS.md": "A\n"})
    made = plan(project, "cursor", "agents")
    (project.root / "AGENTS.md").write_text("other text\n")
    with pytest.raises(UnreadableFile, match="changed meanwhile"):
        apply_plan(made)
    assert (project.root / "AGENTS.md").read_text() == "other text\n"


def test_what_cannot_be_read_is_a_conflict(tmp_path: Path) -> None:
    """A guide that is no text, and a damaged block."""
    damaged = "<!-- End of the rules from cursor -->\n"
    files: Mapping[str, str | bytes] = {
        **FILES,
        "AGENTS.md": b"\xff\xfe\x00",
        "GEMINI.md": damaged,
    }
    project = make_project(tmp_path, files)
    made = plan(project, "cursor", "agents", "gemini")
    reasons = [one.reason for one in made.changes if one.action == "conflict"]
    assert len(reasons) == 2
    assert "UTF-8" in reasons[0]
    assert "generated block is damaged" in reasons[1]


def test_two_rules_for_one_file_are_a_conflict(tmp_path: Path) -> None:
    """Names of subfolders are part of the name of the file."""
    rule = "---\nalwaysApply: true\n---\nText.\n"
    files = {".cursor/rules/a/b.mdc": rule, ".cursor/rules/a-b.mdc": rule}
    made = plan(make_project(tmp_path, files), "cursor", "claude")
    assert made.has_conflicts
    assert "would be written there" in made.changes[0].reason + made.changes[1].reason


def test_tools_that_read_the_same_file_are_named(tmp_path: Path) -> None:
    """The source may be one of them; AGENTS.md is written once for two tools."""
    project = make_project(tmp_path, FILES)
    made = plan(project, "cursor", "agents", "codex", "claude", "copilot")
    twice = "read there too, so the rules are read twice"
    assert {note[0]: "" for note in made.notes if note.text == twice} == {
        ".claude/rules/": "",
        "AGENTS.md": "",
    }
    readers = [note.tool for note in made.notes if note.path == "AGENTS.md"]
    assert sorted(readers) == ["claude", "copilot", "cursor"]
    assert [path for path, _ in actions(made)].count("AGENTS.md") == 1


def test_a_guide_in_a_hidden_or_linked_folder_is_written_above(tmp_path: Path) -> None:
    """Where its tool finds it."""
    rule = "---\nglobs: GLOB\nalwaysApply: false\n---\nText.\n"
    files = {
        f".cursor/rules/{number}.mdc": rule.replace("GLOB", glob)
        for number, glob in enumerate(["link/**", ".hidden/**", "node_modules/a/**"])
    }
    project = make_project(tmp_path, {**files, ".hidden/a": "", "node_modules/a/b": ""})
    os.symlink(tmp_path, project.root / "link")
    assert actions(plan(project, "cursor", "agents")) == [("AGENTS.md", "create")]


def test_a_guide_is_written_where_a_scan_of_the_project_finds_it(
    tmp_path: Path,
) -> None:
    """Not deeper."""
    deep = "/".join("abcdefghijklmnop")
    rule = f"---\nglobs: {deep}/**\nalwaysApply: false\n---\nText.\n"
    files = {".cursor/rules/a.mdc": rule, f"{deep}/x": ""}
    project = make_project(tmp_path, files)
    (path, _), *_ = actions(sync(project, "cursor", "agents"))
    assert path == "a/b/c/d/e/f/g/h/i/j/k/AGENTS.md"
    (project.root / ".cursor/rules/a.mdc").unlink()
    assert actions(plan(project, "cursor", "agents")) == [(path, "remove")]


NAMES = st.from_regex(r"[a-z][a-z0-9-]{0,8}", fullmatch=True)
GLOBS = st.lists(
    st.sampled_from(
        ["**/*.ts", "src/**", "a/b/*.md", "**", "docs/**/x.?", "lib/[ab]/*"]
    ),
    min_size=1,
    max_size=3,
    unique=True,
).map(tuple)
TEXTS = st.lists(
    st.sampled_from(["# Title", "Text: `code` #1", "---", "", "- item", '*ä* "q"']),
    min_size=1,
    max_size=5,
).map(lambda lines: "Begin\n" + "\n".join(lines) + "\nEnd")
ACTIVATIONS: st.SearchStrategy[Activation] = st.sampled_from(
    ["always", "auto-attached", "agent-requested", "manual"]
)
ALIKE = ("**/*.ts", "a/b/*.md", "docs/**/x.?")
"""Those that Claude Code reads as the others do."""
RULE_FILES = [name for name, tool in SYNC_TOOLS.items() if tool.rules]


@settings(max_examples=60)
@given(
    st.sampled_from(RULE_FILES),
    st.sampled_from(RULE_FILES),
    st.dictionaries(NAMES, st.tuples(ACTIVATIONS, GLOBS, TEXTS), max_size=4),
)
def test_a_converted_rule_is_read_as_its_source(
    tmp_path_factory: pytest.TempPathFactory,
    source: str,
    target: str,
    rules: dict[str, tuple[Activation, tuple[str, ...], str]],
) -> None:
    """Activation, patterns and text by our own reader, where the tool has them."""
    wrote, reads = SYNC_TOOLS[source], SYNC_TOOLS[target]
    place, other = wrote.rules, reads.rules
    assert place is not None
    assert other is not None
    if source == target or {place.tool, other.tool} == {"claude", "copilot"}:
        return
    files = {}
    expected = {}
    for name, (activation, globs, text) in rules.items():
        if activation not in wrote.activations:
            continue
        if "claude" in (source, target):
            globs = tuple(one for one in globs if one in ALIKE) or ALIKE
        fields = RuleFields(
            name=name, activation=activation, globs=globs, description=f"About {name}"
        )
        path = f"{place.path}{name}{place.suffixes[0]}"
        files[path] = f"{write_header(place.dialect, fields)}{text}\n"
        if activation in reads.activations:
            found = globs if activation == "auto-attached" else None
            expected[name] = (activation, found, text)
    project = make_project(tmp_path_factory.mktemp("trip"), files)
    assert not sync(project, source, target).has_conflicts
    again = ProjectScanner(project)
    read = {
        rule.name: (rule.activation, rule.globs, rule.content.split("\n", 1)[1].strip())
        for rule in scan_rules(again)
        if rule.path.startswith(other.path) and rule.name in rules
    }
    assert read == expected
    assert plan(project, source, target).changes == []
