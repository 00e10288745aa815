"""What MDX has beside Markdown, taken out: imports, exports, comments, components.

What stands within a component stays, as far to the left as the component does, since
readers of Markdown take what is indented for code. Nothing is taken out of a fence, and
every line stays on its line.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_STATEMENT = re.compile(
    r"import\s+(?:['\"]|[\w$*{][^.!?]*?(?:\bfrom\s+['\"]|[{,]\s*$))"
    r"|export\s+(?:const|let|var|default|function|async|class)\b"
    r"|export\s*[{*]"
)
"""The first line of a block of imports and exports, and no sentence of English."""
_TAG = re.compile(r"( *)<(/?)[A-Z][\w.]*(?:\s[^<>]*?)?(/?)>\s*")
_COMMENT = re.compile(r" *\{/\*.*\*/\}\s*")
_FENCE = re.compile(r" *(`{3,}|~{3,})")


def strip_mdx(text: str) -> str:
    """Return the Markdown of a text."""
    return "\n".join(_Stripper().strip(text.split("\n")))


class _Stripper:
    """Goes through a text once."""

    def __init__(self) -> None:
        self._fence = ""
        self._is_statement = False
        self._begins = True
        """Whether a block may begin here: the line before is empty."""
        self._open: list[_Component] = []
        self._settled = 0
        """How many of these, the outermost ones, have their shift."""
        self._shift = 0
        """The sum of these shifts."""

    def strip(self, lines: list[str]) -> Iterator[str]:
        """Yield each line as Markdown has it."""
        for line in lines:
            yield "" if not self._fence and self._drops(line) else self._show(line)
            self._begins = self._is_statement or not line.strip()

    def _drops(self, line: str) -> bool:
        """Take in a line outside of a fence; return whether it is none of Markdown."""
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
        """End the innermost component, if one is open."""
        if self._open:
            self._shift -= self._open.pop().shift
            self._settled = min(self._settled, len(self._open))

    def _show(self, line: str) -> str:
        if line.strip():
            indent = len(line) - len(line.lstrip(" "))
            self._settle(indent)
            line = line[min(indent, self._shift) :]
        if fence := _FENCE.match(line):
            mark = fence[1]
            if not self._fence:
                self._fence = mark
            elif mark.startswith(self._fence) and not line.strip(" `~"):
                self._fence = ""
        return line

    def _settle(self, indent: int) -> None:
        """Give each component its shift whose first line has this indent."""
        left = max(0, indent - self._shift)
        for component in self._open[self._settled :]:
            component.shift = max(0, left - component.indent)
            left -= component.shift
            self._shift += component.shift
        self._settled = len(self._open)


@dataclass(slots=True)
class _Component:
    """One that is open: how far what is within it is moved to the left."""

    indent: int
    shift: int = 0
