"""Trust in files of a cache: which users may have written what is served (D-165).

A cache is made once with an image or by an administrator, or by this process. Its texts
are shown in results, so it must come from root or the server's own user, and no other
user may be able to write it.
"""

import os
import stat
from typing import Final

from asdlc_kb.exceptions import OperationalError

_ROOT_USER: Final = 0

_WRITABLE_BY_OTHERS: Final = stat.S_IWGRP | stat.S_IWOTH


def refuse_untrusted(state: os.stat_result) -> None:
    """Raise OperationalError for a link, or a file that another user can write."""
    if not is_own(state):
        raise OperationalError("it belongs to another user")
    is_link = stat.S_ISLNK(state.st_mode)
    if is_link or state.st_mode & _WRITABLE_BY_OTHERS:
        raise OperationalError("other users can write to it")


def is_own(state: os.stat_result) -> bool:
    """Whether a file belongs to root, or to the user of this process."""
    return state.st_uid in (_ROOT_USER, os.geteuid())
