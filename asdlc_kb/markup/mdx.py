"""Conversion of MDX to Markdown: removes imports, exports, comments and component tags.

The content of a component is kept and dedented to the component's indent, since
indented Markdown would be code. Fences are unchanged, and line numbers are preserved.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from asdlc_kb.markup.blocks import FenceTracker

_STATEMENT = re.compile(
    r"import\s+(?:['\"]|[\w$*{][^.!?]*?(?:\bfrom\s+['\"]|[{,]\s*$))"
    r"|export\s+(?:const|let|var|default|function|async|class)\b"
    r"|export\s*[{*]"
)
"""The first line of imports or exports, and not a sentence of English."""
_TAG = re.compile(r"( *)<(/?)[A-Z][\w.]*(?:\s[^<>]*?)?(/?)>\s*")
_COMMENT = re.compile(r" *\{/\*.*\*/\}\s*")


def strip_mdx(text: str) -> str:
    """Return the Markdown of a text."""
    return "\n".join(_Stripper().strip(text.split("\n")))


class _Stripper:
    """Converts a text in one pass."""

    def __init__(self) -> None:
        self._fence = FenceTracker()
        self._is_statement = False
        self._begins = True
        """Whether a block may begin here: the line before is blank."""
        self._open: list[_Component] = []
        self._shifted = 0
        """Number of open components, from the outermost, with a known shift."""
        self._shift = 0
        """The sum of the known shifts."""

    def strip(self, lines: list[str]) -> Iterator[str]:
        """Yield each line as Markdown."""
        for line in lines:
            yield (
                ""
                if not self._fence.is_open and self._drops(line)
                else self._show(line)
            )
            self._begins = self._is_statement or not line.strip()

    def _drops(self, line: str) -> bool:
        """Read a line outside fences; return whether it is not Markdown."""
        if not line.strip():
            self._is_statement = False
            return False
        if self._begins and _STATEMENT.match(line):
            self._is_statement = True
        if self._is_statement or _COMMENT.fullmatch(line):
            return True
        tag = _TAG.fullmatch(line)
        if tag is None:
            return False
        if tag[2]:
            self._close()
        elif not tag[3]:
            self._open.append(_Component(len(tag[1])))
        return True

    def _close(self) -> None:
        """Close the innermost component, if one is open."""
        if self._open:
            self._shift -= self._open.pop().shift
            self._shifted = min(self._shifted, len(self._open))

    def _show(self, line: str) -> str:
        if line.strip():
            indent = len(line) - len(line.lstrip(" "))
            self._set_shifts(indent)
            line = line[min(indent, self._shift) :]
        self._fence.classify(line)
        return line

    def _set_shifts(self, indent: int) -> None:
        """Set the shift of each component that has this indent in its first line."""
        left = max(0, indent - self._shift)
        for component in self._open[self._shifted :]:
            component.shift = max(0, left - component.indent)
            left -= component.shift
            self._shift += component.shift
        self._shifted = len(self._open)


@dataclass(slots=True)
class _Component:
    """An open component, and how far its content is dedented."""

    indent: int
    shift: int = 0
