"""What frontmatter that cannot be parsed still says of who may see its file."""

import re
from collections.abc import Set

from asdlc_kb.exceptions import FrontmatterError
from asdlc_kb.frontmatter.parser import split

_STATUS = re.compile(r"(?i)\bstatus[\"']?\s*:[ \t]*[\"']?([^\n,\"'}#]*)")


def scan_statuses(text: str) -> Set[str]:
    """Return every status that a text names, on any line, as it is written."""
    return {match[1].strip() for match in _STATUS.finditer(text)}


def cut_frontmatter(text: str) -> str:
    """Return the frontmatter, or the whole text where no fences show it."""
    try:
        return split(text).frontmatter or text
    except FrontmatterError:
        return text
