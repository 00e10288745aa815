"""Peers from PyPI that conflict with our environment, installed once."""

import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Final

from benchmarks.cache import CACHE

PACKAGES: Final = ("servemd==1.3.0", "Whoosh-Reloaded==2.7.5")


@cache
def python(packages: tuple[str, ...] = PACKAGES) -> Path:
    """Return the interpreter of an environment with the packages, created once."""
    folder = CACHE / re.sub(r"[^\w.]+", "-", "-".join(packages))
    found = folder / "bin" / "python"
    if not (folder / "finished").exists():
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        install = [str(found), "-m", "pip", "install", "--quiet", *packages]
        subprocess.run(install, check=True, timeout=600)
        (folder / "finished").touch()
    return found
