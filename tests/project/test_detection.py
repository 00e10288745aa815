"""Detection of project folders that are not configured."""

from pathlib import Path

import pytest
from support.files import save_in_place

from asdlc_kb.project.detection import find_project_root, looks_like_project

SIGNS = [
    "AGENTS.md",
    "CLAUDE.md",
    ".claude/CLAUDE.md",
    ".cursorrules",
    ".cursor/rules/a.mdc",
    ".cursor/rules/deep/a.mdc",
    ".cursor/commands/a.md",
    ".cursor/skills/a/SKILL.md",
    ".cursor/agents/a.md",
    ".claude/rules/a.md",
    ".claude/commands/a.md",
    ".claude/skills/a/SKILL.md",
    ".claude/agents/a.md",
    ".agents/skills/a/SKILL.md",
    ".codex/skills/a/SKILL.md",
    ".gemini/skills/a/SKILL.md",
    "skills/a/SKILL.md",
    "specs/a/spec.md",
    ".kiro/specs/a/requirements.md",
    "openspec/specs/a/spec.md",
]

NONE = [
    "README.md",
    "agents.txt",
    ".cursor/mcp.json",
    ".claude/settings.json",
    ".claude/rules/.gitkeep",
    "packages/a/AGENTS.md",
    "skills/juggling.md",
    "specs/test_all.py",
    "schemas/a.json",
    "content/concepts/a.md",
]


@pytest.mark.parametrize("path", SIGNS)
def test_a_folder_with_something_for_agents_is_a_project(
    tmp_path: Path, path: str
) -> None:
    """Every location that a scanner reads at the top of a project."""
    save_in_place(tmp_path / path, "x")
    assert looks_like_project(tmp_path, None)


@pytest.mark.parametrize("path", NONE)
def test_a_folder_without_it_is_none(tmp_path: Path, path: str) -> None:
    """Agents pay for each tool: a client's own files are not enough."""
    save_in_place(tmp_path / path, "x")
    assert not looks_like_project(tmp_path, None)


def test_a_folder_called_as_a_guide_is_none(tmp_path: Path) -> None:
    """AGENTS.md is a file."""
    (tmp_path / "AGENTS.md").mkdir()
    assert not looks_like_project(tmp_path, None)


def test_a_home_is_no_project_nor_what_is_above(tmp_path: Path) -> None:
    """D-027: commands and skills of a home need `--include-home`."""
    home = tmp_path / "somebody"
    for folder in (tmp_path, home, home / "code"):
        save_in_place(folder / ".claude" / "commands" / "a.md", "x")
    assert not looks_like_project(home, home)
    assert not looks_like_project(tmp_path, home)
    assert looks_like_project(home / "code", home)
    link = tmp_path / "link"
    link.symlink_to(home)
    assert not looks_like_project(link, home)


def test_an_absent_folder_is_none(tmp_path: Path) -> None:
    """It may vanish between two scans."""
    assert not looks_like_project(tmp_path / "absent", None)


def test_the_root_of_a_project_is_its_repository(tmp_path: Path) -> None:
    """The nearest one, also of a worktree, where `.git` is a file."""
    deep = tmp_path / "shop/app/src"
    deep.mkdir(parents=True)
    save_in_place(tmp_path / "shop/.git", "gitdir: elsewhere")
    save_in_place(tmp_path / "shop/app/AGENTS.md", "A")
    (tmp_path / ".git").mkdir()
    assert find_project_root(deep, None) == tmp_path / "shop"
    assert find_project_root(tmp_path / "shop", None) == tmp_path / "shop"
    assert find_project_root(tmp_path / "shop/new/folder", None) == tmp_path / "shop"


def test_without_a_repository_it_is_the_outermost_with_instructions(
    tmp_path: Path,
) -> None:
    """Folders have instructions too; a home directory is no project."""
    deep = tmp_path / "shop/app/src"
    deep.mkdir(parents=True)
    assert find_project_root(deep, None) == deep
    for folder in ("shop/app", "shop", "."):
        save_in_place(tmp_path / folder / "AGENTS.md", "A")
    assert find_project_root(deep, tmp_path) == tmp_path / "shop"
