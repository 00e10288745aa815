"""Everything of a project at once, and further scenarios."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from support.files import save_in_place
from support.project import DIALECTS, copy_fixture, fixture, make_project, scan_of

from asdlc_kb.project.context import (
    AgentsMd,
    SchemaFiles,
    SpecFiles,
    scan_artifacts,
    scan_project,
)
from asdlc_kb.project.registry import Projects
from asdlc_kb.project.scanner import ProjectScanner

MOMENT = datetime(2026, 1, 2, 3, 4, 5, 678_900, tzinfo=UTC)

BROKEN = {"ace": ["schemas/broken.json"]}
"""Deliberate faults of the fixtures."""


def test_the_whole_context_is_given_at_once(tmp_path: Path) -> None:
    """D-100: all artifacts, timestamp, projectPath."""
    project = make_project(
        tmp_path,
        {
            ".cursor/rules/r.mdc": "rule",
            ".cursor/commands/c.md": "command",
            ".cursor/skills/s/SKILL.md": "skill",
            ".claude/agents/a.md": "agent",
            "AGENTS.md": "# A\n\n> Mission.\n",
            "specs/d/spec.md": "spec",
            "schemas/x.json": "{}",
        },
    )
    context = scan_project(project, now=MOMENT)
    assert context.project_path == "project"
    assert context.timestamp == "2026-01-02T03:04:05.678+00:00"
    lists = (context.rules, context.commands, context.skills, context.agents)
    assert [[item.name for item in items] for items in lists] == [
        *(["r"], ["c"], ["s"], ["a"])
    ]
    artifacts = context.asdlc_artifacts
    assert artifacts.agents_md.content == "# A\n\n> Mission.\n"
    assert artifacts.agents_md.meaning is not None
    assert artifacts.agents_md.meaning.mission == "Mission."
    assert [spec.domain for spec in artifacts.specs.specs] == ["d"]
    assert [schema.name for schema in artifacts.schemas.schemas] == ["x"]
    assert [guide.path for guide in artifacts.guides] == ["AGENTS.md"]
    assert artifacts.has_any_artifacts
    assert context.problems == ()


def test_a_project_without_artifacts_is_empty_and_no_error(tmp_path: Path) -> None:
    """D-023: empty lists and `exists: false`."""
    context = scan_project(make_project(tmp_path, {"README.md": "x"}))
    assert (context.rules, context.commands, context.skills, context.agents) == (
        *((), (), (), ()),
    )
    artifacts = context.asdlc_artifacts
    assert artifacts.agents_md == AgentsMd(exists=False)
    assert artifacts.specs == SpecFiles(exists=False)
    assert artifacts.schemas == SchemaFiles(exists=False)
    assert not artifacts.has_any_artifacts
    assert context.problems == ()
    assert datetime.fromisoformat(context.timestamp).tzinfo is not None


@pytest.mark.parametrize(
    ("path", "has_any"),
    [
        *(("AGENTS.md", True), ("specs/x/spec.md", True), ("schemas/x.json", True)),
        *(("CLAUDE.md", False), ("specs/README.md", False), ("a/AGENTS.md", False)),
    ],
)
def test_any_artifact_is_one(tmp_path: Path, path: str, has_any: bool) -> None:
    """`hasAnyArtifacts` is true with any of them."""
    artifacts = scan_artifacts(scan_of(tmp_path, {path: "{}"}))
    assert artifacts.has_any_artifacts is has_any


def test_an_empty_folder_exists(tmp_path: Path) -> None:
    """D-023: empty is empty, missing is missing."""
    artifacts = scan_artifacts(scan_of(tmp_path, {"specs/x": "", "schemas/x": ""}))
    assert artifacts.specs == SpecFiles(exists=True)
    assert artifacts.schemas == SchemaFiles(exists=True)


@pytest.mark.parametrize("name", DIALECTS)
def test_every_dialect_is_read_without_loss(name: str) -> None:
    """D-110: each fixture has artifacts, and no problem but the deliberate ones."""
    project = fixture(name)
    context = scan_project(project)
    assert [problem.path for problem in context.problems] == BROKEN.get(name, [])
    list_problems = {
        *(rule.path for rule in context.rules),
        *(command.path for command in context.commands),
        *(agent.path for agent in context.agents),
        *(skill.path for skill in context.skills),
        *(guide.path for guide in context.asdlc_artifacts.guides),
        *(item.path for item in context.asdlc_artifacts.schemas.schemas),
    }
    for spec in context.asdlc_artifacts.specs.specs:
        list_problems |= {spec.path, *spec.documents}
    on_disk = {
        path.relative_to(project.root).as_posix()
        for path in project.root.rglob("*")
        if path.is_file() and path.name != "README.md"
    }
    of_a_skill = {path for path in on_disk if "/skills/release-notes/" in path}
    assert list_problems | of_a_skill == on_disk - {"docs/style.md"}


def test_another_project_is_given_when_it_is_asked_for(tmp_path: Path) -> None:
    """D-021: several projects, chosen by `projectPath`."""
    for name in ("cursor", "claude"):
        copy_fixture(name, tmp_path)
    projects = Projects([tmp_path / "cursor", tmp_path / "claude"])
    path = str(tmp_path / "claude")
    for wanted, name in {None: "cursor", "claude": "claude", path: "claude"}.items():
        project = projects.resolve(wanted, accepts_paths=True)
        assert scan_project(project).project_path == name


def test_nothing_is_written(tmp_path: Path) -> None:
    """Read-only: no file, folder or time changes."""
    project = copy_fixture("claude", tmp_path)

    def state() -> list[tuple[str, int, int]]:
        stats = [(str(path), path.stat()) for path in sorted(tmp_path.rglob("*"))]
        return [(path, found.st_mtime_ns, found.st_size) for path, found in stats]

    before = state()
    scan_project(project, tmp_path / "home")
    assert state() == before


def test_every_question_is_answered_from_the_disk(tmp_path: Path) -> None:
    """D-022: saves, deletions and new files are seen at once."""
    project = make_project(tmp_path, {"AGENTS.md": "one", "specs/a/spec.md": "x"})
    assert scan_project(project).asdlc_artifacts.agents_md.content == "one"
    save_in_place(project.root / "AGENTS.md", "two")
    save_in_place(project.root / "specs/b/spec.md", "y")
    (project.root / "specs/a/spec.md").unlink()
    artifacts = scan_project(project).asdlc_artifacts
    assert artifacts.agents_md.content == "two"
    assert [spec.domain for spec in artifacts.specs.specs] == ["b"]


def test_a_project_that_is_gone_is_empty_and_told(tmp_path: Path) -> None:
    """D-069: a missing root is a fault, not a deletion."""
    project = make_project(tmp_path, {})
    project.root.rmdir()
    context = scan_project(project)
    assert context.rules == ()
    assert [problem.path for problem in context.problems] == ["."]


def test_hostile_artifacts_leave_the_others_whole(tmp_path: Path) -> None:
    """D-111: one bad file of every kind, and one good one."""
    kinds = {
        ".cursor/rules/{}.mdc",
        ".claude/commands/{}.md",
        ".claude/skills/{}/SKILL.md",
        ".cursor/agents/{}.md",
        "specs/{}/spec.md",
        "schemas/{}.json",
    }
    files: dict[str, str | bytes] = {}
    for kind in kinds:
        files[kind.format("good")] = "{}"
        files[kind.format("bad")] = b"\xff\xfe"
        files[kind.format("deep")] = (
            "---\nx: " + "[" * 10_000 + "\n---\n" + "> " * 9_999
        )
    files["AGENTS.md"] = "# A\n" + "> " * 50_000
    scanner = ProjectScanner(make_project(tmp_path, files))
    context = scan_project(scanner.project)
    artifacts = context.asdlc_artifacts
    for items in (context.rules, context.commands, context.skills, context.agents):
        assert [item.name for item in items] == ["deep", "good"]
    assert [spec.domain for spec in artifacts.specs.specs] == ["deep", "good"]
    assert [schema.name for schema in artifacts.schemas.schemas] == ["deep", "good"]
    bad = sorted(kind.format("bad") for kind in kinds)
    found = [problem.path for problem in context.problems if problem.code == "KB001"]
    assert found == bad
