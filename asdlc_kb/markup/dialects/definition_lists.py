"""Definition lists: terms, and below them `:   text`.

As PHP Markdown Extra, Python-Markdown, goldmark and kramdown write them. Agents get
them as written, with translated text; the website gets `<dl>`.
"""

import re
from typing import Final

from asdlc_kb.markup.anchors import Anchors, slugify
from asdlc_kb.markup.blocks import LIST_MARK, FenceTracker, LineKind
from asdlc_kb.markup.dialects.constructs import trim
from asdlc_kb.markup.dialects.dialect import BlockRule, Written
from asdlc_kb.markup.dialects.source import Source, count_indent
from asdlc_kb.markup.sections import split_sections

MAX_TERMS: Final = 8
"""Lines of terms above a definition; a longer paragraph is none."""

_TERM: Final = re.compile(
    rf"(?![:#>|!?/=+$`~-]{{2}}|[#>|:]|<(?!!--)|{LIST_MARK}[ \t])\S"
)
_DETAIL: Final = re.compile(r":[ \t]{1,8}(?=\S)")
_OPEN_TERM: Final = "<dt>"
_LINK: Final = re.compile(r"\[([^\[\]\n]{0,500}+)\]\([^()\s]{0,1000}+\)")


def read_definitions(first: re.Match[str], source: Source) -> Written | None:
    """Translate the terms from here, and their definitions."""
    at = source.at
    if at and source.lines[at - 1].strip():
        return None
    items: list[tuple[str, list[str]]] = []
    while (group := _read_terms(source, at)) is not None:
        terms, at = group
        items += [("dt", source.translate([term])) for term in terms]
        while (detail := _read_detail(source, at)) is not None:
            lines, at = detail
            items.append(("dd", trim(source.translate(lines))))
        # A blank line between two groups.
        following = _skip_blank(source, at)
        at = following if _read_terms(source, following) is not None else at
    if not items:
        return None
    return Written(_write_html(items) if source.is_html else _write(items), at)


def _read_terms(source: Source, at: int) -> tuple[list[str], int] | None:
    """Return the terms at a line, and the index of the first definition below them."""
    terms: list[str] = []
    while len(terms) <= MAX_TERMS and at < len(source.lines):
        line = source.lines[at]
        bare = line.strip()
        if not bare or count_indent(line) != source.indent:
            break
        if _DETAIL.match(bare):
            return (terms, at) if terms else None
        if not _TERM.match(bare):
            return None
        terms.append(bare)
        at += 1
    at = _skip_blank(source, at)
    is_detail = bool(terms) and _is_detail(source, at)
    return (terms, at) if is_detail else None


def _is_detail(source: Source, at: int) -> bool:
    if at >= len(source.lines):
        return False
    line = source.lines[at]
    bare = line.lstrip(" ")
    offset = len(line) - len(bare) - source.indent
    return 0 <= offset <= 3 and _DETAIL.match(bare) is not None


def _read_detail(source: Source, at: int) -> tuple[list[str], int] | None:
    """Return a definition's lines, and the index of the line below them."""
    at = _skip_blank(source, at)
    if not _is_detail(source, at):
        return None
    bare = source.lines[at].lstrip(" ")
    own = count_indent(source.lines[at]) - source.indent
    mark = _DETAIL.match(bare)
    head = bare[mark.end() if mark else 0 :]
    lines = [head]
    at += 1
    while at < len(source.lines):
        line = source.lines[at]
        offset = count_indent(line) - source.indent
        if line.strip() and offset <= own and _is_detail(source, at):
            break
        is_lazy = bool(line.strip()) and bool(lines[-1].strip()) and offset < 2
        if line.strip() and offset < 2 and not (is_lazy and _is_lazy(source, at)):
            break
        lines.append(line[source.indent + min(4, max(0, offset)) :])
        at += 1
    while not lines[-1].strip():
        lines.pop()
        at -= 1
    return lines, at


def _is_lazy(source: Source, at: int) -> bool:
    """Whether a line without indent continues a definition's paragraph."""
    return not _is_detail(source, at) and not source.lines[at].lstrip().startswith(
        ("#", "`", ">", "-", "*", "|", "<")
    )


def _skip_blank(source: Source, at: int) -> int:
    """Return the index of a line, or of the one after it if it is blank."""
    is_blank = at < len(source.lines) and not source.lines[at].strip()
    return at + 1 if is_blank else at


def _write(items: list[tuple[str, list[str]]]) -> list[str]:
    written: list[str] = []
    above = ""
    for tag, lines in items:
        if tag == "dt":
            written += ["", *lines] if above == "dd" else lines
        else:
            written += [f":   {line}" for line in lines[:1]]
            written += [f"    {line}".rstrip() for line in lines[1:]]
        above = tag
    return written


def _write_html(items: list[tuple[str, list[str]]]) -> list[str]:
    written = ["<dl>"]
    for tag, lines in items:
        written += [f"<{tag}>", "", *lines, "", f"</{tag}>"]
    return [*written, "</dl>"]


def name_terms(html: str) -> str:
    """Return a translation for the website in which terms have ids, as in goldmark.

    An id is made as that of a heading; the ids of headings go first.
    """
    if _OPEN_TERM not in html:
        return html
    anchors = Anchors(section.anchor for section in split_sections(html))
    fence = FenceTracker()
    lines = html.split("\n")
    for at, line in enumerate(lines[:-2]):
        is_text = fence.classify(line) is LineKind.TEXT
        if (
            is_text
            and line.lstrip(" >") == _OPEN_TERM
            and not lines[at + 1].strip(" >")
        ):
            words = _LINK.sub(r"\1", lines[at + 2].lstrip(" >"))
            if slugify(words):
                name = anchors.add(words)
                lines[at] = line.replace(_OPEN_TERM, f'<dt id="{name}">')
    return "\n".join(lines)


DEFINITION_LIST: Final = BlockRule(_TERM, read_definitions)
"""Begins with any line of text, so it is the last of a dialect's rules."""
