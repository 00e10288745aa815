"""Includes of one file in another, in the syntax of a dialect.

Nesting, number and size are bounded, and no file includes itself. An include that is
refused leaves `[not included: path]`.
"""

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple, Protocol

from asdlc_kb.exceptions import UnreadableFile
from asdlc_kb.markup.blocks import choose_fence
from asdlc_kb.markup.dialects.source import dedent
from asdlc_kb.markup.link_rewriter import rewrite_links
from asdlc_kb.markup.sections import split_sections

_MARKDOWN: Final = (".md", ".mdx", ".markdown")
"""Suffixes of files in which includes are resolved."""

MAX_NESTED: Final = 8
"""Files that include each other in a row."""

MAX_INCLUDES: Final = 500
"""Includes of one page, nested ones counted."""

MAX_CHARS: Final = 1024 * 1024
"""Characters that the includes of one page add."""

_NAME: Final = r"\s*(?i:{0})(?![\w-])"
_COMMENT: Final = r"^\s*(?://+|#+|--|'|%|<!--|/\*)\s*"
_START: Final = (
    rf"(?:--8<--\s*\[start:{_NAME}|ANCHOR:{_NAME}|#?\bregion{_NAME}"
    rf"|^\s*(?:///|###)\s*\[{_NAME}\s*\]|{_COMMENT}<{_NAME}\s*>)"
)
_END: Final = (
    rf"(?:--8<--\s*\[end:{_NAME}|ANCHOR_END:{_NAME}"
    rf"|#?endregion(?:{_NAME}|\s*\W*$)|^\s*(?:///|###)\s*\[{_NAME}\s*\]"
    rf"|{_COMMENT}</{_NAME}\s*>)"
)
_MARK: Final = re.compile(
    r"--8<--\s*\[(?:start|end):|\bANCHOR(?:_END)?:\s*[\w-]"
    r"|(?://|#|--|<!--)\s*#?(?:end)?region\b"
)
"""A line that begins or ends a named part of a file."""
_NOT_RELATIVE: Final = re.compile(r"[/#?{@~]|[A-Za-z][A-Za-z0-9+.-]*:")
_PATH: Final = re.compile(r"[^?#]*")
_PLACEHOLDER: Final = re.compile(r"\[\[\s*+#([\w-]++)([^\[\]\n]*+)\]\]")


class Include(NamedTuple):
    """An include in a text."""

    start: int
    end: int
    """Its characters in the text."""
    path: str
    """As written."""
    ranges: tuple[tuple[int, int | None], ...] = ()
    """First and last lines, from 1, that are included; all if empty."""
    section: str = ""
    """The name of the part of the file that is included."""
    language: str | None = None
    """The language of a code block that is written around it; None for none."""
    values: Mapping[str, str] = {}
    """What stands for `[[#name]]` in the included part."""
    heading: str = ""
    """The heading of the section that is included; all if empty."""
    after: str = ""
    """Words behind which the included part begins; the whole file if empty."""
    before: str = ""
    """Words before which it ends."""
    has_own_links: bool = False
    """Whether relative links in the file are relative to it, not to the page."""


FindIncludes = Callable[[str], Iterator[Include]]
"""Yield the includes of a text, in order, without overlap."""


class IncludedFile(NamedTuple):
    """A file that is included."""

    path: str
    """Identifies the file; includes in it are relative to it."""
    text: str


class IncludeReader(Protocol):
    """Reads included files."""

    def read(self, written: str, source: str) -> IncludedFile:
        """Return the file that `source` includes; raise UnreadableFile if refused."""


@dataclass(slots=True)
class RefusedInclude:
    """An include that was not resolved."""

    path: str
    line: int
    """In the page, of the include or of the one that led to it."""
    reason: str


