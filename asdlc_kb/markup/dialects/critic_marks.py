"""Critic Markup: proposed changes of a text, and comments on it."""

import re
from typing import Final

from asdlc_kb.markup.dialects.dialect import BlockRule, InlineRule, drop_line, write_tag
from asdlc_kb.markup.dialects.source import Output


def _write_deleted(match: re.Match[str], output: Output) -> str:
    return f"~~{match[1]}~~"


def _write_replaced(match: re.Match[str], output: Output) -> str:
    added = f"<ins>{match[2]}</ins>" if output is Output.HTML else match[2]
    return f"~~{match[1]}~~ {added}"


def _write_comment(match: re.Match[str], output: Output) -> str:
    return f"({match[1].strip()})"


CRITIC_MARKS: Final = (
    InlineRule(re.compile(r"\{\+\+([^{}\n]*?)\+\+\}"), write_tag("ins")),
    InlineRule(re.compile(r"\{--([^{}\n]*?)--\}"), _write_deleted),
    InlineRule(re.compile(r"\{~~([^{}\n~]*+)~>([^{}\n~]*+)~~\}"), _write_replaced),
    InlineRule(re.compile(r"\{==([^{}\n]*?)==\}"), write_tag("mark")),
    InlineRule(re.compile(r"\{>>([^{}\n]*?)<<\}"), _write_comment),
)
"""Added, deleted, replaced and marked text, and comments."""

CRITIC_LINE: Final = BlockRule(
    re.compile(r"(?:\{(?:==|\+\+|--)|(?:==|\+\+|--)\})[ ]*$"), drop_line
)
"""A line with the mark that begins or ends changed paragraphs, which stay."""
