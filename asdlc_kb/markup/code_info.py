"""Info strings of fenced code: language, title, highlighted and numbered lines.

Read in the forms of GitHub and of site generators, and written in one:
`py title="x.py" {1,3-4} linenums="1"`. The language is first, the rest in any order: a
title (`title="x.py"`, `[x.py]`, or a file's name behind the language), the lines to
highlight (`{1,3-4}` or `hl_lines="1 3-4"`, counted from 1) and line numbers
(`linenums="1"`, `showLineNumbers`, `:line-numbers=1`).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

MAX_INFO_CHARS: Final = 1_000
"""A longer info string is reduced to its language."""

MAX_RANGES: Final = 50
"""Ranges of highlighted lines; further ones are ignored."""

MAX_FIRST_NUMBER: Final = 1_000_000
"""The highest number of a first line."""

_LANGUAGE: Final = re.compile(
    r"\s*+(?:\{\s*+\.?(?=[^\W\d]|\#)|\.(?=\w))?+([\w#+./-]*+)(?!=)"
)
_PART: Final = re.compile(
    r"""\{(?P<lines>[\d\s,-]*+)\}
      | (?P<key>:?[^\W\d][\w-]*+)=
        (?:"(?P<double>[^"]*+)"|'(?P<single>[^']*+)'|\{(?P<braced>[^{}]*+)\}
          |(?P<bare>[^\s"'{}]++))
      | \[(?P<file>[^\[\]]++)\]
      | "[^"]*+" | '[^']*+' | /(?:[^/\\]|\\.)++/(?=\s|$)
      | (?P<word>[{}]|[^\s{}]++)""",
    re.VERBOSE,
)
_FILE: Final = re.compile(r"[\w@-][\w@./+-]*\.\w{1,10}")
_RANGE: Final = re.compile(r"(\d{1,7})(?:\s*-\s*(\d{1,7}))?")
_TITLES: Final = frozenset("title filename file name".split())
_NUMBERS: Final = frozenset(
    "linenums showLineNumbers lineNumbers :line-numbers".split()
)


@dataclass(slots=True)
class CodeInfo:
    """The parts of an info string."""

    language: str = ""
    """As written; may be empty."""
    title: str = ""
    highlighted: tuple[range, ...] = ()
    """Lines, counted from 1."""
    first_number: int | None = None
    """The number of the first line; None if lines are not numbered."""
    raw: str = ""
    """The info string as written."""

    def write(self, *, has_layout: bool) -> str:
        """Return the info string; without what is only layout if not `has_layout`."""
        parts = [self.language]
        if self.title:
            title = " ".join(self.title.replace('"', "'").replace("`", "'").split())
            parts.append(f'title="{title}"')
        if has_layout and self.highlighted:
            parts.append(f"{{{','.join(map(_write_range, self.highlighted))}}}")
        if has_layout and self.first_number is not None:
            parts.append(f'linenums="{self.first_number}"')
        return " ".join(part for part in parts if part)


def read_language(info: str) -> str:
    """Return the language name in the info string of a fence."""
    found = _LANGUAGE.match(info)
    return found[1].rstrip(".") if found else ""


def read_info(info: str) -> CodeInfo:
    """Return the parts of an info string; unknown ones are ignored."""
    raw = info.strip()
    found = _LANGUAGE.match(raw)
    code = CodeInfo(read_language(raw), raw=raw)
    if len(raw) > MAX_INFO_CHARS:
        return code
    label = ""
    start = found.end() if found else 0
    for number, part in enumerate(_PART.finditer(raw, start)):
        key, word = part["key"] or "", part["word"] or ""
        value = part["double"] or part["single"] or part["bare"] or ""
        if part["lines"]:
            code.highlighted += read_ranges(part["lines"])
        elif key == "hl_lines":
            code.highlighted += read_ranges(value or part["braced"] or "")
        elif key in _TITLES:
            code.title = code.title or value.strip()
        elif part["file"]:
            label = label or part["file"]
        elif word in _NUMBERS or key in _NUMBERS:
            code.first_number = _read_first(value or part["braced"] or "")
        elif number == 0 and _FILE.fullmatch(word):
            label = word
    code.title = code.title or label.strip()
    code.highlighted = code.highlighted[:MAX_RANGES]
    return code


def read_ranges(text: str) -> tuple[range, ...]:
    """Return the ranges of lines in a list such as `1,3-4`."""
    return tuple(_list_ranges(text))


def _list_ranges(text: str) -> Iterator[range]:
    for match in islice(_RANGE.finditer(text), MAX_RANGES):
        first = int(match[1])
        yield range(first, int(match[2] or first) + 1)


def _write_range(lines: range) -> str:
    last = lines.stop - 1
    return str(lines.start) if last == lines.start else f"{lines.start}-{last}"


def _read_first(value: str) -> int | None:
    """Return the number of the first line: 1 if none is stated."""
    if value.lower() == "false":
        return None
    first = int(value) if re.fullmatch("[0-9]{1,7}", value) else 1
    return min(max(first, 1), MAX_FIRST_NUMBER)
