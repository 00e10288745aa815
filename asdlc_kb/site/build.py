"""Static build: the served bytes as files that any web server can serve.

Built in a sibling folder and swapped in at once, so that readers never see a part.
"""

import fcntl
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePath
from typing import Final
from urllib.parse import unquote

from asdlc_kb.exceptions import AttachmentGone, OperationalError
from asdlc_kb.site.page_renderer import PageRenderer
from asdlc_kb.site.representation import HTML, Representation, ServedFile

MARKER: Final = ".asdlc-kb-site"
"""A file in every built folder that lists the other files, which may be replaced."""


_STAGE: Final = ".build"
"""Suffix of the folder in which a site is built."""
_FORMER: Final = ".former"
"""Suffix of a folder that was replaced by a new site."""


def build_site(
    site: PageRenderer,
    folder: Path,
    report: Callable[[int, int], None] = lambda done, total: None,
) -> int:
    """Write every page of a site into a folder; return the number of files.

    `report` is called with the number of files so far, and that of all, which is not
    exact. A link to a folder is kept.
    Raises OperationalError if the folder has other files, is or contains the working
    directory, or cannot be written.
    """
    folder = Path(os.path.realpath(folder))
    try:
        _require_replaceable(folder)
        with _staging(folder) as stage:
            written, total = 0, sum(1 for _ in site.snapshot.addresses())
            for path, pieces in _list_files(site):
                _write(stage, path, pieces)
                written += 1
                report(written, max(written, total))
            _write_marker(stage)
            _swap(stage, folder)
    except AttachmentGone as error:
        raise OperationalError(
            f"{error} changed while it was copied: build again"
        ) from None
    except OSError as error:
        reason = error.strerror or "a name that is not a valid file name"
        raise OperationalError(f"cannot build in {folder}: {reason}") from None
    return written


def name_file(path: str, type: str) -> str:
    """Return the file name for an address, relative to the site's folder."""
    name = unquote(path).lstrip("/")
    if not name or name.endswith("/"):
        return f"{name}index.html"
    return f"{name}.html" if type == HTML and not name.endswith(".html") else name


def _require_replaceable(folder: Path) -> None:
    """Raise OperationalError for a folder that must not be replaced."""
    if not folder.exists():
        return
    if not folder.is_dir():
        raise OperationalError(f"{folder} is a file: name a folder")
    if Path.cwd().is_relative_to(folder):
        raise OperationalError(
            f"{folder} is the working directory and would be replaced: change to "
            "another one first"
        )
    marker = folder / MARKER
    built = marker.read_bytes().split(b"\n") if marker.is_file() else []
    other = _find_other(folder, {os.fsdecode(name) for name in built})
    if other is not None:
        raise OperationalError(
            f"{folder} contains other files: {other}: move what the last build did not "
            "write, or name a new folder"
        )


def _find_other(folder: Path, built: Collection[str]) -> str | None:
    """Return the path of a file that is not of the last build, or None."""
    folders = {str(above) for name in built for above in PurePath(name).parents}
    for name, is_folder in _walk(folder):
        if name not in (folders if is_folder else built) and name != MARKER:
            return name
    return None


def _walk(folder: Path) -> Iterator[tuple[str, bool]]:
    """Yield the paths below a folder, sorted, and whether each is a real folder.

    Without the limits of `files.folder_walk`, which is for sources: a file that is not
    seen here would be deleted.
    """
    with os.scandir(folder) as scanned:
        entries = sorted(scanned, key=lambda entry: entry.name)
    for entry in entries:
        is_folder = entry.is_dir(follow_symlinks=False)
        yield entry.name, is_folder
        if is_folder:
            for name, is_lower_folder in _walk(folder / entry.name):
                yield f"{entry.name}/{name}", is_lower_folder


def _write_marker(stage: Path) -> None:
    """Write the list of files, with the names that the file system gave them."""
    names = sorted(
        os.fsencode(name) for name, is_folder in _walk(stage) if not is_folder
    )
    (stage / MARKER).write_bytes(b"".join(b"%b\n" % name for name in names))


@contextmanager
def _staging(folder: Path) -> Iterator[Path]:
    folder.parent.mkdir(parents=True, exist_ok=True)
    _delete_leftovers(folder)
    with _sibling_folder(folder, _STAGE) as stage:
        try:
            yield stage
        finally:
            shutil.rmtree(stage, ignore_errors=True)


@contextmanager
def _sibling_folder(folder: Path, suffix: str) -> Iterator[Path]:
    """Yield a new, empty sibling folder, locked so that no other build deletes it."""
    path = Path(tempfile.mkdtemp(suffix, f".{folder.name}.", folder.parent))
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        # The lock lasts as long as this process: see `_delete_leftovers`.
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield path
    finally:
        os.close(descriptor)


def _delete_leftovers(folder: Path) -> None:
    """Delete the leftovers of killed builds.

    A replaced site is kept as long as there is no site in its place.
    """
    kinds = (_STAGE, _FORMER) if folder.exists() else (_STAGE,)
    name = re.escape(folder.name)
    pattern = re.compile(rf"\.{name}\.\w{{8}}(?:{'|'.join(map(re.escape, kinds))})")
    for left in filter(pattern.fullmatch, os.listdir(folder.parent)):
        flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
        with suppress(OSError):
            descriptor = os.open(folder.parent / left, flags)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder.parent / left, ignore_errors=True)
            finally:
                os.close(descriptor)


def _list_files(site: PageRenderer) -> Iterator[tuple[str, Iterator[bytes]]]:
    snapshot = site.snapshot
    for path in snapshot.addresses():
        page = site.find(snapshot, path)
        if isinstance(page, ServedFile):
            yield name_file(path, page.type), page.attachment.read()
        elif isinstance(page, Representation) and page.status == 200:
            yield name_file(path, page.type), iter((page.body,))
    full_text = site.full_text(snapshot)
    for path in full_text.addresses:
        yield path.lstrip("/"), full_text.write(path) or iter(())
    missing = site.not_found(snapshot, "")
    yield name_file(missing.path, missing.type), iter((missing.body,))


def _write(stage: Path, path: str, pieces: Iterator[bytes]) -> None:
    file = Path(os.path.normpath(stage / path))
    if not file.is_relative_to(stage):
        raise OperationalError(
            f"cannot build a page whose address is {path!r}: rename it"
        )
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("wb") as opened:
        for piece in pieces:
            opened.write(piece)


def _swap(stage: Path, folder: Path) -> None:
    """Replace the folder by the new build; on failure restore it."""
    stage.chmod(0o755)
    if not folder.exists():
        os.replace(stage, folder)
        return
    with _sibling_folder(folder, _FORMER) as old:
        try:
            os.replace(folder, old)
            try:
                os.replace(stage, folder)
            except BaseException:
                _restore(old, folder)
                raise
        except BaseException:
            with suppress(OSError):
                # It may hold the former site: delete it only if it is empty.
                old.rmdir()
            raise
        shutil.rmtree(old, ignore_errors=True)


def _restore(old: Path, folder: Path) -> None:
    try:
        os.replace(old, folder)
    except OSError:
        message = f"cannot build in {folder}: its previous files are in {old}"
        raise OperationalError(message) from None
