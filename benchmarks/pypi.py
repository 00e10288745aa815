"""Peers from PyPI that do not go together with our own environment, fetched once."""

import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Final

from benchmarks.cache import CACHE

PACKAGES: Final = ("servemd==1.3.0", "Whoosh-Reloaded==2.7.5")


@cache
def python() -> Path:
    """Return the interpreter of an environment that has the peers, made once."""
    place = CACHE / "-".join(package.replace("==", "-") for package in PACKAGES)
    found = place / "bin" / "python"
    if not (place / "finished").exists():
        shutil.rmtree(place, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", place], check=True)
        install = [str(found), "-m", "pip", "install", "--quiet", *PACKAGES]
        subprocess.run(install, check=True, timeout=600)
        (place / "finished").touch()
    return found
