"""A dialect as data."""

import re

from asdlc_kb.markup.dialects.dialect import GITHUB, BlockRule, Dialect, InlineRule
from asdlc_kb.markup.dialects.table import DIALECTS


def test_only_githubs_markdown_needs_no_translation() -> None:
    """Any rule makes a dialect of its own."""
    mark = re.compile("==")
    rules = (
        Dialect("x", blocks=(BlockRule(mark, lambda first, source: None),)),
        Dialect("x", inlines=(InlineRule(mark, lambda match, output: ""),)),
        Dialect("x", rewrite_code=lambda code, lines, output: []),
        Dialect("x", finish=lambda text, output: ""),
        Dialect("x", prepare=lambda text: ""),
    )
    assert GITHUB.is_plain
    assert not any(dialect.is_plain for dialect in rules)


def test_the_first_line_of_any_block_is_found_by_one_pattern() -> None:
    """A line that begins no block is not tried by each rule."""
    rules = tuple(
        BlockRule(re.compile(first), lambda first, source: None)
        for first in (r"!!! (\w+)", r"=== ")
    )
    dialect = Dialect("x", rules)
    found = [bool(dialect.first.match(line)) for line in ("!!! a", "=== b", "c === ")]
    assert found == [True, True, False]


def test_the_one_pattern_has_no_flags_of_its_parts() -> None:
    """A rule states them inside its pattern."""
    for dialect in DIALECTS.values():
        for rule in (*dialect.fenced, *dialect.blocks):
            assert rule.first.flags == re.compile("").flags, rule
