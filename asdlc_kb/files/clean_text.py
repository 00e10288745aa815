"""Removal of invisible characters from file texts and values, reported as problems.

- KB015 a text has characters that a reader cannot see
"""

from dataclasses import dataclass
from typing import Final, NamedTuple

from asdlc_kb.files.problem import Problem
from asdlc_kb.frontmatter.nodes import Mapping, Scalar, Sequence, Value
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
    unseen: frozenset[str]
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


@dataclass(slots=True)
class FieldCleaner:
    """The frontmatter of a file, whose values are cleaned as they are read.

    The text was clean, but escapes in it may yield other characters.
    """

    path: str
    fields: Mapping
    problems: list[Problem]
    """Of the file; those of values are added."""
    removed: int
    """Number of invisible characters removed so far."""
    unseen: frozenset[str] = frozenset()
    """See `CleanText.unseen`: these are not counted again."""

    def clean(self, value: Scalar) -> str:
        """Return a value without invisible characters, which are reported."""
        clean = strip_invisible(value.text)
        if clean.isascii() and len(clean) == len(value.text):
            # Nothing to count, as in most values.
            return clean
        self.removed += len(value.text) - len(clean)
        uncounted = "".join(c for c in clean if c not in self.unseen)
        for count, advice in (
            (count_removed(value.text, clean), _REMOVED),
            (count_unseen(uncounted), _SERVED),
        ):
            if count is not None:
                where = self.path, value.line, value.column
                message = f"escapes of {count.message}, {advice}"
                self.problems.append(Problem(*where, "KB015", message))
        return clean

    def clean_list(self, value: Value | None) -> list[tuple[str, Scalar]]:
        """Return the texts of a list that are not blank, on one line, with nodes.

        `a, b` is a list too; a mapping and items that are not scalars are ignored.
        """
        if isinstance(value, Sequence):
            scalars = [item for item in value.items if isinstance(item, Scalar)]
            parts = [(self.clean(item), item) for item in scalars]
        elif isinstance(value, Scalar) and not value.is_null:
            parts = [(part, value) for part in self.clean(value).split(",")]
        else:
            parts = []
        return [(" ".join(part.split()), item) for part, item in parts if part.strip()]


def find_escapes(path: str, data: str) -> Problem | None:
    """Return the invisible characters in data whose escapes are served as written.

    `data` has the characters for which the escapes stand.
    """
    removed = count_removed(data, strip_invisible(data))
    if removed is None:
        return None
    return Problem(path, 1, 1, "KB015", f"escapes of {removed.message}: remove them")
