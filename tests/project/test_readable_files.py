"""Files that can be read by path: those that a list of the project shows."""

import os
from pathlib import Path

import pytest
from support.project import make_project, scan_of

from asdlc_kb.project.readable_files import find_readable
from asdlc_kb.project.scanner import ProjectScanner

FILES: dict[str, str | bytes] = {
    "AGENTS.md": "A",
    "web/CLAUDE.md": "C",
    ".claude/CLAUDE.md": "I",
    ".github/AGENTS.md": "G",
    ".cursorrules": "L",
    ".cursor/rules/data/sql.mdc": "---\nglobs: x\n---\nS",
    "web/.claude/rules/style.md": "W",
    ".cursor/commands/a/review.md": "R",
    ".claude/agents/auditor.md": "U",
    ".claude/skills/plan/SKILL.md": "P",
    ".claude/skills/plan/ref/more.md": "\ufeffM\r\nN",
    ".claude/skills/plan/tool.py": "print()",
    ".claude/skills/plan/logo.png": b"\x89PNG\0",
    ".claude/skills/flat.md": "F",
    "skills/own/SKILL.md": "O",
    "specs/login/spec.md": "L",
    "specs/login/plan.md": "P",
    "specs/login/api.yaml": "a: 1",
    ".kiro/specs/cart/requirements.md": "Q",
    ".kiro/specs/cart/tasks.md": "T",
    "openspec/changes/pay/proposal.md": "Y",
    "openspec/changes/pay/specs/pay/spec.md": "D",
    "schemas/note.json": "{}",
}
HIDDEN: dict[str, str | bytes] = {
    "README.md": "x",
    "src/main.py": "x",
    ".env": "x",
    ".git/config": "x",
    ".cursor/mcp.json": "x",
    ".cursor/rules/notes.txt": "x",
    ".cursor/rules/.hidden.mdc": "x",
    ".claude/settings.json": "x",
    ".claude/skills/plan/.env": "x",
    ".claude/skills/plan/key.pem": "x",
    ".claude/skills/plan/node_modules/x.md": "x",
    ".claude/skills/loose/notes.md": "x",
    ".cursor/commands/README.md": "x",
    "skills/flat.md": "x",
    "specs/README.md": "x",
    ".kiro/settings/mcp.json": "x",
    "openspec/project.md": "x",
    "openspec/changes/archive/old/proposal.md": "x",
    "schemas/deep/note.json": "x",
    "node_modules/x/AGENTS.md": "x",
    "docs/AGENTS.txt": "x",
}


@pytest.mark.parametrize("path", FILES)
def test_every_listed_file_is_read(tmp_path: Path, path: str) -> None:
    """Text as text with LF line ends, anything else as bytes."""
    scanner = scan_of(tmp_path, {**FILES, **HIDDEN})
    readable = find_readable(scanner, path)
    assert readable is not None
    expected = FILES[path]
    if isinstance(expected, str):
        expected = expected.removeprefix("\ufeff").replace("\r\n", "\n")
    assert readable.read(scanner) == expected
    is_of_skill = "skills/" in path
    assert (readable.skill is not None) is is_of_skill
    if is_of_skill:
        assert path.endswith(readable.skill_path)


@pytest.mark.parametrize(
    "path", [*HIDDEN, "", ".", "AGENTS.md/", "./AGENTS.md", "none"]
)
def test_no_other_file_is_found(tmp_path: Path, path: str) -> None:
    """Whether it exists or not."""
    assert find_readable(scan_of(tmp_path, {**FILES, **HIDDEN}), path) is None


def test_links_are_read_where_they_are_listed(tmp_path: Path) -> None:
    """D-024: under each of their paths; a link to no artifact is not listed."""
    scanner = scan_of(tmp_path, {**FILES, **HIDDEN})
    root = scanner.project.root
    (root / ".agents").mkdir()
    (root / ".agents" / "skills").symlink_to("../.claude/skills")
    (root / ".claude" / "skills" / "plan" / "secret.md").symlink_to("../../../.env")
    (root / ".claude" / "skills" / "plan" / "src").symlink_to("../../../src")
    (root / "specs" / "login" / "out.md").symlink_to("../../README.md")
    (root / "api").mkdir()
    (root / "api" / "AGENTS.md").symlink_to("../.env")
    linked = find_readable(scanner, ".agents/skills/plan/ref/more.md")
    assert linked is not None
    assert linked.read(scanner) == "M\nN"
    for path in (
        *(".claude/skills/plan/secret.md", ".claude/skills/plan/src/main.py"),
        *(".agents/skills/plan/secret.md", "specs/login/out.md"),
    ):
        assert find_readable(scanner, path) is None
    guide = find_readable(scanner, "api/AGENTS.md")
    assert guide is None or guide.read(scanner) is None


def test_a_home_directory_is_read_only_if_enabled(tmp_path: Path) -> None:
    """Its paths begin with `~`."""
    home = tmp_path / "home"
    (home / ".claude" / "skills" / "plan").mkdir(parents=True)
    (home / ".claude" / "skills" / "plan" / "SKILL.md").write_text("H")
    (home / ".claude" / "skills" / "plan" / "more.md").write_text("M")
    project = make_project(tmp_path, {"AGENTS.md": "A"})
    path = "~/.claude/skills/plan/more.md"
    scanner = ProjectScanner(project, home)
    readable = find_readable(scanner, path)
    assert readable is not None
    assert readable.read(scanner) == "M"
    assert find_readable(ProjectScanner(project), path) is None


def test_what_cannot_be_read_is_a_problem(tmp_path: Path) -> None:
    """A pipe is listed and never opened for long."""
    scanner = scan_of(tmp_path, FILES)
    path = ".claude/skills/plan/pipe.md"
    os.mkfifo(scanner.project.root / path)
    readable = find_readable(scanner, path)
    assert readable is not None
    assert readable.read(scanner) is None
    assert [problem.path for problem in scanner.sorted_problems] == [path]
