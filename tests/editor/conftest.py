"""The extension, built with its pinned tools."""

import hashlib
import shutil
from pathlib import Path

import pytest
from editor.tools import CACHE, NPM, QUIET, SOURCES, run


@pytest.fixture(scope="session")
def built() -> Path:
    """Return a folder with the current sources and the tools of the lock file."""
    lock = hashlib.sha256((SOURCES / "package-lock.json").read_bytes()).hexdigest()
    folder = CACHE / lock[:16]
    finished = folder / "finished"
    if not finished.exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for name in ("package.json", "package-lock.json"):
            shutil.copy(SOURCES / name, folder)
        run(folder, NPM, "ci", *QUIET)
        finished.touch()
    for name in ("src", "tests"):
        shutil.rmtree(folder / name, ignore_errors=True)
    for package in folder.glob("*.vsix"):
        package.unlink()
    ignored = shutil.ignore_patterns("node_modules", "*.vsix")
    shutil.copytree(SOURCES, folder, ignore=ignored, dirs_exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def package(built: Path) -> Path:
    """Return the .vsix."""
    run(built, NPM, "run", "package")
    (found,) = built.glob("*.vsix")
    return found
