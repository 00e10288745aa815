"""The status of an article, and the statuses that are visible."""

from enum import StrEnum
from typing import Final

from asdlc_kb.frontmatter.status_scan import scan_statuses


class ArticleStatus(StrEnum):
    """The states of an article; names are case-sensitive."""

    LIVE = "Live"
    EXPERIMENTAL = "Experimental"
    DRAFT = "Draft"
    PROPOSED = "Proposed"
    DEPRECATED = "Deprecated"

    @property
    def is_visible(self) -> bool:
        """Whether an article with this status may be served."""
        return self in VISIBLE


VISIBLE: Final = frozenset({ArticleStatus.LIVE, ArticleStatus.EXPERIMENTAL})


def hides_when_unparsable(text: str) -> bool:
    """Whether text that cannot be parsed names a status that is not visible.

    Such a file is hidden at once: its last good version is not kept.
    """
    return not scan_statuses(text) <= {visible.value for visible in VISIBLE}
