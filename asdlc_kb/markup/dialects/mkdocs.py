"""The dialect of MkDocs: Python-Markdown with PyMdown Extensions.

Material for MkDocs, Zensical and mkdocstrings included.
"""

import re
from bisect import bisect_right
from collections.abc import Sequence
from html import unescape
from typing import Final

from asdlc_kb.markup.blocks import FenceTracker, LineKind
from asdlc_kb.markup.code_info import CodeInfo
from asdlc_kb.markup.dialects.abbreviations import expand_abbreviations
from asdlc_kb.markup.dialects.attribute_lists import (
    ANNOTATED,
    ATTRIBUTE_LISTS,
    LIST,
    write_anchor,
)
from asdlc_kb.markup.dialects.constructs import trim
from asdlc_kb.markup.dialects.critic_marks import CRITIC_LINE, CRITIC_MARKS
from asdlc_kb.markup.dialects.cross_references import resolve_references
from asdlc_kb.markup.dialects.definition_lists import DEFINITION_LIST
from asdlc_kb.markup.dialects.dialect import (
    BlockRule,
    Dialect,
    InlineRule,
    Written,
    drop_line,
    drop_mark,
)
from asdlc_kb.markup.dialects.emoji import EMOJI, ICON
from asdlc_kb.markup.dialects.inline_marks import INLINE_MARKS
from asdlc_kb.markup.dialects.markdown_in_html import MARKDOWN_IN_HTML, find_tags
from asdlc_kb.markup.dialects.mkdocs_includes import find_includes
from asdlc_kb.markup.dialects.pymdown_blocks import PYMDOWN_BLOCKS
from asdlc_kb.markup.dialects.source import Output, Source

_ANNOTATION: Final = re.compile(r"(\(\d{1,3}\))!(?=\s|$|-->|\*/)")
_ESCAPED_SNIPPET: Final = re.compile(r"^([ \t>]*);+(?=-{1,4}8<-{1,4}(?:[ \t]|$))")
_TABBED: Final = re.compile(
    r"(?m)^[ \t]*+(?:!!!|\?\?\?|===[+!]{0,2}[ ]|:[ ]).*+\n(?:[ \t]*+\n)?[ ]*+\t"
)
"""The first lines of a construct and text below it that is indented with tabs."""
_DEFINITION: Final = re.compile(
    r"(?m)^[ ]{2,8}+\[[^\[\]\n^][^\[\]\n]{0,998}\]:[ \t]+\S"
)
_TERMINAL: Final = re.compile(
    r"<div class=[\"']?(?:termy|use-termynal)[\"']?[^<>]*>[ ]*$"
)
_TERMINAL_END: Final = re.compile(r"[ ]*</div>[ ]*$")
_COLOUR: Final = re.compile(r"</?(?:b|font|i|span|u)(?:[ ][^<>]*)?>")
_LANGUAGE: Final = re.compile(
    r"(?s)(`++[ ]?)(?:#!|:::)[\w+#.-]+[ ]+(?=\S)(?!`++\Z)(.*)"
)


def _expand_tabs(text: str) -> str:
    """Return a text with blanks instead of the tabs that indent a construct's text.

    Code outside constructs keeps its tabs.
    """
    if "\t" not in text or not _TABBED.search(text):
        return text
    lines = text.split("\n")
    fence = FenceTracker()
    columns = 0
    for at, line in enumerate(lines):
        kind = fence.classify(line)
        bare = line.lstrip(" \t")
        indent = line[: len(line) - len(bare)]
        if kind is LineKind.FENCE and fence.is_open:
            columns = len(indent.expandtabs(4))
        if "\t" not in indent:
            continue
        if kind is LineKind.TEXT:
            lines[at] = f"{indent.expandtabs(4)}{bare}"
        elif columns:
            lines[at] = _expand_columns(indent, columns) + bare
    return "\n".join(lines)


def _prepare(text: str) -> str:
    return _dedent_definitions(_expand_tabs(text))


def _dedent_definitions(text: str) -> str:
    """Return a text with link definitions at the margin where they end a list.

    A blank line and a definition in its last item would make the list loose, as it is
    not in Python-Markdown.
    """
    if not _DEFINITION.search(text):
        return text
    lines = text.split("\n")
    fence = FenceTracker()
    kinds = [fence.classify(line) for line in lines]
    is_end = True
    for at in range(len(lines) - 1, -1, -1):
        line = lines[at]
        if kinds[at] is LineKind.TEXT and _DEFINITION.match(line):
            lines[at] = line.lstrip(" ") if is_end else line
        elif line.strip():
            is_end = not line.startswith((" ", "\t"))
    return "\n".join(lines)


