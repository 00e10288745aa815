"""Problems with a project's artifacts, reported to their authors."""

import os
from pathlib import Path

import pytest
from support.project import fixture, make_project

from asdlc_kb.articles import checks as of_articles
from asdlc_kb.project.checks import CODES, check_project, find_strict_fault
from asdlc_kb.project.served_skills import MAX_BYTES, MAX_FILES


def codes(folder: Path, path: str, text: str | bytes) -> list[str]:
    """Return the codes of the problems of a project with one file."""
    return [
        problem.code for problem in check_project(make_project(folder, {path: text}))
    ]


def test_codes_mean_one_thing() -> None:
    """In projects and among articles."""
    assert not CODES.keys() & of_articles.CODES.keys()


def test_strict_faults_of_a_dialect_are_told_with_their_place() -> None:
    """D-025: files that strict tools would lose; Cursor's own are often such."""
    problems = check_project(fixture("cursor"))
    assert [(p.path, p.line, p.code) for p in problems if p.code == "KB040"] == [
        (".cursor/rules/security.mdc", 2, "KB040"),
        (".cursor/rules/typescript.mdc", 3, "KB040"),
    ]
    problems = check_project(fixture("claude"))
    assert [(p.path, p.code) for p in problems if p.code == "KB040"] == [
        (".claude/commands/fix-issue.md", "KB040"),
        (".claude/rules/web/components.md", "KB040"),
        (".claude/skills/release-notes/SKILL.md", "KB040"),
    ]


@pytest.mark.parametrize(
    "source",
    [
        "---\nglobs: **/*\n---\n",
        "---\nglobs: *.ts,*.tsx\n---\n",
        "---\ndescription: Foo: bar\n---\n",
        "---\ndescription: x\n",
        "---\na: 1\na: 2\n---\n",
        "---\njust text\n---\n",
    ],
)
def test_what_strict_yaml_refuses_is_a_fault(source: str) -> None:
    """D-025: and is read leniently all the same."""
    fault = find_strict_fault("x.mdc", source)
    assert fault is not None
    assert (fault.path, fault.code) == ("x.mdc", "KB040")
    assert fault.line >= 1


@pytest.mark.parametrize(
    "source",
    ["", "text", "---\n---\n", '---\nglobs: "**/*"\nalwaysApply: false\n---\nbody'],
)
def test_what_strict_yaml_accepts_is_none(source: str) -> None:
    """Files without frontmatter among them."""
    assert find_strict_fault("x.mdc", source) is None


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        (".cursor/rules/x.mdc", f'---\nglobs: "{"{a,b}" * 9}"\n---\n', ["KB041"]),
        ("schemas/x.json", "{", ["KB042"]),
        ("AGENTS.md", b"\xff", ["KB001"]),
        (".cursor/commands/x.md", "a\u200bb", ["KB015"]),
        ("specs/x/spec.md", "---\na: b: c\n---\n", ["KB040"]),
        (".claude/agents/x.md", "---\na: b: c\n---\n", ["KB040"]),
        (".cursor/rules/x.mdc", '---\nglobs: "!**/*.{a,b}"\n---\n', []),
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
        ".cursor/rules/x.mdc": b"---\nglobs: *\n---\n",
        "AGENTS.md": b"\xff",
        "specs/a/spec.md": b"\xff",
    }
    problems = check_project(make_project(tmp_path, files))
    assert [problem.path for problem in problems] == [
        *(".cursor/rules/x.mdc", "AGENTS.md", "specs/a/spec.md")
    ]
