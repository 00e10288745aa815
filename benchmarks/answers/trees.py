"""Public documentation trees, from archives that are pinned by version and digest."""

import hashlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.cache import CACHE
from benchmarks.failure import BenchFailure

MAX_SECONDS: Final = 600
"""Maximum seconds of a download."""


def download_from_npm(requirement: str, folder: Path) -> None:
    """Download a package's archive from the npm registry."""
    npm = shutil.which("npm")
    if npm is None:
        raise BenchFailure("no npm: install Node.js")
    _run(npm, "pack", "--silent", requirement, "--pack-destination", str(folder))


def download_from_pypi(requirement: str, folder: Path) -> None:
    """Download a project's source archive from PyPI."""
    pip = (sys.executable, "-m", "pip", "download", "--quiet")
    _run(*pip, "--no-deps", "--no-binary=:all:", "-d", str(folder), requirement)


@dataclass(frozen=True)
class Tree:
    """A folder of a published archive."""

    name: str
    requirement: str
    """The package with its version, as the client of the registry takes it."""
    download: Callable[[str, Path], None]
    sha256: str
    folder: str
    """The folder of the documentation inside the archive."""


TREES: Final[Mapping[str, Tree]] = {
    tree.name: tree
    for tree in (
        Tree(
            "fastify",
            "fastify@5.12.8",
            download_from_npm,
            "459048aabd9311309f4f95b36e8ca065e3a4613ded292bcf50442926931e4748",
            "package/docs",
        ),
        Tree(
            "black",
            "black==26.10.1",
            download_from_pypi,
            "5f9f83beae62437e060dafd53d7f1fc327e3d3494f74d72ee5c2b73eb90fc4e7",
            "black-26.10.1/docs",
        ),
        Tree(
            "next",
            "next@16.4.6",
            download_from_npm,
            "954cc114e2e4f57464f6d2f6640ec9b7a8e493ad4373c692b2d37d135da2806a",
            "package/dist/docs",
        ),
        Tree(
            "undici",
            "undici@7.30.2",
            download_from_npm,
            "2bf5b1c41724614729cb383f22c64506b6665869d385de862752c33763fcce1b",
            "package/docs",
        ),
    )
}
"""A guide with a reference (41 pages), a small manual (28), a large site (475), and a
reference (42) whose questions were written after the defaults of search were chosen."""


def prepare_tree(tree: Tree, cache: Path = CACHE) -> Path:
    """Return the folder of a tree in the cache, downloaded if it is not there.

    Raises BenchFailure if the archive has another digest.
    """
    target = cache / "trees" / f"{tree.name}-{tree.sha256[:12]}"
    if target.exists():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as name:
        work = Path(name)
        tree.download(tree.requirement, work)
        (archive,) = work.iterdir()
        digest = hashlib.sha256(archive.read_bytes()).hexdigest()
        if digest != tree.sha256:
            raise BenchFailure(f"{archive.name} has the digest {digest}")
        with tarfile.open(archive) as members:
            chosen = [m for m in members if m.name.startswith(f"{tree.folder}/")]
            members.extractall(work, members=chosen, filter="data")
        (work / tree.folder).rename(target)
    return target


def _run(*command: str) -> None:
    """Run a command; raise BenchFailure with its output if it fails."""
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=MAX_SECONDS
    )
    if done.returncode:
        raise BenchFailure(f"{' '.join(command[:3])}: {done.stderr[-1000:]}")
