"""The whole site as files: the bytes that are served, at names that any web server has.

Built beside its place and put there whole, so that nobody ever sees half of it.
"""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from urllib.parse import unquote

from asdlc_kb.exceptions import HostError
from asdlc_kb.site import address
from asdlc_kb.site.page import HTML, Page
from asdlc_kb.site.site import Site

MARKER: Final = ".asdlc-kb-site"
"""A file in every built folder: what has it may be replaced."""


def build(
    site: Site, folder: Path, report: Callable[[int], None] = lambda done: None
) -> int:
    """Write every page of a site into a folder; return how many files there are.

    `report` is told how many were written so far. Raises HostError for a folder that
    holds something else, or that cannot be written.
    """
    folder = folder.absolute()
    _require_ours(folder)
    try:
        with _staging(folder) as stage:
            written = 0
            for path, pieces in _list_files(site):
                _write(stage, path, pieces)
                written += 1
                report(written)
            (stage / MARKER).write_bytes(b"")
            _swap(stage, folder)
    except OSError as error:
        reason = error.strerror or "a name that cannot be a file's"
        raise HostError(f"cannot build in {folder}: {reason}") from None
    return written


def name_file(path: str, type: str) -> str:
    """Return the name of the file for an address, relative to the site's folder."""
    name = unquote(path).lstrip("/")
    if not name or name.endswith("/"):
        return f"{name}index.html"
    return f"{name}.html" if type == HTML and not name.endswith(".html") else name


def _require_ours(folder: Path) -> None:
    """Raise HostError for a folder with files that are not of an earlier build."""
    if folder.is_dir() and any(folder.iterdir()) and not (folder / MARKER).exists():
        raise HostError(
            f"{folder} holds other files: name a new folder, or one built before"
        )
    if folder.exists() and not folder.is_dir():
        raise HostError(f"{folder} is a file: name a folder")


@contextmanager
def _staging(folder: Path) -> Iterator[Path]:
    folder.parent.mkdir(parents=True, exist_ok=True)
    stage = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    try:
        yield stage
    finally:
        shutil.rmtree(stage, ignore_errors=True)


def _list_files(site: Site) -> Iterator[tuple[str, Iterator[bytes]]]:
    shelves = site.shelves
    for path in site.addresses(shelves):
        page = site.find(shelves, path)
        if isinstance(page, Page) and page.status == 200:
            yield name_file(path, page.type), iter((page.body,))
    yield address.FULL.lstrip("/"), site.write_full(shelves)
    missing = site.missing(shelves, "")
    yield name_file(missing.path, missing.type), iter((missing.body,))


def _write(stage: Path, path: str, pieces: Iterator[bytes]) -> None:
    file = Path(os.path.normpath(stage / path))
    if not file.is_relative_to(stage):
        raise HostError(f"cannot build a page whose address is {path!r}: rename it")
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("wb") as opened:
        for piece in pieces:
            opened.write(piece)


def _swap(stage: Path, folder: Path) -> None:
    """Put what was built in the place of what was there."""
    stage.chmod(0o755)
    old = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    try:
        if folder.exists():
            os.replace(folder, old)
        os.replace(stage, folder)
    finally:
        shutil.rmtree(old, ignore_errors=True)
