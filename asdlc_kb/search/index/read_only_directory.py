"""Read-only index directory: an index that this process can read but not write.

An index is made once with an image or by an administrator, and served from there, if
`trusted_files` accepts it.
"""

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from asdlc_kb.exceptions import OperationalError
from asdlc_kb.search.index.directory import IndexFolder, refuse_foreign_entries
from asdlc_kb.trusted_files import is_own, refuse_untrusted

_USABLE_BY_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO


class ReadOnlyDirectory(IndexFolder):
    """A folder that is read without a lock: its files are checked after reading."""

    def __init__(self, root: Path) -> None:
        """Raise OperationalError if the folder is missing, or others may write it."""
        super().__init__(root)
        try:
            refuse_foreign_entries(root)
            for state in _read_states(root):
                refuse_untrusted(state)
        except OSError as error:
            raise OperationalError(f"it cannot be read: {error.strerror}") from error


def _read_states(root: Path) -> Iterator[os.stat_result]:
    """Yield the states of a folder and of everything in it that others can reach."""
    state = root.lstat()
    yield state
    is_private = not state.st_mode & _USABLE_BY_OTHERS
    for folder, names, files in os.walk(root, onerror=_raise):
        for name in (*names, *files):
            state = os.lstat(os.path.join(folder, name))
            if not is_private or not is_own(state):
                yield state


def _raise(error: OSError) -> None:
    raise error
