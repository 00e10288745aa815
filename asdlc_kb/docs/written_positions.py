"""Positions in files of what `check` finds in the texts of pages.

The text of a page is translated from its dialect, and may have parts of other files. A
position is always a line of the file where the text is written.
"""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from html import escape
from itertools import islice, pairwise
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import quote, unquote

from asdlc_kb.docs.pages.page import DocPage
from asdlc_kb.exceptions import UnreadableFile
from asdlc_kb.files.dependencies import Dependency
from asdlc_kb.files.reader import ChangedWhileRead, read_file
from asdlc_kb.markup.outline import OutlineLink

_WORD: Final = re.compile(r"\w+")
_WHOLE: Final = r"(?<![\w./%#@-]){}(?![\w/#?%-]|\.\w)"
"""A whole address."""
_END: Final = r"(?<![\w.%-]){}(?![\w/?%-]|\.\w)"
"""The end of an address."""
_ANCHOR: Final = r"{}(?![\w-])"


MAX_PLACES: Final = 200
"""Places of one address that are distinguished."""


class WrittenPosition(NamedTuple):
    """A place in a file. Lines and columns count from 1."""

    path: str
    """Relative to the root of the tree."""
    line: int
    column: int


class _Line(NamedTuple):
    path: str
    number: int
    begin: int
    """Its first character in the file."""
    text: str


_NO_LINE: Final = _Line("", 0, 0, "")


class _File(NamedTuple):
    path: str
    text: str
    start: int = 0
    """The first character of its body."""

    def find_line(self, index: int) -> _Line:
        """Return the line with a character."""
        begin = self.text.rfind("\n", 0, index) + 1
        end = self.text.find("\n", begin)
        text = self.text[begin : len(self.text) if end < 0 else end]
        return _Line(self.path, self.text.count("\n", 0, begin) + 1, begin, text)

    def list_lines(self) -> Iterator[_Line]:
        """Yield the lines of the body."""
        number, begin = self.text.count("\n", 0, self.start) + 1, self.start
        for text in self.text[begin:].split("\n"):
            yield _Line(self.path, number, begin, text)
            number, begin = number + 1, begin + len(text) + 1


class WrittenPositions:
    """Finds where the text of one page is written: each place once, if possible."""

    def __init__(
        self, root: Path, page: DocPage, dependencies: Sequence[Dependency]
    ) -> None:
        self._root = root
        self._page = page
        self._dependencies = dependencies
        self._found: set[WrittenPosition] = set()

    def find_link(self, link: OutlineLink) -> WrittenPosition:
        """Return the position of a link or a picture of the text for agents."""
        if not self._page.source:
            return self._count_line(link.line, link.column)
        shown = self._shown[link.line - 1]
        for pattern in _list_patterns(link.href):
            found = islice(self._search(pattern, link, shown), MAX_PLACES)
            if scores := dict(found):
                return self._choose(scores)
        return self._find_alike(shown)

    def find_line(self, number: int) -> WrittenPosition:
        """Return the position of a line of the text for agents."""
        if not self._page.source:
            return self._count_line(number, 1)
        shown, below = (*self._shown[number - 1 :], "", "")[:2]
        scores: dict[WrittenPosition, float] = {}
        for file in self._files:
            for line, after in pairwise((*file.list_lines(), _NO_LINE)):
                is_next = bool(below) and after.text.strip() == below.strip()
                if score := 2 * is_next + (line.text.strip() == shown.strip()):
                    scores[WrittenPosition(line.path, line.number, 1)] = score
        return self._choose(scores) if scores else self._find_alike(shown)

    def _count_line(self, line: int, column: int) -> WrittenPosition:
        number = self._page.body_line + line - 1
        return WrittenPosition(self._page.path, number, column)

    def _search(
        self, pattern: re.Pattern[str], link: OutlineLink, shown: str
    ) -> Iterator[tuple[WrittenPosition, float]]:
        """Yield where a link may be written, and how alike its line there is."""
        for file in self._files:
            for match in pattern.finditer(file.text, file.start):
                line = file.find_line(match.start())
                lead = shown[link.column - 1 :].partition(match[0])[0]
                at = match.start() - line.begin
                # Else the link begins elsewhere, and this is its address.
                at -= len(lead) if line.text.endswith(lead, 0, at) else 0
                position = WrittenPosition(line.path, line.number, at + 1)
                yield position, _compare(line.text, shown)

    def _find_alike(self, shown: str) -> WrittenPosition:
        """Return the line with the most words of another one."""
        scores = {
            WrittenPosition(line.path, line.number, 1): score
            for file in self._files
            for line in file.list_lines()
            if (score := _compare(line.text, shown))
        }
        if not scores:
            return WrittenPosition(self._page.path, self._page.body_line, 1)
        return max(scores, key=scores.__getitem__)

    def _choose(self, scores: Mapping[WrittenPosition, float]) -> WrittenPosition:
        """Return the place with the highest score that was not found before."""
        new = [place for place in scores if place not in self._found]
        chosen = max(new or scores, key=scores.__getitem__)
        self._found.add(chosen)
        return chosen

    @cached_property
    def _shown(self) -> Sequence[str]:
        return self._page.body.split("\n")

    @cached_property
    def _files(self) -> Sequence[_File]:
        """The file of the page, then those that it includes."""
        path = self._page.path
        own = _read_text(self._root, path)
        above = own.split("\n")[: self._page.body_line - 1]
        files = [_File(path, own, sum(map(len, above)) + len(above))]
        for dependency in self._dependencies:
            if dependency.signature is not None:
                folder, name = os.path.split(dependency.path)
                shown = Path(os.path.relpath(dependency.path, self._root)).as_posix()
                files.append(_File(shown, _read_text(Path(folder), name)))
        return files


def _read_text(folder: Path, name: str) -> str:
    """Return the text of a file; empty if it cannot be read."""
    try:
        return read_file(folder, name).text
    except (OSError, UnreadableFile, ChangedWhileRead):
        return ""


def _list_patterns(href: str) -> Iterator[re.Pattern[str]]:
    """Yield what a link may be written as: whole, its anchor, its last name."""
    plain = unquote(href)
    yield re.compile(_WHOLE.format(_match(plain)))
    path, mark, anchor = plain.partition("#")
    if mark:
        yield re.compile(_ANCHOR.format(_match(f"#{anchor}")))
    name = path.rstrip("/").rpartition("/")[2]
    for part in (name, name.rpartition(".")[0]):
        if _WORD.search(part):
            yield re.compile(_END.format(_match(part)))


def _match(plain: str) -> str:
    """Return an expression for a text in which any character may be encoded."""
    return "".join(f"(?:{'|'.join(map(re.escape, _list_forms(c)))})" for c in plain)


def _list_forms(character: str) -> Iterator[str]:
    yield character
    if (encoded := quote(character, safe="")) != character:
        yield from (encoded, encoded.lower(), escape(character))


def _compare(text: str, shown: str) -> float:
    """Return the share of words that two lines have in common; 2 for equal lines."""
    if text.strip() == shown.strip():
        return 2
    words, others = set(_WORD.findall(text)), set(_WORD.findall(shown))
    return len(words & others) / max(len(words | others), 1)
