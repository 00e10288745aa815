"""Guides and rule folders in the folders above one file."""

from pathlib import Path

from support.project import make_project

from asdlc_kb.project.folders_above import find_above
from asdlc_kb.project.tree_scan import Nested, find_nested


def look(folder: Path, path: str, *paths: str) -> Nested:
    """Search a project with these files for a path."""
    return find_above(make_project(folder, dict.fromkeys(paths, "x")).root, path)


def test_only_the_folders_above_count(tmp_path: Path) -> None:
    """From the top down, in the order of a walk."""
    nested = look(
        tmp_path,
        "a/b/new/x.py",
        *("AGENTS.md", "CLAUDE.md", "a/b/AGENTS.md", "a/c/AGENTS.md"),
        *("a/b/x.py/AGENTS.md", ".cursor/rules/x.mdc", "a/.claude/rules/x.md"),
    )
    assert nested.guides == ["AGENTS.md", "CLAUDE.md", "a/b/AGENTS.md"]
    assert nested.holders == [".cursor", "a/.claude"]
    assert nested.problems == []


def test_depth_and_siblings_set_no_limit(tmp_path: Path) -> None:
    """A walk has limits, which cut off the deepest folders."""
    deep = "/".join("d" * 20)
    paths = [f"pkg/p{number}/x" for number in range(30)]
    nested = look(tmp_path, f"{deep}/x.ts", f"{deep}/AGENTS.md", *paths)
    assert nested.guides == [f"{deep}/AGENTS.md"]
    assert find_nested(tmp_path / "project").guides == []


def test_a_hidden_folder_of_a_tool_may_have_guides(tmp_path: Path) -> None:
    """As for workflows; other hidden folders have none."""
    paths = (".github/AGENTS.md", ".git/AGENTS.md", ".github/.cursor/rules/x.mdc")
    assert look(tmp_path, ".github/workflows/ci.yml", *paths) == Nested(
        guides=[".github/AGENTS.md"], holders=[".github"]
    )
    assert look(tmp_path, ".git/config") == Nested(holders=[".github"])


def test_what_a_walk_skips_is_skipped(tmp_path: Path) -> None:
    """Installed, generated, behind a link, or with a name that is not served."""
    paths = (
        *("node_modules/x/AGENTS.md", "env/AGENTS.md", "env/pyvenv.cfg"),
        *("a\x1bb/AGENTS.md", "real/AGENTS.md"),
    )
    project = make_project(tmp_path, dict.fromkeys(paths, "x"))
    (project.root / "link").symlink_to("real")
    for path in ("node_modules/x/y", "env/lib/x", "a\x1bb/x", "link/x"):
        assert find_above(project.root, path) == Nested()
    assert find_above(project.root, "real/x").guides == ["real/AGENTS.md"]


def test_a_missing_project_is_a_problem(tmp_path: Path) -> None:
    """D-069: a missing root is a fault, not a deletion."""
    nested = find_above(tmp_path / "none", "a/b")
    assert [(found.path, found.code) for found in nested.problems] == [(".", "KB001")]
