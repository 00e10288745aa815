"""The names of all files of a project."""

from pathlib import Path

import pytest
from support.project import make_project

from asdlc_kb.project import project_files
from asdlc_kb.project.project_files import list_project_files, read_ignored


def test_all_files_are_listed_but_those_of_programs(tmp_path: Path) -> None:
    """Hidden folders too; links to folders are not followed."""
    files = {
        **dict.fromkeys(["a.ts", "web/b.ts", ".github/workflows/c.yml"], ""),
        **dict.fromkeys([".git/d", "node_modules/e", "env/pyvenv.cfg", "env/f"], ""),
    }
    project = make_project(tmp_path, files)
    (project.root / "link").symlink_to(tmp_path)
    found = list_project_files(project.root)
    assert found.is_complete
    expected = ["a.ts", "link", ".github/workflows/c.yml", "web/b.ts"]
    assert sorted(found.paths) == sorted(expected)
    assert list_project_files(tmp_path / "nowhere").paths == []


@pytest.mark.parametrize("limit", ["MAX_FILES", "MAX_FOLDERS", "MAX_DEPTH"])
def test_a_walk_beyond_a_limit_is_not_complete(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    """So that no conclusion is drawn from it."""
    project = make_project(tmp_path, {"a/b/c/d": "", "x": ""})
    monkeypatch.setattr(project_files, limit, 2)
    assert not list_project_files(project.root).is_complete


def test_ignored_files_are_those_of_the_top(tmp_path: Path) -> None:
    """None without a file that can be read."""
    project = make_project(tmp_path, {".gitignore": "dist/\n"})
    assert read_ignored(project).match_file("web/dist/a")
    assert not read_ignored(project).match_file("a")
    (project.root / ".gitignore").write_bytes(b"\xff")
    assert not read_ignored(project).match_file("web/dist/a")
