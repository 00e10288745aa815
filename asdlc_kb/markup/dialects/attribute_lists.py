"""Attribute lists after headings, paragraphs and spans: `{ #id .cls key="value" }`.

As Python-Markdown, kramdown and goldmark write them. Only ids have a meaning: that of a
heading is written `## Words {#id}`, others are targets of links on the website.
"""

import re
from html import escape
from typing import Final

from asdlc_kb.markup.anchors import slugify
from asdlc_kb.markup.dialects.dialect import InlineRule
from asdlc_kb.markup.dialects.source import Output

_VALUE: Final = r"""(?:"[^"\n{}]*+"|'[^'\n{}]*+'|[^\s{}"'`]++)"""
_ITEM: Final = (
    rf"(?:\#[^\s{{}}]++|\.[^\W\d][\w:/.-]*+|[^\W\d][\w:.@-]*+={_VALUE}"
    r"|data-[\w-]++|(?:download|hidden|loop|markdown|muted)(?![\w-]))"
)
_ITEMS: Final = rf"[ \t]*+{_ITEM}(?:[ \t]++{_ITEM})*+[ \t]*+"

LIST: Final = rf"\{{:?{_ITEMS}\}}"
"""The pattern of an attribute list."""

_ID: Final = re.compile(r"""\#([^\s{}]++)|\bid=(?:"([^"]*)"|'([^']*)'|([^\s{}]++))""")
_LIST: Final = re.compile(LIST)
_MARKS: Final = r"[ \t>]*+"
_BLOCK: Final = rf"\{{:{_ITEMS}\}}"


_PLAIN_HEADING: Final = re.compile(r"[ ]{0,3}#{1,6}[ \t]+([^\[\]<>&_!\\{}\0]+)")
"""A heading of words with no mark that could be no part of its anchor."""


def find_id(attributes: str) -> str:
    """Return the id in an attribute list; empty if it has none."""
    found = _ID.search(attributes)
    return next((id for id in found.groups() if id), "") if found else ""


def find_classes(attributes: str) -> list[str]:
    """Return the classes in an attribute list."""
    bare = attributes.strip("{}: \t")
    return [item[1:] for item in bare.split() if item.startswith(".")]


def _write_heading(match: re.Match[str], output: Output) -> str:
    heading = match[1].rstrip()
    start = heading.rfind("{")
    found = _LIST.fullmatch(heading, start)
    if found is None or heading[start - 1 : start] == "\\":
        return match[0]
    return _add_id(heading[:start], found[0])


def _write_heading_above(match: re.Match[str], output: Output) -> str:
    """Move the list below a heading into it; its line becomes a blank one."""
    return f"{_add_id(match[1], match[2])}\n"


def _add_id(words: str, attributes: str) -> str:
    id = find_id(attributes)
    words = words.rstrip()
    if not id or words.endswith("}") or _is_default(words, id):
        return words
    return f"{words} {{#{id}}}"


def _is_default(heading: str, id: str) -> bool:
    """Whether a heading without the id has it as its anchor."""
    plain = _PLAIN_HEADING.fullmatch(heading)
    return plain is not None and slugify(plain[1]) == id


def _write_annotated(match: re.Match[str], output: Output) -> str:
    """Mark the numbers in a paragraph that stand for the items of a list below."""
    if "annotate" not in find_classes(match[2]):
        return match[0]
    shown = r"<sup>(\1)</sup>" if output is Output.HTML else r"(\1)"
    return _NUMBER.sub(shown, match[1])


def write_anchor(attributes: str, output: Output) -> str:
    """Return the target of links to the id in an attribute list."""
    id = find_id(attributes)
    has_anchor = id and output is Output.HTML
    return f'<a id="{escape(id)}"></a>' if has_anchor else ""


def _write_line(match: re.Match[str], output: Output) -> str:
    return write_anchor(match[0], output)


def _drop_after_span(match: re.Match[str], output: Output) -> str:
    """Leave a list out, unless it follows parentheses that are no link."""
    before = match.string[max(0, match.start() - 2) : match.start()]
    is_text = before.endswith(")") and before[0] not in "\0\"'"
    return match[0] if is_text else write_anchor(match[0], output)


_NUMBER: Final = re.compile(r"\((\d{1,3})\)!?")

ATX_HEADING: Final = InlineRule(
    re.compile(rf"(?m)^({_MARKS}\#{{1,6}}[ \t].*\}})[ \t#]*$"),
    _write_heading,
    sign="}",
)
"""`## Words { #id }`."""

SETEXT_HEADING: Final = InlineRule(
    re.compile(r"(?m)^(.*\})[ \t]*(?=\n {0,3}(?:=+|-+)[ \t]*$)"),
    _write_heading,
    sign="}",
)
"""`Words { #id }` above a line of `=` or `-`."""

LINE_BELOW_HEADING: Final = InlineRule(
    re.compile(rf"(?m)^({_MARKS}\#{{1,6}}[ \t].*)\n{_MARKS}({_BLOCK})[ \t]*$"),
    _write_heading_above,
    sign="{:",
)
"""`{: #id }` in the line below a heading."""

ANNOTATED: Final = InlineRule(
    re.compile(rf"(?s)\A(.*\n)[ \t]*({LIST})[ \t]*\Z"),
    _write_annotated,
    sign="{",
)
"""A paragraph with `{ .annotate }`: its `(1)` stand for items of the list below it."""

LINE: Final = InlineRule(
    re.compile(rf"(?m)^{_MARKS}{LIST}[ \t]*$"), _write_line, sign="{"
)
"""A line of its own, below or above a block."""

SPAN: Final = InlineRule(
    re.compile(rf"(?<=[])*_`\0>=^~+]){LIST}|(?<=\S)[ \t]++{_BLOCK}(?=[ \t]*$)"),
    _drop_after_span,
    sign="{",
)
"""After a link, picture, code span or emphasis."""

ATTRIBUTE_LISTS: Final = (
    ATX_HEADING,
    SETEXT_HEADING,
    LINE_BELOW_HEADING,
    LINE,
    SPAN,
)
"""Attribute lists of every kind; those of headings first."""
