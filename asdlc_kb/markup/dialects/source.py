"""The source of one container, from which a rule reads a construct."""

from collections.abc import Callable, Mapping, Sequence
from enum import Enum, auto
from typing import Any, Final, TypeVar

from asdlc_kb.markup.dialects.elements import Element

T = TypeVar("T")

MAX_DEPTH: Final = 12
"""Nested constructs; deeper ones stay as they are written."""


class Output(Enum):
    """What a translation is for."""

    MARKDOWN = auto()
    """Agents and search: GitHub's Markdown without tags."""
    HTML = auto()
    """The website: GitHub's Markdown with the tags that `html_renderer` allows."""


class Source:
    """The lines of a container, at the first line of a construct.

    A container's lines are without its own indent and marks.
    """

    def __init__(
        self,
        lines: Sequence[str],
        at: int,
        output: Output,
        translate: Callable[[list[str]], list[str]],
        find_elements: Callable[[], Mapping[int, Element]] = dict,
        found: dict[Callable[[Sequence[str]], Any], Any] | None = None,
    ) -> None:
        self.lines = lines
        self.at = at
        """Index of the construct's first line."""
        self.indent = count_indent(lines[at])
        """Blanks before the construct."""
        self.output = output
        self.translate = translate
        """Translate the lines of a construct's text."""
        self._find_elements = find_elements
        self._found = {} if found is None else found

    @property
    def element(self) -> Element | None:
        """The element between tags that begins in the first line, if one does."""
        return self._find_elements().get(self.at)

    def once(self, find: Callable[[Sequence[str]], T]) -> T:
        """Return what a function finds in the container, where it is called once."""
        if find not in self._found:
            self._found[find] = find(self.lines)
        found: T = self._found[find]
        return found

    @property
    def is_html(self) -> bool:
        """Whether HTML tags may be written."""
        return self.output is Output.HTML

    def take_indented(self, start: int) -> tuple[list[str], int]:
        """Return the dedented lines from `start` that are indented below the construct.

        The indent is four blanks. Returns the index of the line after the last one too.
        Blank lines at the end are not part of it.
        """
        indent = self.indent + 4
        end = last = start
        while end < len(self.lines):
            line = self.lines[end]
            if line.strip():
                if count_indent(line) < indent:
                    break
                last = end + 1
            end += 1
        return [line[indent:] for line in self.lines[start:last]], last


def count_indent(line: str) -> int:
    """Return the number of blanks that begin a line."""
    return len(line) - len(line.lstrip(" "))


def dedent(lines: Sequence[str], most: int | None = None) -> list[str]:
    """Return lines without their common indent, or without up to `most` blanks."""
    if most is None:
        indents = [count_indent(line) for line in lines if line.strip()]
        most = min(indents, default=0)
    return [line[min(count_indent(line), most) :] for line in lines]
