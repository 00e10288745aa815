"""Standard streams that are closed, or whose disk is full."""

import errno
import os
import sys
from contextlib import suppress
from typing import Final

STORAGE_FAULTS: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EIO})
"""Errors of a full or broken disk."""


def open_closed_streams() -> None:
    """Open /dev/null for each closed stream, so that no other file gets its number."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            with suppress(OSError):
                # The lowest free number.
                os.open(os.devnull, os.O_RDWR)
    sys.stderr = sys.stderr or open(2, "w", encoding="utf-8", closefd=False)


def discard_output() -> None:
    """Keep Python from writing what is left, which would fail again at the exit."""
    if sys.stdout is sys.__stdout__:
        with open(os.devnull, "wb") as nowhere:
            os.dup2(nowhere.fileno(), 1)
