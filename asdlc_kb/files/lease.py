"""Read leases: whether any process has a file open for writing (Linux, `fcntl(2)`).

The kernel grants a read lease on a file that no process has open for writing, to the
file's owner and to processes with CAP_LEASE. The lease is released at once: a writer
that opens the file meanwhile blocks for some microseconds.
"""

import errno
import fcntl
import os
import signal
import sys
from pathlib import Path
from threading import Lock
from typing import Final

from cachetools import LRUCache, cached

from asdlc_kb.files.mounts import find_filesystem_type, is_remote

MAX_DEVICES: Final = 64
"""Devices whose kind of file system is cached."""


def is_open_for_writing(descriptor: int) -> bool | None:
    """Whether the file of a read-only descriptor is open for writing.

    None if unknown: the file is another user's, the system or the file system has no
    leases, or other systems may write to it.
    """
    if sys.platform != "linux" or _is_remote(descriptor):
        return None
    try:
        # A blocked writer causes a signal. The default, SIGIO, ends the process; SIGURG
        # is ignored unless handled.
        fcntl.fcntl(descriptor, fcntl.F_SETSIG, signal.SIGURG)
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    except OSError as error:
        return True if error.errno == errno.EAGAIN else None
    return False


@cached(LRUCache(MAX_DEVICES), lambda fd: os.fstat(fd).st_dev, lock=Lock())
def _is_remote(descriptor: int) -> bool:
    """Whether other systems may write to the file."""
    return is_remote(find_filesystem_type(Path(f"/proc/self/fd/{descriptor}")))
