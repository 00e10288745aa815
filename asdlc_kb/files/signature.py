"""File signatures: the `stat` fields by which the cache detects a change.

rsync, cp -p and utime restore an mtime but not a ctime, and a rename over the file
changes the inode. A change within one clock tick can go undetected, hence `is_racy`.
"""

import os
from pathlib import Path
from typing import Final

import msgspec

STILL_SECONDS: Final = 0.1
"""Time without a change after which a file counts as finished, where the kernel does
not report whether it is open for writing."""

UNWATCHED_SECONDS: Final = 2.5
"""The same for a file that changed before its folder was watched for writes: a writer
may still have it open, and may pause for two seconds."""

REST_SECONDS: Final = 0.02
"""The same for a file renamed over another, where its last change may have been a
write."""

RACY_SECONDS: Final = 2.0
"""A file that changed within this time before it was read is read once more."""

_DEVICES: Final[dict[int, int]] = {}


class Signature(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The `stat` fields that identify a version of a file."""

    mtime_ns: int
    ctime_ns: int
    size: int
    inode: int
    device: int

    @classmethod
    def of(cls, status: os.stat_result) -> "Signature":
        """Return the signature of a stat result.

        The numbers that many files have, or that are equal, are the same objects.
        """
        mtime, ctime = status.st_mtime_ns, status.st_ctime_ns
        device = status.st_dev
        return cls(
            mtime,
            mtime if ctime == mtime else ctime,
            status.st_size,
            status.st_ino,
            _DEVICES.setdefault(device, device),
        )

    @classmethod
    def at(cls, path: str | Path) -> "Signature":
        """Return the signature of the target of a path, or of a broken link.

        Raises OSError where there is neither.
        """
        try:
            return cls.of(os.stat(path))
        except OSError:
            return cls.of(os.lstat(path))

    @property
    def identity(self) -> tuple[int, int]:
        """Device and inode."""
        return self.device, self.inode

    def is_same_file(self, other: "Signature") -> bool:
        """Whether both are one inode: written in place, not replaced by a rename."""
        return self.identity == other.identity

    def seconds_unchanged(self, now: float) -> float:
        """Return the seconds since the last change; negative if the clock went back."""
        return now - self.ctime_ns / 1e9

    def is_still(self, now: float) -> bool:
        """Whether the file counts as finished, by the kernel's clock."""
        return self.seconds_unchanged(now) >= STILL_SECONDS

    def was_written_last(self) -> bool:
        """Whether its last change may have been a write: a rename moves ctime alone."""
        return self.mtime_ns == self.ctime_ns

    def is_racy(self, now: float) -> bool:
        """Whether a later change may have left the same signature."""
        return self.seconds_unchanged(now) < RACY_SECONDS
