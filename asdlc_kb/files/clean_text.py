"""Removal of invisible characters from file texts and values, reported as problems.

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
    """Kept characters of a file that may render as nothing, already counted."""


def clean_text(path: str, text: str) -> CleanText:
    """Clean the text of a file; each problem is at its first counted character."""
    clean = strip_invisible(text)
    unseen = count_unseen(text)
    problems = []
    for count, advice in ((count_removed(text, clean), _REMOVED), (unseen, _SERVED)):
        if count is not None:
            line = text.count("\n", 0, count.at) + 1
            column = count.at - text.rfind("\n", 0, count.at)
            message = f"{count.message}, {advice}"
            problems.append(Problem(path, line, column, "KB015", message))
    characters = unseen.characters if unseen is not None else frozenset()
    return CleanText(clean, len(text) - len(clean), tuple(problems), characters)


def clean_value(path: str, value: Scalar, counted: Set[str]) -> CleanText:
    """Clean a value parsed from clean text: its escapes may yield other characters.

    `counted` are the `unseen` characters of `clean_text`, which are not counted again.
    """
    clean = strip_invisible(value.text)
    escaped = "".join(c for c in clean if c not in counted) if counted else clean
    problems = tuple(
        Problem(
            path,
            value.line,
            value.column,
            "KB015",
            f"escapes of {count.message}, {advice}",
        )
        for count, advice in (
            (count_removed(value.text, clean), _REMOVED),
            (count_unseen(escaped), _SERVED),
        )
        if count is not None
    )
    return CleanText(clean, len(value.text) - len(clean), problems)
