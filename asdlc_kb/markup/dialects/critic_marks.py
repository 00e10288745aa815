"""Critic Markup: proposed changes of a text, and comments on it."""

import re
from typing import Final

from asdlc_kb.markup.dialects.dialect import BlockRule, InlineRule, Written
from asdlc_kb.markup.dialects.source import Output, Source


def _write_added(match: re.Match[str], output: Output) -> str:
    return f"<ins>{match[1]}</ins>" if output is Output.HTML else match[1]


def _write_deleted(match: re.Match[str], output: Output) -> str:
    return f"~~{match[1]}~~"


def _write_replaced(match: re.Match[str], output: Output) -> str:
    added = f"<ins>{match[2]}</ins>" if output is Output.HTML else match[2]
    return f"~~{match[1]}~~ {added}"


def _write_marked(match: re.Match[str], output: Output) -> str:
    return f"<mark>{match[1]}</mark>" if output is Output.HTML else match[1]


def _write_comment(match: re.Match[str], output: Output) -> str:
    return f"({match[1].strip()})"


def _drop_line(first: re.Match[str], source: Source) -> Written:
    return Written([], source.at + 1)


CRITIC_MARKS: Final = (
    InlineRule(re.compile(r"\{\+\+([^{}\n]*?)\+\+\}"), _write_added),
    InlineRule(re.compile(r"\{--([^{}\n]*?)--\}"), _write_deleted),
    InlineRule(re.compile(r"\{~~([^{}\n~]*+)~>([^{}\n~]*+)~~\}"), _write_replaced),
    InlineRule(re.compile(r"\{==([^{}\n]*?)==\}"), _write_marked),
    InlineRule(re.compile(r"\{>>([^{}\n]*?)<<\}"), _write_comment),
)
"""Added, deleted, replaced and marked text, and comments."""

CRITIC_LINE: Final = BlockRule(
    re.compile(r"(?:\{(?:==|\+\+|--)|(?:==|\+\+|--)\})[ ]*$"), _drop_line
)
"""A line with the mark that begins or ends changed paragraphs, which stay."""
