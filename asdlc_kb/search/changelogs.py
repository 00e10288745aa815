"""Changelogs by their names: pages that mention everything and explain little."""

import re
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Final

ASKS_FOR_CHANGES: Final = frozenset(
    """
    breaking change changed changelog changelogs changes deprecated deprecation history
    migrate migrating migration new news release released releases removed upgrade
    upgrading version versions
    """.split()
)
"""Words of a query for which changelogs are as good an answer as other pages."""

_CHANGELOG: Final = re.compile(
    r"""
    (?:^|/)
    (?: change-?logs? | changes | release-?notes? | releases | releasenotes
    |   release-?history | version-?history | history | news | what-?'?s-?new )
    (?: [-_.]?v?[\d.x-]+ )?
    (?= / | \.mdx?$ | $ )
    """,
    re.IGNORECASE | re.VERBOSE,
)


@lru_cache(maxsize=20_000)
def is_changelog(path: str, patterns: tuple[str, ...] = ()) -> bool:
    """Whether a path, or a folder in it, is named like a changelog.

    The words of a name are separated by hyphens, underscores, blanks or nothing. Paths
    that match a pattern, in which `*` matches any characters, count as well.
    """
    if any(fnmatchcase(path, pattern) for pattern in patterns):
        return True
    return _CHANGELOG.search(re.sub(r"[ _]", "-", path)) is not None
