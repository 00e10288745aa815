"""The status of an article, and which ones may ever be seen (seed 000)."""

from enum import StrEnum
from typing import Final

from asdlc_kb.frontmatter.status_scan import scan_statuses


class ArticleStatus(StrEnum):
    """The states of an article; the names are exact."""

    LIVE = "Live"
    EXPERIMENTAL = "Experimental"
    DRAFT = "Draft"
    PROPOSED = "Proposed"
    DEPRECATED = "Deprecated"

    @property
    def is_visible(self) -> bool:
        """Whether an article of this status may leave the server."""
        return self in VISIBLE


VISIBLE: Final = frozenset({ArticleStatus.LIVE, ArticleStatus.EXPERIMENTAL})


def hides_when_unparsable(text: str) -> bool:
    """Whether text that cannot be parsed names a status that is not a visible one.

    Such a file hides at once; it does not keep its last good version.
    """
    return not scan_statuses(text) <= {visible.value for visible in VISIBLE}
