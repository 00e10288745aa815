"""The folder of a project: missing, found, or never there."""

from pathlib import Path

import pytest
from support.project import make_project

from asdlc_kb.project.change_watch import ProjectWatch
from asdlc_kb.project.registry import Project
from asdlc_kb.project.scanner import ProjectScanner


def read(scanner: ProjectScanner) -> str:
    """Return what is read of a project: nothing."""
    return scanner.project.name


@pytest.mark.parametrize("is_mount", [False, True])
def test_a_missing_folder_is_logged_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, *, is_mount: bool
) -> None:
    """D-069: gone, or an empty folder in its place, as after an unmount."""
    project = make_project(tmp_path, {"AGENTS.md": "x"})
    watch = ProjectWatch(project, read)
    watch.scan()
    assert (watch.was_seen, watch.is_missing) == (True, False)
    project.root.rename(tmp_path / "away")
    if is_mount:
        project.root.mkdir()
    caplog.set_level("INFO", logger="asdlc_kb.project.change_watch")
    for _ in range(2):
        watch.scan()
        watch.check(False)
        assert (watch.was_seen, watch.is_missing) == (True, True)
    if is_mount:
        project.root.rmdir()
    (tmp_path / "away").rename(project.root)
    watch.check(False)
    assert not watch.is_missing
    logged = [
        (record.getMessage(), vars(record)["folder"]) for record in caplog.records
    ]
    assert logged == [
        ("project folder is missing", str(project.root)),
        ("project folder found", str(project.root)),
    ]


def test_a_folder_that_was_never_there_is_awaited(tmp_path: Path) -> None:
    """D-130: with `--wait` the server starts, and is not ready before."""
    watch = ProjectWatch(Project("project", tmp_path / "project"), read)
    watch.scan()
    assert (watch.was_seen, watch.is_missing) == (False, True)
    make_project(tmp_path, {"AGENTS.md": "x"})
    watch.scan()
    assert (watch.was_seen, watch.is_missing) == (True, False)