@dataclass(slots=True)
class Includer:
    """Resolves the includes of one page."""

    find: FindIncludes
    reader: IncludeReader
    refused: list[RefusedInclude] = field(default_factory=list)
    _count: int = 0
    _chars: int = 0

    def expand(self, text: str, path: str) -> str:
        """Return the text of the file at `path` with its includes."""
        return self._expand(text, (path,), 0)

    def _expand(self, text: str, above: tuple[str, ...], line: int) -> str:
        parts: list[str] = []
        at = row = 0
        for include in self.find(text):
            row += text.count("\n", at, include.start)
            indent = _indent_of(text, include.start)
            shown = self._include(include, above, line or row + 1)
            parts += (text[at : include.start], shown.replace("\n", f"\n{indent}"))
            row += text.count("\n", include.start, include.end)
            at = include.end
        return "".join([*parts, text[at:]]) if parts else text

    def _include(self, include: Include, above: tuple[str, ...], line: int) -> str:
        self._count += 1
        try:
            if self._count > MAX_INCLUDES:
                raise UnreadableFile(f"more than {MAX_INCLUDES} includes", "use fewer")
            if len(above) > MAX_NESTED:
                raise UnreadableFile("includes are nested too deeply", "nest them less")
            file = self.reader.read(include.path, above[-1])
            if file.path in above:
                raise UnreadableFile("the file includes itself", "remove the include")
            text = _fill(select_lines(file.text, include), include.values)
            self._chars += len(text)
            if self._chars > MAX_CHARS:
                advice = f"the includes of a page add at most {MAX_CHARS:,} characters"
                raise UnreadableFile("too much is included", advice)
        except UnreadableFile as error:
            self.refused.append(RefusedInclude(include.path, line, str(error)))
            return f"[not included: {include.path}]"
        if include.language is None and file.path.lower().endswith(_MARKDOWN):
            shown = self._expand(text, (*above, file.path), line)
            if include.has_own_links:
                shown = _move_links(shown, file.path, above[-1])
            return shown
        return _fence(text, include.language)


def _move_links(text: str, source: str, page: str) -> str:
    """Return a text with its relative links as they are written in another file."""
    folder = posixpath.relpath(posixpath.dirname(source), posixpath.dirname(page))

    def rewrite(href: str) -> str | None:
        if folder == "." or _NOT_RELATIVE.match(href):
            return None
        path = _PATH.match(href)
        assert path is not None
        moved = posixpath.normpath(posixpath.join(folder, path[0]))
        slash = "/" if path[0].endswith("/") else ""
        return f"{moved}{slash}{href[path.end() :]}"

    return rewrite_links(text, rewrite)


def select_lines(text: str, include: Include) -> str:
    """Return the included part of a file, dedented, without the marks of parts.

    Raises UnreadableFile if it has no part of that name.
    """
    text = _select_between(text, include.after, include.before)
    lines = text.rstrip("\n").split("\n")
    if include.heading:
        lines = _select_section(text, include.heading)
    if include.section:
        name = re.escape(include.section)
        start = re.compile(_START.format(name))
        end = re.compile(_END.format(name))
        first = next((n for n, line in enumerate(lines) if start.search(line)), None)
        if first is None:
            reason = f"the file has no part named {include.section}"
            raise UnreadableFile(reason, "name one of its parts")
        rest = lines[first + 1 :]
        last = next((n for n, line in enumerate(rest) if end.search(line)), len(rest))
        lines = dedent(rest[:last])
    if include.ranges:
        lines = dedent(
            [line for first, last in include.ranges for line in lines[first - 1 : last]]
        )
    return "\n".join(line for line in lines if not _MARK.search(line))


def _select_between(text: str, after: str, before: str) -> str:
    """Return the text between two words."""
    for words in filter(None, (after, before)):
        if words not in text:
            reason = f"the file has no {words!r}"
            raise UnreadableFile(reason, "name words that it has")
    text = text.partition(after)[2] if after else text
    return text.partition(before)[0] if before else text


def _select_section(text: str, heading: str) -> list[str]:
    """Return the lines of a heading with the sections below it."""
    sections = split_sections(text)
    wanted = " ".join(heading.split()).casefold()
    found = (" ".join(section.heading.split()).casefold() for section in sections)
    at = next((at for at, words in enumerate(found) if words == wanted), None)
    if at is None:
        reason = f"the file has no heading {heading}"
        raise UnreadableFile(reason, "name one of its headings")
    parts = [sections[at].markdown]
    for below in sections[at + 1 :]:
        if below.level <= sections[at].level:
            break
        parts.append(below.markdown)
    return "".join(parts).rstrip("\n").split("\n")


def _fill(text: str, values: Mapping[str, str]) -> str:
    """Replace the placeholders of a template; a default stands in `[[#name x]]`."""
    if not values:
        return text
    return _PLACEHOLDER.sub(lambda m: values.get(m[1], m[2].strip()), text)


def _indent_of(text: str, start: int) -> str:
    """Return the blanks before an include that is first in its line."""
    head = text[text.rfind("\n", 0, start) + 1 : start]
    return head if not head.strip(" >") else ""


def _fence(text: str, language: str | None) -> str:
    if language is None:
        return text
    mark = choose_fence(text)
    return f"{mark}{language}\n{text}\n{mark}"
