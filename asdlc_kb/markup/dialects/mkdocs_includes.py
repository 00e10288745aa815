"""Includes of MkDocs: snippets, mdx_include, include-markdown, and FastAPI's form.

Each is alone in its line: `--8<-- "file"`, `{!file!}`, `{% include-markdown "file" %}`,
`{* file hl[1:3] ln[2:9] *}`.
"""

import re
from collections.abc import Iterator
from typing import Final

from asdlc_kb.markup.blocks import FenceTracker, LineKind
from asdlc_kb.markup.dialects.includes import Include

MAX_RANGES: Final = 50
"""Ranges of lines of one include."""

_CUT: Final = r"-{1,4}8<-{1,4}"
_LINE: Final = re.compile(
    rf"""(?:{_CUT}[ \t]+(?:"(?P<snippet>[^"]+)"|'(?P<quoted>[^']+)')
      | \{{!>?[ ]*(?P<included>[^!{{}}\s][^!{{}}]*)!\}}
      | \{{\*[ ]*(?P<code>[^\s*{{}}]+)(?P<options>[^*{{}}]*)\*\}}
      | \{{%[ ]*(?P<name>include(?:-markdown)?)[ ]+
        (?:"(?P<page>[^"]+)"|'(?P<page2>[^']+)')[^%{{}}]*%\}})$""",
    re.VERBOSE,
)
_BLOCK_MARK: Final = re.compile(rf"{_CUT}$")
_MARKS: Final = ("8<", "{!", "{*", "include")
_LINES: Final = re.compile(r":([\d,:]*)$")
_SECTION: Final = re.compile(r":([A-Za-z][\w-]*)$")
_URL: Final = re.compile(r"(?i)https?://")
_OPTION: Final = re.compile(r"\b(ln|hl)\[([\d:,\s-]*)\]")
_LANGUAGES: Final = {"yml": "yaml", "md": "markdown", "htm": "html"}


def find_includes(text: str) -> Iterator[Include]:
    """Yield the includes of a page of MkDocs.

    Snippets and files between braces may be in fenced code, too.
    """
    if not any(mark in text for mark in _MARKS):
        return
    fence = FenceTracker()
    block: _Block | None = None
    at = 0
    for line in text.split("\n"):
        start, end = at + _count_marks(line), at + len(line.rstrip())
        at += len(line) + 1
        is_text = fence.classify(line) is LineKind.TEXT
        bare = text[start:end]
        if _BLOCK_MARK.fullmatch(bare):
            if block is None:
                block = _Block(start)
            else:
                yield from block.close(end)
                block = None
        elif block is not None:
            block.add(bare, end)
        elif (found := _LINE.match(bare)) is not None and (
            is_text or not (found["code"] or found["name"])
        ):
            yield _read(found, start, end)


class _Block:
    """Names of files between two marks, one a line."""

    def __init__(self, start: int) -> None:
        self._start = start
        self._files: list[tuple[str, int]] = []

    def add(self, name: str, end: int) -> None:
        """Add the next line; one that begins with a semicolon is a comment."""
        if name and not name.startswith(";"):
            self._files.append((name.strip("\"'"), end))

    def close(self, end: int) -> Iterator[Include]:
        """Yield the includes, which take the place of all lines."""
        start = self._start
        for number, (name, line_end) in enumerate(self._files):
            is_last = number == len(self._files) - 1
            yield _read_snippet(name, start, end if is_last else line_end)
            start = line_end + 1


def _count_marks(line: str) -> int:
    """Return the number of blanks and marks of quotations that begin a line."""
    return len(line) - len(line.lstrip(" \t>"))


def _read(found: re.Match[str], start: int, end: int) -> Include:
    if found["code"]:
        return _read_code(found["code"], found["options"], start, end)
    included = found["included"] or found["page"] or found["page2"]
    if included:
        return Include(start, end, included.split("!")[0].strip())
    return _read_snippet(found["snippet"] or found["quoted"], start, end)


def _read_snippet(name: str, start: int, end: int) -> Include:
    """Read `file`, `file:part` or `file:1:3,5:7`."""
    scheme = _URL.match(name)
    lines = _LINES.search(name, scheme.end() if scheme else 0)
    if lines is not None:
        path = _cut_lines(name)
        return Include(start, end, path, _read_ranges(name[len(path) + 1 :]))
    section = _SECTION.search(name, scheme.end() if scheme else 0)
    if section is not None:
        return Include(start, end, name[: section.start()], section=section[1])
    return Include(start, end, name)


def _cut_lines(name: str) -> str:
    """Return the path before the first colon that only numbers follow."""
    bare = name.rstrip("0123456789,:")
    return name[: name.index(":", len(bare))]


def _read_ranges(written: str) -> tuple[tuple[int, int | None], ...]:
    ranges: list[tuple[int, int | None]] = []
    for part in written.split(",")[:MAX_RANGES]:
        first, colon, last = part.strip().partition(":")
        start = _read_number(first) or 1
        if colon or first:
            ranges.append((start, _read_number(last)))
    return tuple(ranges)


def _read_number(digits: str) -> int | None:
    return int(digits[:6]) if digits.isdecimal() else None


def _read_code(path: str, options: str, start: int, end: int) -> Include:
    """Read `file hl[1:3] ln[2:9]`: highlighted lines count from the file's first."""
    found = {option[1]: option[2] for option in _OPTION.finditer(options)}
    ranges = tuple(
        (first, first if last is None else last)
        for first, last in _read_ranges(found.get("ln", ""))
    )
    marked = [
        (first, first if last is None else last)
        for first, last in _read_ranges(found.get("hl", ""))
    ]
    suffix = path.rpartition(".")[2].lower()
    language = _LANGUAGES.get(suffix, suffix) if suffix.isalnum() else ""
    shown = ",".join(_shift_ranges(marked, ranges))
    info = f"{language} {{{shown}}}" if shown else language
    return Include(start, end, path, ranges, language=info)


def _shift_ranges(
    marked: list[tuple[int, int]], shown: tuple[tuple[int, int], ...]
) -> Iterator[str]:
    """Yield the marked lines by their numbers among the shown ones."""
    above = 0
    for first, last in shown or ((1, 10**6),):
        for start, end in marked:
            low, high = max(first, start), min(last, end)
            if low <= high:
                low, high = low - first + 1 + above, high - first + 1 + above
                yield str(low) if low == high else f"{low}-{high}"
        above += last - first + 1
