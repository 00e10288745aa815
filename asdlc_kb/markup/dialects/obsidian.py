"""The dialect of Obsidian: wikilinks, callouts, comments, highlights, block ids."""

import re
from typing import Final

from asdlc_kb.markup.dialects.dialect import (
    BlockRule,
    Dialect,
    InlineRule,
    Written,
    drop_mark,
)
from asdlc_kb.markup.dialects.inline_marks import MARKED
from asdlc_kb.markup.dialects.quoted_callouts import QUOTED_CALLOUT
from asdlc_kb.markup.dialects.source import Output, Source
from asdlc_kb.markup.dialects.wikilinks import WIKILINK, find_embedded_notes

MAX_COMMENT_LINES: Final = 1_000
"""Lines of a comment; a longer one is shown."""

_COMMENT: Final = re.compile(r"%%(?:(?!%%|\n\n).){0,5000}+%%[ \t]?", re.DOTALL)
_BLOCK_ID: Final = re.compile(
    r"(?m)(?:^|(?<=[^\s^])[ \t]++)\^[A-Za-z0-9-]{1,100}+[ \t]*$"
)
_FOOTNOTE: Final = re.compile(
    r"[ ]?(?<!\[)\^\[((?:[^\[\]\n]|\[[^\[\]\n]{0,200}\]){1,1000}+)\]"
)


def _read_comment(first: re.Match[str], source: Source) -> Written | None:
    """Leave a comment of several lines out."""
    if "%%" in source.lines[source.at].strip()[2:]:
        return None
    last = min(len(source.lines), source.at + MAX_COMMENT_LINES)
    for at in range(source.at + 1, last):
        line = source.lines[at].rstrip()
        if "%%" in line:
            return Written([], at + 1) if line.endswith("%%") else None
    return None


def _write_footnote(match: re.Match[str], output: Output) -> str:
    """Return the note in parentheses: GitHub has no footnotes in the line."""
    return f" ({match[1].strip()})"


OBSIDIAN: Final = Dialect(
    "obsidian",
    (BlockRule(re.compile(r"%%"), _read_comment), QUOTED_CALLOUT),
    (
        InlineRule(_COMMENT, drop_mark, in_addresses=True),
        WIKILINK,
        InlineRule(_FOOTNOTE, _write_footnote, in_addresses=True, sign="^["),
        InlineRule(_BLOCK_ID, drop_mark, sign="^"),
        MARKED,
    ),
    has_formulas=True,
    find_includes=find_embedded_notes,
)
