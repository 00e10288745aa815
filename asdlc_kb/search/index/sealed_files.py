"""Sealed in-memory copies of index files, which no other program can truncate.

The engine memory-maps the files it reads. If another program truncates a mapped file,
the kernel ends the process with SIGBUS at the next read, which cannot be caught. A
sealed copy keeps its size as long as it is mapped.
"""

import fcntl
import os
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from asdlc_kb.search.index.manifest import DOCUMENTS, list_content, read_file
from asdlc_kb.search.index.segments import delete_folder
from asdlc_kb.temporary_folders import TemporaryFolder

MAX_BYTES: Final = 64 * 1024 * 1024
"""Bytes of an index up to which it is copied. A larger one is mapped in place: its copy
would cost more memory than the rest of the server."""

_MEMORY_FOLDER: Final = Path("/dev", "shm")
"""Folder of links where it exists: containers have it if they have no other writable
folder."""

COPIES: Final = "copies-of-"
"""Prefix of the name of a folder of links to copies."""


def fits(folders: tuple[Path, ...]) -> bool:
    """Whether the files of some folders are small enough to be copied.

    False on systems without sealed files, such as macOS.
    """
    size = sum(path.stat().st_size for path in _list_engine_files(folders))
    return size <= MAX_BYTES and hasattr(os, "memfd_create")


@contextmanager
def copy_files(folder: Path) -> Iterator[Path]:
    """Yield a folder of links to sealed copies of the files of another.

    It is in the same parent folder and deleted at the end; the copies last as long as
    they are mapped. Raises OSError if a copy cannot be made.
    """
    links = folder.with_name(COPIES + folder.name)
    delete_folder(links)
    links.mkdir(mode=0o700)
    with ExitStack() as stack:
        stack.callback(delete_folder, links)
        for path in _list_engine_files([folder]):
            copy = _copy_sealed(path)
            stack.callback(os.close, copy)
            (links / path.name).symlink_to(f"/proc/self/fd/{copy}")
        yield links


@contextmanager
def link_files(folders: tuple[Path, ...], *, copies: bool) -> Iterator[list[Path]]:
    """Yield folders of links to the files of read-only folders, or to sealed copies.

    The engine creates a lock where it opens an index, so they are in a folder for
    temporary files, and deleted at the end. Raises OSError if there is none.
    """
    root = _make_temporary()
    try:
        with ExitStack() as stack:
            linked = []
            for folder in folders:
                links = root.path / folder.name
                links.mkdir(mode=0o700)
                linked.append(links)
                for path in _list_engine_files([folder]):
                    target = path
                    if copies:
                        copy = _copy_sealed(path)
                        stack.callback(os.close, copy)
                        target = Path(f"/proc/self/fd/{copy}")
                    (links / path.name).symlink_to(target)
            yield linked
    finally:
        root.delete()


def _list_engine_files(folders: Iterable[Path]) -> list[Path]:
    """Return the files of some folders that the engine reads."""
    return [path for path in list_content(folders) if path.suffix != DOCUMENTS]


def _make_temporary() -> TemporaryFolder:
    """Return a new folder only for this process; raise OSError if there is no place."""
    try:
        return TemporaryFolder(_MEMORY_FOLDER)
    except OSError:
        return TemporaryFolder()


def _copy_sealed(path: Path) -> int:
    """Copy a file into sealed memory; return its descriptor."""
    copy = os.memfd_create(path.name, os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    try:
        with open(copy, "wb", closefd=False) as file:
            file.write(read_file(path))
        # Not F_SEAL_WRITE: it waits for pages that the kernel holds, and may fail with
        # EBUSY. A mapping depends on the size only.
        seals = fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL
        fcntl.fcntl(copy, fcntl.F_ADD_SEALS, seals)
    except BaseException:
        os.close(copy)
        raise
    return copy
