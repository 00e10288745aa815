"""Callouts: quotations that begin with a kind, such as `> [!NOTE]`.

GitHub's alerts, with two additions of Obsidian: a title after the kind, and `-` or `+`
behind it for a callout that can be collapsed, closed or open at first.
"""

import re
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, blockquote

KINDS: Final = ("note", "tip", "important", "warning", "caution")
"""In GitHub's order."""

_MARKER: Final = re.compile(
    rf">[ \t]{{0,4}}+\[!(?:{'|'.join(KINDS)})\]"
    r"(?P<fold>[-+]?+)(?:[ \t]++(?P<title>[^\n]*+))?$",
    re.IGNORECASE,
)


def use_callouts(markdown: MarkdownIt) -> None:
    """Add callouts to a grammar."""
    markdown.options["alerts"] = True
    interrupted = ["paragraph", "reference", "blockquote", "list"]
    markdown.block.ruler.at("blockquote", _read_quotation, {"alt": interrupted})


def _read_quotation(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read a quotation, as a callout if it begins like one."""
    first, last = state.bMarks[start], state.eMarks[start]
    first += state.tShift[start]
    marker = None if silent else _MARKER.match(state.src[first:last].rstrip(" \t"))
    if marker is None:
        return blockquote(state, start, end, silent)
    # The grammar's own rule knows the bare kind only.
    state.eMarks[start] = first + marker.start("fold")
    count = len(state.tokens)
    is_quotation = blockquote(state, start, end, silent)
    state.eMarks[start] = last
    if is_quotation and state.tokens[count].type == "alert_open":
        _set_title(state, count, (marker["title"] or "").strip(), marker["fold"])
    return is_quotation


def _set_title(state: StateBlock, at: int, title: str, fold: str) -> None:
    """Complete the callout that begins at the token of an index."""
    opening, title_open, text, title_close = state.tokens[at : at + 4]
    if title:
        text.content = title
    if fold:
        opening.tag = state.tokens[-1].tag = "details"
        title_open.tag = title_close.tag = "summary"
        if fold == "+":
            opening.attrSet("open", "")
