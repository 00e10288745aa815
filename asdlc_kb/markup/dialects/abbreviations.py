"""Abbreviations: `*[HTML]: Hyper Text Markup Language`, defined anywhere in a page.

Definitions are left out. The website shows the expansion of each use; for agents the
first one is followed by it, in parentheses. Headings do not change, since their words
are addresses.
"""

import re
from collections.abc import Iterator, Mapping
from html import escape
from typing import Final

from asdlc_kb.markup.blocks import FenceTracker, LineKind, read_heading
from asdlc_kb.markup.code_spans import STORED, store_code
from asdlc_kb.markup.dialects.source import Output

MAX_ABBREVIATIONS: Final = 300
"""Abbreviations of one page; further definitions are left out without effect."""

_DEFINITION: Final = re.compile(r" {0,3}\*\[([^\[\]\n]{1,100})\]:[ \t]*(.*\S)")
_HIDDEN: Final = re.compile(
    r"!?\[[^\[\]]*+\]\([^()\s]*+|\]\([^()\s]*+|\]\[[^\[\]]*+\]|</?+[A-Za-z][^<>]{0,2000}+>"
    r"|https?://[^\s<>)\]\"']++|\[\^[^\[\]\s]++\]"
)
"""Pictures and words of links, addresses and tags."""


def expand_abbreviations(text: str, output: Output) -> str:
    """Return a text without its definitions, and with their expansions."""
    if "*[" not in text:
        return text
    found: dict[str, str] = {}
    lines = list(_cut_definitions(text.split("\n"), found))
    if not found:
        return text
    writer = _Writer(found, output)
    fence = FenceTracker()
    for at, line in enumerate(lines):
        if fence.classify(line) is LineKind.TEXT and not _is_kept(line):
            lines[at] = writer.write(line)
    return "\n".join(lines)


def _cut_definitions(lines: list[str], found: dict[str, str]) -> Iterator[str]:
    fence = FenceTracker()
    for line in lines:
        definition = None
        if fence.classify(line) is LineKind.TEXT:
            definition = _DEFINITION.fullmatch(line)
        if definition is None:
            yield line
        elif len(found) < MAX_ABBREVIATIONS:
            found.setdefault(definition[1].strip(), definition[2])


def _is_kept(line: str) -> bool:
    """Whether a line is a heading, indented code or a definition of a link."""
    is_code = line.startswith("    ") and not line.lstrip().startswith(("-", ">", "*"))
    is_link = line.startswith("[") and "]:" in line
    return is_code or is_link or read_heading(line) is not None


class _Writer:
    """Writes the expansions of one page."""

    def __init__(self, expansions: Mapping[str, str], output: Output) -> None:
        self._expansions = expansions
        self._output = output
        self._used: set[str] = set()
        names = sorted(map(re.escape, expansions), key=len, reverse=True)
        self._name = re.compile(rf"(?<!\w)(?:{'|'.join(names)})(?!\w)")

    def write(self, line: str) -> str:
        """Return a line with the expansions of its abbreviations."""
        if not self._name.search(line):
            return line
        stored: list[str] = []
        bare = store_code(
            line.replace("\0", "\N{REPLACEMENT CHARACTER}"), stored, has_marks=True
        )

        def hide(match: re.Match[str]) -> str:
            stored.append(match[0])
            return f"\0{len(stored) - 1}\0"

        bare = _HIDDEN.sub(hide, bare)
        bare = self._name.sub(self._expand, bare)
        for _ in range(2):
            bare = STORED.sub(lambda match: stored[int(match[1])], bare)
        return bare

    def _expand(self, match: re.Match[str]) -> str:
        name = match[0]
        meaning = self._expansions[name]
        if self._output is Output.HTML:
            return f'<abbr title="{escape(meaning)}">{name}</abbr>'
        if name in self._used:
            return name
        self._used.add(name)
        return f"{name} ({meaning})"
