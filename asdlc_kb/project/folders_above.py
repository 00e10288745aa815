"""Guides and hidden folders of tools in the folders above one file.

Unlike a walk through the project, this finds them at any depth and takes time only for
the depth. As there, installed packages and folders marked as generated are skipped,
and links are not followed. A tool's hidden folder (`.github`) may have guides.
"""

import os
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path
from typing import Final

from asdlc_kb.files.folder_walk import join_below
from asdlc_kb.files.paths import OpenFolder
from asdlc_kb.files.problem import Problem
from asdlc_kb.files.tree_names import INSTALLED, MARKS
from asdlc_kb.project.artifact_names import is_folder_name
from asdlc_kb.project.instruction_places import GUIDES
from asdlc_kb.project.link_targets import is_tool_folder
from asdlc_kb.project.tool_settings import read_guide_settings
from asdlc_kb.project.tree_scan import NAMES, Nested, has_entry

_NAMES: Final = (*NAMES, *sorted(MARKS))
"""Names looked up in each folder."""


def find_above(root: Path, path: str) -> Nested:
    """Return the guides and tools' folders above a path, upper folders first.

    A root that cannot be opened is a problem.
    """
    settings = read_guide_settings(root)
    nested = Nested(settings, problems=[*settings.problems])
    guides = (*GUIDES, *settings.names)
    looked_up = tuple(dict.fromkeys((*_NAMES, *settings.names)))
    with OpenFolder(root) as folder:
        for above in _list_above(path):
            try:
                with folder.open_below(above or os.curdir) as descriptor:
                    names = [one for one in looked_up if has_entry(descriptor, one)]
            except OSError as error:
                if not above:
                    message = (
                        f"cannot be listed ({error.strerror}): check its permissions"
                    )
                    nested.problems.append(Problem(".", 1, 1, "KB001", message))
                break
            if above and not MARKS.isdisjoint(names):
                break
            is_hidden = "/." in f"/{above}"
            wanted = guides if is_hidden else (*NAMES, *settings.names)
            nested.add(above, (name for name in names if name in wanted))
    return nested


def _list_above(path: str) -> Iterator[str]:
    """Yield the folders above a path that may have artifacts, the root first."""
    yield ""
    for above in accumulate(path.split("/")[:-1], join_below):
        name = above.rpartition("/")[2]
        is_own = is_folder_name(name) and name not in INSTALLED
        if not is_own and not is_tool_folder(name):
            return
        yield above
