"""Read leases: whether any process has a file open for writing (Linux, `fcntl(2)`).

The kernel grants a read lease on a file that nobody has open for writing, to the
file's owner and to processes with CAP_LEASE. The lease is given back at once: a writer
that opens the file in between waits until then, some microseconds.
"""

import errno
import fcntl
import os
import signal
import sys
from pathlib import Path
from typing import Final

from asdlc_kb.files.mounts import find_kind, is_remote

_REMOTE: Final[dict[int, bool]] = {}
"""By device, whether other systems may write to its files."""


def is_open_for_writing(descriptor: int) -> bool | None:
    """Whether a file, given by a read-only descriptor, is open for writing.

    None where the kernel does not say: the file is another user's, or the system or
    the file system has no leases, or other systems write to it too.
    """
    if sys.platform != "linux" or _is_remote(descriptor):
        return None
    try:
        # A writer that has to wait causes a signal. The default one ends the process;
        # this one is ignored unless somebody handles it.
        fcntl.fcntl(descriptor, fcntl.F_SETSIG, signal.SIGURG)
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    except OSError as error:
        return True if error.errno == errno.EAGAIN else None
    return False


def _is_remote(descriptor: int) -> bool:
    device = os.fstat(descriptor).st_dev
    if device not in _REMOTE:
        kind = find_kind(Path(f"/proc/self/fd/{descriptor}"))
        _REMOTE[device] = is_remote(kind)
    return _REMOTE[device]
