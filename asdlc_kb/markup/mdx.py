"""What MDX has beside Markdown, taken out: imports, exports, comments, components.

What stands within a component stays, as far to the left as the component does, since
readers of Markdown take what is indented for code. Nothing is taken out of a fence, and
every line stays on its line.
"""

import re
from collections.abc import Iterator

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
            del self._open[-1:]
        elif not tag[3]:
            self._open.append(_Component(len(tag[1])))
        return True

    def _show(self, line: str) -> str:
        for component in self._open:
            line = component.shift(line)
        if fence := _FENCE.match(line):
            mark = fence[1]
            if not self._fence:
                self._fence = mark
            elif mark.startswith(self._fence) and not line.strip(" `~"):
                self._fence = ""
        return line


class _Component:
    """One that is open: how far what is within it is moved to the left."""

    def __init__(self, indent: int) -> None:
        self._indent = indent
        self._shift: int | None = None

    def shift(self, line: str) -> str:
        """Return a line within it as if it were beside it."""
        if not line.strip():
            return line
        indent = len(line) - len(line.lstrip(" "))
        if self._shift is None:
            self._shift = max(0, indent - self._indent)
        return line[min(indent, self._shift) :]
