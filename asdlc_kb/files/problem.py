"""Problems of content as values: stored, counted and shown, never raised."""

import errno
import os
from typing import Final

import msgspec

_DENIALS: Final = (errno.EACCES, errno.EPERM, errno.EIO)
"""Errors of a file or folder that exists, but may not or cannot be read."""


class Problem(msgspec.Struct, frozen=True, order=True, array_like=True, gc=False):
    """A fault in a file. Lines and columns count from 1."""

    path: str
    """Relative to the content root, with slashes."""
    line: int
    column: int
    code: str
    message: str
    """The fault and its fix, without any text of the file."""
    denial: str = ""
    """Why the system does not let it be read, such as "Permission denied"."""

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}: {self.code} {self.message}"


def describe_denial(error: OSError) -> str:
    """Return why the system does not let a file be read; empty for another error."""
    return os.strerror(error.errno) if error.errno in _DENIALS else ""


def describe_unreadable(path: str, error: OSError) -> Problem:
    """Return the problem of a file that cannot be read."""
    message = f"cannot be read ({error.strerror}): check its permissions"
    return Problem(path, 1, 1, "KB001", message, describe_denial(error))
