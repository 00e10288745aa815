"""Publication statuses in frontmatter that cannot be parsed, which may hide a file."""

import re
from collections.abc import Set

from asdlc_kb.exceptions import FrontmatterError
from asdlc_kb.frontmatter.parser import split

_STATUS = re.compile(r"(?i)\bstatus[\"']?\s*:[ \t]*[\"']?([^\n,\"'}#]*)")


def scan_statuses(text: str) -> Set[str]:
    """Return every `status` value in a text, on any line, as written."""
    return {match[1].strip() for match in _STATUS.finditer(text)}


def cut_frontmatter(text: str) -> str:
    """Return the frontmatter, or the whole text without fences."""
    try:
        return split(text).frontmatter or text
    except FrontmatterError:
        return text
