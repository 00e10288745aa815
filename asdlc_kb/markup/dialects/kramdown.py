"""Kramdown's own constructs: attribute lists of blocks, tables of contents, extensions.

A block with the class of a callout, in a list above or below it, is one.
"""

import re
from typing import Final

from asdlc_kb.markup.blocks import LIST_MARK, FenceTracker, LineKind, read_heading
from asdlc_kb.markup.dialects.attribute_lists import find_classes, find_id
from asdlc_kb.markup.dialects.constructs import (
    KINDS,
    trim,
    write_callout,
)
from asdlc_kb.markup.dialects.dialect import BlockRule, InlineRule, Written, drop_mark
from asdlc_kb.markup.dialects.markdown_in_html import MARKDOWN_IN_HTML
from asdlc_kb.markup.dialects.source import Output, Source, count_indent

MAX_LINES: Final = 500
"""Lines of a paragraph, an extension or details; a longer one is no construct."""

_LIST: Final = re.compile(r"\{:(?!:)([^{}\n]{0,500}+)\}[ \t]*\Z")
_ITEM: Final = re.compile(rf"{LIST_MARK}[ \t]+\S")
_TABLE_OF_CONTENTS: Final = re.compile(r"\{:[ ]*toc\b")
_EXTENSION: Final = re.compile(r"\{::(\w{1,40})([^{}\n]{0,500}?)(/)?\}[ \t]*\Z")
_EXTENSION_END: Final = re.compile(r"\{:/\w{0,40}\}[ \t]*\Z")
_INLINE_EXTENSION: Final = re.compile(
    r"\{::(comment|nomarkdown)\}((?:(?!\{::|\{:/).)*+)\{:/\w{0,40}\}", re.DOTALL
)
_OPTIONS: Final = re.compile(r"\{::\w{1,40}[^{}\n]{0,500}/\}|\{:/\w{0,40}\}")
_ITEM_LIST: Final = re.compile(
    rf"(?m)^([ \t>]*+(?:{LIST_MARK}|\[\^[^\[\]\n]{{1,100}}\]:)[ \t]+)"
    r"\{:[^{}\n]{0,500}+\}[ ]*"
)
_QUOTE: Final = re.compile(r" *+> ?")
_DETAILS: Final = re.compile(r"<details\b")
_SUMMARY: Final = re.compile(
    r"<summary>(?:(?!</summary>|<summary).)*+</summary>", re.DOTALL
)
_CONTENTS: Final = re.compile(rf"(?m)^[ ]*{LIST_MARK}[ \t]+\S.*\n[ ]*\{{:[ ]*toc\b.*$")
_LISTS: Final = re.compile(r"(?m)^[ ]*\{:.*$")
_CLOSING: Final = re.compile(r"</(?:div|section|figure|details|p|table)>[ \t]*\Z")
_CLASS: Final = re.compile(
    r"(?:notice|alert|prompt|callout|admonition|bs-callout)-{1,2}(\w+)"
)
_NAMES: Final = {"highlight": "note", "notice": "note", "primary": "note"}
_OTHERS: Final = r"(?!\{:|<|\#|[-+*][ \t]|\d{1,9}[.)][ \t]|\||`{3}|~{3}|:[ \t])"


def _find_kind(attributes: str) -> tuple[str, bool] | None:
    """Return the kind of a callout in an attribute list, and whether it has a title."""
    for name in find_classes(f"{{:{attributes}}}"):
        has_title = name.endswith("-title")
        bare = name.removesuffix("-title")
        prefixed = _CLASS.fullmatch(bare)
        kind = _NAMES.get(bare, bare) if prefixed is None else prefixed[1]
        kind = _NAMES.get(kind, kind)
        if kind in KINDS and kind not in ("default", "done", "key", "primary"):
            return kind, has_title
    return None


def _read_list(first: re.Match[str], source: Source) -> Written | None:
    """Leave an attribute list out; the block below it may be a callout."""
    found = _LIST.match(source.lines[source.at].strip())
    if found is None:
        return None
    kind = _find_kind(found[1])
    at = source.at
    if at and read_heading(source.lines[at - 1].lstrip()) and find_id(found[0]):
        return None
    is_below = at > 0 and bool(source.lines[at - 1].strip())
    end = _find_end(source, at + 1)
    if kind is None or is_below or end == at + 1:
        return Written([], at + 1)
    return Written(_write_callout(source, at + 1, end, *kind), end)


