"""Projects for tests: fixtures, one for each dialect, and generated ones."""

import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from asdlc_kb.project.checks import check_project
from asdlc_kb.project.registry import Project
from asdlc_kb.project.scanner import ProjectScanner
from support.files import save_in_place

FIXTURES = Path(__file__).parents[1] / "project" / "fixtures"
DIALECTS = sorted(path.name for path in FIXTURES.iterdir())


def fixture(name: str) -> Project:
    """Return the project of a dialect."""
    return Project(name, FIXTURES / name)


def copy_fixture(name: str, folder: Path) -> Project:
    """Return a copy of a dialect's project, for a test to change."""
    shutil.copytree(FIXTURES / name, folder / name)
    return Project(name, folder / name)


def make_project(folder: Path, files: Mapping[str, str | bytes]) -> Project:
    """Return a project with these files."""
    root = folder / "project"
    root.mkdir(exist_ok=True)
    for path, text in files.items():
        save_in_place(root / path, text)
    return Project("project", root)


def scan_of(folder: Path, files: Mapping[str, str | bytes]) -> ProjectScanner:
    """Return a scanner of a project with these files."""
    return ProjectScanner(make_project(folder, files))


def check_files(
    folder: Path, files: Mapping[str, str | bytes], code: str
) -> Mapping[str, str]:
    """Return the messages of one code in a project with these files, by path."""
    problems = check_project(make_project(folder, files))
    return {
        problem.path: problem.message for problem in problems if problem.code == code
    }


def list_problems(scanner: ProjectScanner) -> list[tuple[str, str]]:
    """Return path and code of each problem."""
    return [(problem.path, problem.code) for problem in scanner.sorted_problems]


def age(root: Path) -> None:
    """Date everything in a project 1970, so that every change has a new time."""
    for folder, _, names in os.walk(root):
        for path in (folder, *(os.path.join(folder, name) for name in names)):
            os.utime(path, ns=(1, 1), follow_symlinks=False)


def row(**fields: object) -> dict[str, object]:
    """Return the expected fields of an artifact."""
    return fields


def rows_like(
    artifacts: Sequence[object], expected: Sequence[Mapping[str, object]]
) -> Sequence[Mapping[str, object]]:
    """Return of each artifact the fields that are expected in its place."""
    return [
        {name: getattr(artifact, name) for name in fields}
        for artifact, fields in zip(artifacts, expected, strict=True)
    ]
