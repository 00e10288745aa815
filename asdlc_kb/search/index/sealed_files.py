"""Copies in memory of the files of an index, which no other program can cut short.

The engine maps the files that it reads. When another program cuts a mapped file short,
the kernel ends the process with SIGBUS at the next read, which cannot be caught. A
sealed copy keeps its size as long as it is mapped.
"""

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from asdlc_kb.search.index.manifest import list_content, read_file

MAX_BYTES: Final = 64 * 1024 * 1024
"""Bytes of an index up to which it is copied. A larger one is mapped where it is: its
copy would cost more memory than the rest of the server."""

COPIES: Final = "copies-of-"
"""How the name of a folder of links to copies begins."""


def fits(folders: tuple[Path, ...]) -> bool:
    """Return whether the files of some folders are small enough to be copied.

    False where the system has no sealed files, as macOS.
    """
    size = sum(path.stat().st_size for path in list_content(folders))
    return size <= MAX_BYTES and hasattr(os, "memfd_create")


@contextmanager
def copy_files(folder: Path) -> Iterator[Path]:
    """Yield a folder of links to sealed copies of the files of another.

    It lies beside the other and is deleted at the end; the copies last as long as they
    are mapped. Raises OSError where a copy cannot be made.
    """
    links = folder.with_name(COPIES + folder.name)
    shutil.rmtree(links, ignore_errors=True)
    links.mkdir(mode=0o700)
    with ExitStack() as stack:
        stack.callback(shutil.rmtree, links)
        for path in list_content([folder]):
            copy = _seal(path)
            stack.callback(os.close, copy)
            (links / path.name).symlink_to(f"/proc/self/fd/{copy}")
        yield links


def _seal(path: Path) -> int:
    """Return the descriptor of a sealed copy of a file."""
    copy = os.memfd_create(path.name, os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    try:
        with open(copy, "wb", closefd=False) as file:
            file.write(read_file(path))
        # Not F_SEAL_WRITE: it waits for pages that the kernel holds, and may fail with
        # EBUSY. The size is what a mapping depends on.
        seals = fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL
        fcntl.fcntl(copy, fcntl.F_ADD_SEALS, seals)
    except BaseException:
        os.close(copy)
        raise
    return copy
