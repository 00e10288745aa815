"""Problems with a project's artifacts, reported to their authors."""

import os
from pathlib import Path

import pytest
from support.project import fixture, make_project

from asdlc_kb.articles import checks as of_articles
from asdlc_kb.project.checks import ADVICE, CODES, check_project
from asdlc_kb.project.project_fixes import plan_fixes
from asdlc_kb.project.served_skills import MAX_BYTES, MAX_FILES


def codes(folder: Path, path: str, text: str | bytes) -> list[str]:
    """Return the codes of the problems of a project with one file."""
    return [
        problem.code for problem in check_project(make_project(folder, {path: text}))
    ]


@pytest.mark.parametrize(
    ("header", "fields"),
    [
        ("name: x", "'description'"),
        ("description: d", "'name'"),
        ("model: haiku", "'name' and 'description'"),
    ],
)
def test_an_agent_that_claude_code_does_not_read_is_reported(
    tmp_path: Path, header: str, fields: str
) -> None:
    """Once, with links to it: both fields are required."""
    path = ".claude/agents/x.md"
    project = make_project(tmp_path, {path: f"---\n{header}\n---\nYou are.\n"})
    (project.root / ".claude/agents/y.md").symlink_to("x.md")
    (problem,) = check_project(project)
    message = f"Claude Code does not read an agent without {fields}: add it"
    assert (problem.path, problem.code) == (path, "KB044")
    assert problem.message == message


def test_codes_mean_one_thing() -> None:
    """In projects and among articles."""
    assert not CODES.keys() & of_articles.CODES.keys()
    assert CODES.keys() >= ADVICE


def test_strict_faults_of_a_dialect_are_told_with_their_place() -> None:
    """D-025: files that strict tools would lose; Cursor's own are often such."""
    problems = check_project(fixture("cursor"))
    assert [(p.path, p.line, p.code) for p in problems if p.code == "KB040"] == [
        (".cursor/rules/security.mdc", 2, "KB040"),
    ]
    problems = check_project(fixture("claude"))
    assert [(p.path, p.code) for p in problems if p.code == "KB040"] == [
        (".claude/commands/fix-issue.md", "KB040"),
        (".claude/rules/web/components.md", "KB040"),
        (".claude/skills/release-notes/SKILL.md", "KB040"),
    ]


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        (".cursor/rules/x.mdc", f'---\nglobs: "{"{a,b}" * 9}"\n---\nx', ["KB041"]),
        ("schemas/x.json", "{", ["KB042"]),
        ("AGENTS.md", b"\xff", ["KB001"]),
        (".cursor/commands/x.md", "a\u200bb", ["KB015"]),
        ("specs/x/spec.md", "---\na: b: c\n---\n", ["KB040"]),
        (".claude/agents/x.md", "---\na: b: c\n---\n", ["KB044", "KB040"]),
        (".claude/agents/x.md", "---\nname: x\ndescription: d\n---\n", []),
        ("testdata/.claude/agents/x.md", "x", []),
        (".cursor/agents/x.md", "x", []),
        (".cursor/rules/x.mdc", '---\nglobs: "!**/*.{a,b}"\n---\nx', []),
        ("README.md", b"\xff", []),
    ],
)
def test_every_kind_of_artifact_is_checked(
    tmp_path: Path, path: str, text: str | bytes, expected: list[str]
) -> None:
    """By its own scanner's problems, and by those of strict tools."""
    assert codes(tmp_path, path, text) == expected


def test_a_skill_that_hosts_need_not_take_is_told(tmp_path: Path) -> None:
    """SEP-2640, limits: more than 512 files or 16 MiB; it is served all the same."""
    text = "---\nname: x\ndescription: d\n---\n"
    project = make_project(tmp_path, {".claude/skills/x/SKILL.md": text})
    folder = project.root / ".claude" / "skills" / "x"
    for number in range(MAX_FILES - 1):
        (folder / f"{number}").touch()
    assert check_project(project) == ()
    os.truncate(folder / "0", MAX_BYTES)
    (problems,) = check_project(project)
    message = "it has more than 512 files or 16 MiB: make it smaller"
    assert (problems.code, problems.message) == ("KB043", message)
    (folder / "0").write_bytes(b"")
    (folder / "more").touch()
    assert [problem.code for problem in check_project(project)] == ["KB043"]


def test_all_problems_of_a_project_are_told_in_path_order(tmp_path: Path) -> None:
    """Each once."""
    files = {
        ".cursor/rules/x.mdc": b"---\ndescription: a: b\n---\nx",
        "AGENTS.md": b"\xff",
        "specs/a/spec.md": b"\xff",
    }
    problems = check_project(make_project(tmp_path, files))
    assert [problem.path for problem in problems] == [
        *(".cursor/rules/x.mdc", "AGENTS.md", "specs/a/spec.md")
    ]


@pytest.mark.parametrize("folder", ["fixtures", "__fixtures__", "testdata"])
def test_instructions_that_are_data_of_tests_may_be_faulty(
    tmp_path: Path, folder: str
) -> None:
    """Wrong names, no texts, no files for patterns."""
    files: dict[str, str | bytes] = {
        f"tests/{folder}/AGENTS.MD": "x",
        f"tests/{folder}/AGENTS.md": "",
        f"tests/{folder}/.cursor/rules/x.mdc": '---\nglobs: "*.py"\n---\n[a](b.md)',
    }
    project = make_project(tmp_path, files)
    assert check_project(project) == ()
    assert list(plan_fixes(project)) == []
    (tmp_path / "other").mkdir()
    other = make_project(tmp_path / "other", {"tests/data/AGENTS.md": ""})
    assert [problem.code for problem in check_project(other)] == ["KB045"]