def _read_paragraph(first: re.Match[str], source: Source) -> Written | None:
    """Translate a paragraph, or a quotation, with the list of a callout below it."""
    at = source.at
    if at and source.lines[at - 1].strip():
        return None
    end = _find_end(source, at)
    if end >= len(source.lines):
        return None
    found = _LIST.match(source.lines[end].strip())
    kind = _find_kind(found[1]) if found else None
    if kind is None:
        return None
    return Written(_write_callout(source, at, end, *kind), end + 1)


def _find_end(source: Source, start: int) -> int:
    """Return the index of the line below a paragraph, which an attribute list ends."""
    fence = FenceTracker()
    last = min(len(source.lines), start + MAX_LINES)
    for end in range(start, last):
        if fence.classify(source.lines[end]) is not LineKind.TEXT:
            continue
        bare = source.lines[end].strip()
        if not bare or bare.startswith("{:"):
            return end
    return last


def _write_callout(
    source: Source, start: int, end: int, kind: str, has_title: bool
) -> list[str]:
    lines = [
        line[min(count_indent(line), source.indent) :]
        for line in source.lines[start:end]
    ]
    if all(_QUOTE.match(line) for line in lines):
        lines = [_QUOTE.sub("", line, count=1) for line in lines]
    title = ""
    if has_title:
        title, *lines = lines
    return write_callout(kind, title.strip(), source.translate(trim(lines)))


def _read_contents(first: re.Match[str], source: Source) -> Written | None:
    """Leave out the list that becomes a table of contents."""
    below = source.lines[source.at + 1 : source.at + 2]
    is_contents = bool(below) and _TABLE_OF_CONTENTS.match(below[0].strip())
    return Written([], source.at + 2) if is_contents else None


def _read_extension(first: re.Match[str], source: Source) -> Written | None:
    found = _EXTENSION.match(source.lines[source.at].strip())
    if found is None:
        return None
    if found[3]:
        return Written([], source.at + 1)
    last = min(len(source.lines), source.at + MAX_LINES)
    for at in range(source.at + 1, last):
        bare = source.lines[at].strip()
        if _EXTENSION_END.match(bare):
            body = source.lines[source.at + 1 : at]
            is_shown = found[1] == "nomarkdown"
            return Written(list(body) if is_shown else [], at + 1)
        if bare.startswith("{::"):
            break
    return None


def _read_details(first: re.Match[str], source: Source) -> Written | None:
    """Leave out details that have nothing but a table of contents."""
    element = source.element
    body = "\n".join(element.body or []) if element else ""
    if element is None or not _CONTENTS.search(body):
        return None
    rest = _LISTS.sub("", _CONTENTS.sub("", _SUMMARY.sub("", body)))
    return None if rest.strip() else Written([], element.end)


def _read_closing(first: re.Match[str], source: Source) -> Written | None:
    """Set code apart from the tag above it, which ends a block in kramdown only."""
    below = source.lines[source.at + 1 : source.at + 2]
    if not below or not below[0].lstrip().startswith(("```", "~~~")):
        return None
    return Written([source.lines[source.at].strip()], source.at + 1)


def _write_extension(match: re.Match[str], output: Output) -> str:
    return match[2] if match[1] == "nomarkdown" else ""


def _keep_mark(match: re.Match[str], output: Output) -> str:
    return match[1]


KRAMDOWN_BLOCKS: Final = (
    BlockRule(re.compile(r"\{::"), _read_extension),
    BlockRule(re.compile(r"\{:"), _read_list),
    BlockRule(_ITEM, _read_contents),
    BlockRule(_DETAILS, _read_details),
    MARKDOWN_IN_HTML,
    BlockRule(_CLOSING, _read_closing),
    BlockRule(re.compile(rf"{_OTHERS}\S"), _read_paragraph),
)

KRAMDOWN_INLINES: Final = (
    InlineRule(_INLINE_EXTENSION, _write_extension, in_addresses=True),
    InlineRule(_OPTIONS, drop_mark, in_addresses=True),
    InlineRule(_ITEM_LIST, _keep_mark, in_addresses=True, sign="{:"),
)
