"""Texts and values of files without invisible characters, and the problems they had.

- KB015 a text has characters that a reader cannot see
"""

from collections.abc import Set
from typing import Final, NamedTuple

from asdlc_kb.files.problem import Problem
from asdlc_kb.frontmatter.nodes import Scalar
from asdlc_kb.unicode.counts import count_removed, count_unseen
from asdlc_kb.unicode.invisible import strip_invisible

_REMOVED: Final = "left out: remove them"
_SERVED: Final = "served: check what they are for"


class CleanText(NamedTuple):
    """A text without invisible characters."""

    text: str
    removed: int
    """Characters that were removed."""
    problems: tuple[Problem, ...]
    unseen: frozenset[str] = frozenset()
    """Characters of a file that were counted because they may show nothing."""


def clean_text(path: str, text: str) -> CleanText:
    """Return the text of a file, each problem at the first character that it counts."""
    clean = strip_invisible(text)
    unseen = count_unseen(text)
    problems = []
    for found, advice in ((count_removed(text, clean), _REMOVED), (unseen, _SERVED)):
        if found is not None:
            line = text.count("\n", 0, found.at) + 1
            column = found.at - text.rfind("\n", 0, found.at)
            message = f"{found.message}, {advice}"
            problems.append(Problem(path, line, column, "KB015", message))
    characters = unseen.characters if unseen is not None else frozenset()
    return CleanText(clean, len(text) - len(clean), tuple(problems), characters)


def clean_value(path: str, value: Scalar, counted: Set[str]) -> CleanText:
    """Return a value of a file's clean text: what escapes stand for is not clean.

    `counted` is what `clean_text` found unseen in the file, which does not count again.
    """
    clean = strip_invisible(value.text)
    escaped = "".join(c for c in clean if c not in counted) if counted else clean
    problems = tuple(
        Problem(
            path,
            value.line,
            value.column,
            "KB015",
            f"escapes of {found.message}, {advice}",
        )
        for found, advice in (
            (count_removed(value.text, clean), _REMOVED),
            (count_unseen(escaped), _SERVED),
        )
        if found is not None
    )
    return CleanText(clean, len(value.text) - len(clean), problems)
