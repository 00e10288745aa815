"""Callouts written as quotations: `> [!type]- Title`, of any type."""

import re
from typing import Final

from asdlc_kb.markup.dialects.constructs import write_callout
from asdlc_kb.markup.dialects.dialect import BlockRule, Written
from asdlc_kb.markup.dialects.source import Source

_LINE: Final = re.compile(r" *+> ?")


def _read_callout(first: re.Match[str], source: Source) -> Written:
    end = source.at + 1
    body: list[str] = []
    while end < len(source.lines) and (mark := _LINE.match(source.lines[end])):
        body.append(source.lines[end][mark.end() :])
        end += 1
    title = " ".join(source.translate([first[3]])) if first[3] else ""
    lines = source.translate(body)
    return Written(write_callout(first[1], title, lines, fold=first[2]), end)


QUOTED_CALLOUT: Final = BlockRule(
    re.compile(r">[ ]?\[!([\w-]{1,40})(?:\|[^\]\n]{0,100})?\]([+-]?)[ \t]*+(.*)"),
    _read_callout,
)
"""Obsidian's form, which Hugo reads, too."""
