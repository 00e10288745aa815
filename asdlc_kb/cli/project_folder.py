"""The project of the commands that read one."""

from pathlib import Path

from asdlc_kb.app.sources import find_home
from asdlc_kb.exceptions import OperationalError
from asdlc_kb.project.detection import find_project_root
from asdlc_kb.project.registry import Project, Projects


def open_project(named: Path | None, folder: Path) -> Project:
    """Return the named project, or that of a folder; personal files included.

    Raises OperationalError if it does not exist.
    """
    root = named or find_project_root(folder, find_home())
    if not root.is_dir():
        raise OperationalError(f"no such folder: {root}")
    return next(iter(Projects([root], is_personal=True)))