def _read_terminal(first: re.Match[str], source: Source) -> Written | None:
    """Write a session of termynal, with colours by tags, as plain code."""
    ends = source.once(_find_terminal_ends)
    number = bisect_right(ends, source.at)
    if number == len(ends):
        return None
    end = ends[number]
    lines = source.lines[source.at + 1 : end]
    plain = [unescape(_COLOUR.sub("", line)) for line in lines]
    return Written(source.translate(trim(plain)), end + 1)


def _find_terminal_ends(lines: Sequence[str]) -> list[int]:
    return [at for at, line in enumerate(lines) if _TERMINAL_END.match(line)]


def _expand_columns(indent: str, columns: int) -> str:
    """Return an indent with blanks in its first columns; the tabs after them stay."""
    shown = ""
    for at, char in enumerate(indent):
        if len(shown) >= columns:
            return shown + indent[at:]
        shown = f"{shown}{char}".expandtabs(4)
    return shown


def _rewrite_code(code: CodeInfo, lines: list[str], output: Output) -> list[str]:
    """Return code with plain numbers of annotations, and without escapes."""
    shown = [_ANNOTATION.sub(r"\1", line) if ")!" in line else line for line in lines]
    return [
        _ESCAPED_SNIPPET.sub(r"\1", line) if "8<" in line else line for line in shown
    ]


def _rewrite_span(span: str) -> str:
    """Return a code span without the language that begins it."""
    found = _LANGUAGE.fullmatch(span)
    return found[1] + found[2] if found else span


def _read_object(first: re.Match[str], source: Source) -> Written:
    """Name the object that mkdocstrings documents from its source code."""
    _, end = source.take_indented(source.at + 1)
    return Written([f"API reference: `{first[1]}`"], end)


def _write_escaped(first: re.Match[str], source: Source) -> Written:
    return Written([source.lines[source.at].strip().lstrip(";")], source.at + 1)


def _write_anchor(match: re.Match[str], output: Output) -> str:
    return write_anchor(match[1], output)


def _write_setting(match: re.Match[str], output: Output) -> str:
    """Write the name of a setting, of which Material's pages have a comment only."""
    id = match[3] if match[2] == "setting" else f"+{match[3]}"
    name = re.split(r"[.:*]", match[3])[-1] or match[3]
    if match[1]:
        return f"{match[1]}`{name}` {{#{id}}}"
    return f"{write_anchor(f'{{#{id}}}', output)}`{name}`"


def _finish(text: str, output: Output) -> str:
    return expand_abbreviations(resolve_references(text), output)


_BLOCKS: Final = (
    *PYMDOWN_BLOCKS,
    BlockRule(_TERMINAL, _read_terminal),
    MARKDOWN_IN_HTML,
    BlockRule(re.compile(r":::[ ]+([A-Za-z_][\w.:-]*+)[ ]*$"), _read_object),
    BlockRule(re.compile(r"\[(?:TOC|toc)\][ ]*$"), drop_line),
    BlockRule(re.compile(r";+-{1,4}8<-{1,4}(?:[ \t]|$)"), _write_escaped),
    CRITIC_LINE,
    DEFINITION_LIST,
)
_INLINES: Final = (
    InlineRule(
        re.compile(rf"\[(?:\0\d+\0|\]\([^()\s]*)\)({LIST})"),
        _write_anchor,
        is_final=True,
        sign="{",
    ),
    InlineRule(
        re.compile(
            r"(?m)^(#{1,6} )?<!-- md:(option|setting) ([\w.:*+-]+) -->(?=[ \t]*$)"
        ),
        _write_setting,
        is_final=True,
        sign="<!-- md:",
    ),
    InlineRule(re.compile(r"\{%-?[ ]*(?:end)?raw[ ]*-?%\}"), drop_mark),
    ANNOTATED,
    ICON,
    EMOJI,
    *CRITIC_MARKS,
    *ATTRIBUTE_LISTS,
    *INLINE_MARKS,
)

MKDOCS: Final = Dialect(
    "mkdocs",
    _BLOCKS,
    _INLINES,
    prepare=_prepare,
    rewrite_code=_rewrite_code,
    has_formulas=True,
    rewrite_span=_rewrite_span,
    finish=_finish,
    find_includes=find_includes,
    find_elements=find_tags,
)
"""Python-Markdown, PyMdown Extensions, Material for MkDocs."""
