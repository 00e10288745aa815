"""Recognition of a content folder that is documentation, not articles.

Fails closed: a folder in which any file may be an article, or that was served as
articles before, is never served as documentation, where pages need no status.
"""

import re
from pathlib import Path
from typing import Final

from asdlc_kb.exceptions import UnreadableFile
from asdlc_kb.files.paths import OpenFolder
from asdlc_kb.files.reader import ChangedWhileRead, read_file
from asdlc_kb.files.tree_listing import check_page_path, find_markdown, list_tree
from asdlc_kb.frontmatter.status_scan import cut_frontmatter

MAX_FILES: Final = 20_000
"""Files that are looked at; a folder with more is not recognized."""

_FIELD: Final = re.compile(
    r"(?im)(?:^[^\S\n]*+|[{,]\s*+)[\"']?(?:status|lastUpdated|maturity)[\"']?[ \t]*[:=]"
)
"""A line of frontmatter that only articles have."""

_FENCES: Final = ("---", "+++", "{")
"""What frontmatter of any format begins with."""

_HEAD_CHARS: Final = 32 * 1024
"""Characters of a file that are searched: more than frontmatter can have."""


def is_documentation(root: Path) -> bool:
    """Whether a folder has Markdown files, and none of them may be an article.

    Blocks: it reads every file.
    """
    with OpenFolder(root, check_page_path) as folder:

        def is_article(path: str) -> bool:
            # A link may be refused, which only the whole listing finds out.
            return not (root / path).is_symlink() and _may_be_article(
                root, path, folder
            )

        # Ends at the first article: most folders that are named have some.
        if find_markdown(root, is_article, 1):
            return False
        try:
            listing = list_tree(root, max_files=MAX_FILES + 1)
        except OSError:
            return False
        if not 0 < len(listing.files) <= MAX_FILES or listing.unreadable:
            return False
        links = (path for path in listing.files if (root / path).is_symlink())
        return not any(_may_be_article(root, path, folder) for path in links)


def _may_be_article(root: Path, path: str, folder: OpenFolder) -> bool:
    """Whether a file has frontmatter with a field of an article, or cannot be read."""
    try:
        text = read_file(root, path, folder=folder).text
    except UnreadableFile as error:
        return not error.head or _FIELD.search(error.head) is not None
    except (OSError, ChangedWhileRead):
        return True
    bare = text.lstrip()
    if not bare.startswith(_FENCES):
        return False
    return _FIELD.search(cut_frontmatter(bare), 0, _HEAD_CHARS) is not None
