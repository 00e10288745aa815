"""The Markdown grammar, with rules of bounded cost.

Bounds that CommonMark leaves open are those of other parsers.
"""

import re
from types import SimpleNamespace
from typing import Any, Final, cast

from markdown_it import MarkdownIt
from markdown_it.helpers import parseLinkDestination, parseLinkTitle
from markdown_it.rules_inline import StateInline
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.footnote.index import footnote_ref

MAX_LABEL: Final = 999
"""Characters of the label of a reference or footnote (CommonMark)."""

_FOOTNOTE: Final = re.compile(rf"\[\^[^ \n\]]{{1,{MAX_LABEL}}}+\]")

_ENDS: Final = "kb_label_ends"
"""The attribute of a state that caches the ends of the labels in its text."""


def make_grammar(options: dict[str, Any] | None = None) -> MarkdownIt:
    """Return the grammar of CommonMark with tables."""
    markdown = MarkdownIt("commonmark", options or {}).enable("table")
    markdown.helpers = cast(Any, _HELPERS)
    return markdown


def use_footnotes(markdown: MarkdownIt) -> None:
    """Add footnotes with definitions to a grammar, without inline footnotes."""
    markdown.use(footnote_plugin, inline=False)
    markdown.inline.ruler.at("footnote_ref", _resolve_reference)


def _resolve_reference(state: StateInline, silent: bool) -> bool:
    is_reference = _FOOTNOTE.match(state.src, state.pos, state.posMax) is not None
    return is_reference and footnote_ref(state, silent)


def find_label_end(state: StateInline, start: int, disableNested: bool = False) -> int:
    """Return the end of the label that opens at an index, or -1.

    With `disableNested`, labels that contain a link have no end. Each label is parsed
    once, and not again for the labels around it: markdown-it's helper parses the rest
    of the text for each bracket.
    """
    ends: dict[int, tuple[int, bool]] = state.__dict__.setdefault(_ENDS, {})
    if start not in ends:
        before = state.pos
        ends[start] = _read_label(state, start, ends)
        state.pos = before
    end, has_link = ends[start]
    return -1 if end >= state.posMax or (has_link and disableNested) else end


def _read_label(
    state: StateInline, start: int, ends: dict[int, tuple[int, bool]]
) -> tuple[int, bool]:
    """Return the end of a label, or -1, and whether it contains a link."""
    has_link = False
    state.pos = start + 1
    while state.pos < state.posMax:
        at = state.pos
        if state.src[at] == "]":
            return at, has_link
        state.md.inline.skipToken(state)
        if state.src[at] != "[":
            continue
        if state.pos > at + 1:
            has_link = True
            continue
        # A bracket that is text: its end was searched just now.
        end, holds_link = ends.get(at, (-1, False))
        if end < 0:
            break
        has_link = has_link or holds_link
        state.pos = end + 1
    return -1, False


_HELPERS: Final = SimpleNamespace(
    parseLinkDestination=parseLinkDestination,
    parseLinkLabel=find_label_end,
    parseLinkTitle=parseLinkTitle,
)
