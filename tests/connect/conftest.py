"""A host with an empty home, an empty project, and no program but ours."""

from collections.abc import Callable
from pathlib import Path

import pytest

from asdlc_kb.connect.host_environment import HostEnvironment

Install = Callable[[str, str], Path]


@pytest.fixture
def machine(tmp_path: Path) -> HostEnvironment:
    """A host with a PATH of one folder, which is empty."""
    for name in ("home", "project", "bin"):
        (tmp_path / name).mkdir()
    variables = {"PATH": str(tmp_path / "bin"), "HOME": str(tmp_path / "home")}
    return HostEnvironment("linux", tmp_path / "home", tmp_path / "project", variables)


@pytest.fixture
def install(tmp_path: Path, machine: HostEnvironment) -> Install:
    """Put a program on the machine's PATH: a shell script."""

    def write(name: str, script: str) -> Path:
        path = tmp_path / "bin" / name
        path.write_text(f"#!/bin/sh\nPATH=/usr/bin:/bin\n{script}\n")
        path.chmod(0o755)
        return path

    return write
