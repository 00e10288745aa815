"""The project of a command: the named one, or that of a folder."""

from pathlib import Path

import pytest

from asdlc_kb.cli.project_folder import open_project
from asdlc_kb.exceptions import OperationalError


def test_a_project_is_the_named_one_or_that_of_a_folder(tmp_path: Path) -> None:
    """With its personal files: the reader is the person."""
    (tmp_path / "shop/.git").mkdir(parents=True)
    (tmp_path / "shop/app").mkdir()
    for project in (
        open_project(tmp_path / "shop", tmp_path),
        open_project(None, tmp_path / "shop/app"),
    ):
        assert (project.root, project.name) == (tmp_path / "shop", "shop")
        assert project.is_personal
    with pytest.raises(OperationalError, match="no such folder"):
        open_project(tmp_path / "nowhere", tmp_path)
