"""Translator from a dialect of Markdown to GitHub's Markdown.

Only constructs of the dialect change; code, tags and addresses never do. Takes linear
time for each level of nesting and never fails.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from asdlc_kb.markup.blocks import FENCE_MARK, LIST_MARK, FenceTracker, LineKind
from asdlc_kb.markup.code_info import read_info
from asdlc_kb.markup.code_spans import STORED, store_code
from asdlc_kb.markup.dialects.dialect import BlockRule, Dialect, InlineRule, keep_span
from asdlc_kb.markup.dialects.elements import Element
from asdlc_kb.markup.dialects.formula_marks import write_formulas
from asdlc_kb.markup.dialects.source import (
    MAX_DEPTH,
    Output,
    Source,
    count_indent,
)

_FENCE: Final = re.compile(
    rf"(?P<head>[ \t>]*+(?:{LIST_MARK}[ \t]++)?)(?P<mark>{FENCE_MARK}[ ]*)(?P<info>.*)"
)
_ITEM: Final = re.compile(rf"(?:{LIST_MARK})(?:[ \t]++|$)")
_QUOTE: Final = re.compile(r"([ ]*+)>[ ]?")
_BEGINS: Final = re.compile(rf"(?:{LIST_MARK})(?:[ \t]|$)|#{{1,6}}[ \t]")
"""A line that is no lazy continuation of the paragraph above it."""
_HIDDEN: Final = re.compile(
    r"\]\([^()\s]*+(?=[)\s])|</?+[A-Za-z][^<>]{0,2000}+>|https?://[^\s<>)\]\"']++"
)
"""Addresses and tags, in which no inline mark is read."""


def translate(text: str, dialect: Dialect, output: Output) -> str:
    """Return a text of a dialect, with LF line ends, as GitHub's Markdown."""
    if dialect.is_plain:
        return text
    lines = dialect.prepare(text).split("\n")
    lines = _Translator(dialect, output, 0).translate(lines)
    return dialect.finish("\n".join(lines), output)


class _Translator:
    """Translates the lines of one container."""

    def __init__(self, dialect: Dialect, output: Output, depth: int) -> None:
        self._dialect = dialect
        self._output = output
        self._depth = depth
        self._written: list[str] = []
        self._paragraph: list[str] = []
        self._items: list[int] = []
        """Indent of the text of each open list item."""
        self._elements: Mapping[int, Element] | None = None
        self._found: dict[Callable[[Sequence[str]], Any], Any] = {}
        """What rules found once in all lines."""

    def translate(self, lines: list[str]) -> list[str]:
        """Return the lines in GitHub's Markdown."""
        at = 0
        while at < len(lines):
            line = lines[at]
            bare = line.strip()
            if not bare:
                self._flush()
                self._written.append(line)
                at += 1
            elif (
                (end := self._read_block(lines, at, self._dialect.fenced))
                or (end := self._read_code(lines, at))
                or (end := self._read_block(lines, at, self._dialect.blocks))
                or (end := self._read_quotation(lines, at))
            ):
                at = end
            else:
                self._read_text(line)
                at += 1
        self._flush()
        return self._written

    def _read_code(self, lines: list[str], at: int) -> int:
        """Write fenced code; return the index of the line after it, or 0."""
        opening = _FENCE.match(lines[at])
        if opening is None or FenceTracker().classify(lines[at]) is not LineKind.FENCE:
            return 0
        self._flush()
        mark = opening["mark"].strip()
        indent = opening.start("mark") + 3
        end = at + 1
        while end < len(lines) and not _closes_code(lines[end], mark, indent):
            end += 1
        info = read_info(opening["info"])
        code = self._dialect.rewrite_code(info, lines[at + 1 : end], self._output)
        shown = info.write(has_layout=self._output is Output.HTML)
        self._written.append(f"{opening['head']}{opening['mark']}{shown}".rstrip())
        self._written += [*code, *lines[end : end + 1]]
        self._note_item(lines[at])
        return min(end + 1, len(lines))

    def _read_block(
        self, lines: list[str], at: int, rules: tuple[BlockRule, ...]
    ) -> int:
        """Write a construct; return the index of the line after it, or 0."""
        line = lines[at]
        bare = line.lstrip(" ")
        if not rules or self._depth >= MAX_DEPTH:
            return 0
        if not self._dialect.first.match(bare):
            return 0
        indent = count_indent(line)
        if self._is_code(indent):
            return 0
        source = Source(
            lines,
            at,
            self._output,
            self._nest,
            lambda: self._find_elements(lines),
            self._found,
        )
        for rule in rules:
            first = rule.first.match(bare)
            written = rule.read(first, source) if first is not None else None
            if written is not None:
                self._write(written.lines, indent, lines, written.end)
                return written.end
        return 0

    def _find_elements(self, lines: list[str]) -> Mapping[int, Element]:
        if self._elements is None:
            self._elements = self._dialect.find_elements(lines)
        return self._elements

    def _read_quotation(self, lines: list[str], at: int) -> int:
        """Write a quotation; return the index of the line after it, or 0."""
        opening = _QUOTE.match(lines[at])
        if opening is None or not self._dialect.blocks or self._depth >= MAX_DEPTH:
            return 0
        indent = opening[1]
        end, quoted = at, []
        while end < len(lines) and (mark := _QUOTE.match(lines[end])):
            if mark[1] != indent:
                break
            quoted.append(lines[end][mark.end() :])
            end += 1
        first = self._dialect.first
        if self._is_code(len(indent)) or not any(
            first.match(line.lstrip(" >")) for line in quoted
        ):
            for line in lines[at:end]:
                self._read_text(line)
            return end
        self._flush()
        shown = self._nest(quoted)
        if shown == quoted:
            self._written += lines[at:end]
        else:
            self._written += [f"{indent}> {line}".rstrip() for line in shown]
        return end

    def _write(
        self, written: list[str], indent: int, lines: list[str], end: int
    ) -> None:
        """Write a construct, apart from what is above and below it."""
        self._flush()
        if not written:
            return
        if self._written and self._written[-1].strip():
            self._written.append("")
        self._written += [f"{' ' * indent}{line}".rstrip() for line in written]
        if end < len(lines) and lines[end].strip():
            self._written.append("")

    def _nest(self, lines: list[str]) -> list[str]:
        nested = _Translator(self._dialect, self._output, self._depth + 1)
        return nested.translate(lines)

    def _read_text(self, line: str) -> None:
        indent = count_indent(line)
        if not self._paragraph and self._is_code(indent):
            self._written.append(line)
            return
        if not self._paragraph or _BEGINS.match(line, indent):
            self._note_item(line)
        self._paragraph.append(line)

    def _note_item(self, line: str) -> None:
        """Keep track of the list items that a line begins and ends."""
        indent = count_indent(line)
        while self._items and indent < self._items[-1]:
            self._items.pop()
        if item := _ITEM.match(line, indent):
            # Python-Markdown indents the text of an item by four columns, others less.
            self._items.append(min(item.end(), indent + 2))

    def _is_code(self, indent: int) -> bool:
        """Whether a line after a blank one is indented code."""
        if not self._dialect.has_indented_code:
            return False
        base = next((item for item in reversed(self._items) if item <= indent), 0)
        return indent - base >= (4 if not self._items else 6)

    def _flush(self) -> None:
        """Write the current paragraph."""
        if self._paragraph:
            text = "\n".join(self._paragraph)
            self._paragraph.clear()
            self._written += self._replace_inline(text).split("\n")

    def _replace_inline(self, text: str) -> str:
        rules = self._dialect.inlines
        if not self._dialect.sign.search(text) or not any(
            rule.sign in text and rule.mark.search(text) for rule in rules
        ):
            rules = ()
        if not rules and not self._has_code_or_formulas(text):
            return text
        stored: list[str] = []
        bare = store_code(
            text.replace("\0", "\N{REPLACEMENT CHARACTER}"), stored, has_marks=True
        )
        stored = [self._dialect.rewrite_span(span) for span in stored]

        def hide(shown: str) -> str:
            stored.append(shown)
            return f"\0{len(stored) - 1}\0"

        if self._dialect.has_formulas:
            bare = write_formulas(bare, stored, self._output, hide)
        for rule in rules:
            if rule.in_addresses:
                bare = self._apply(rule, bare, hide)
        bare = _HIDDEN.sub(lambda match: hide(match[0]), bare)
        for rule in rules:
            if not rule.in_addresses:
                bare = self._apply(rule, bare, hide)
        for _ in range(3):
            # Code inside a hidden tag or address inside a final construct.
            bare = STORED.sub(lambda match: stored[int(match[1])], bare)
        return bare

    def _has_code_or_formulas(self, text: str) -> bool:
        """Whether code spans or formulas of a paragraph may be rewritten."""
        if self._dialect.rewrite_span is not keep_span and "`" in text:
            return True
        return self._dialect.has_formulas and ("$" in text or "\\" in text)

    def _apply(self, rule: InlineRule, text: str, hide: Callable[[str], str]) -> str:
        def replace(match: re.Match[str]) -> str:
            shown = rule.replace(match, self._output)
            return hide(shown) if rule.is_final else shown

        if rule.sign not in text:
            return text
        return rule.mark.sub(replace, text)


def _closes_code(line: str, mark: str, max_indent: int) -> bool:
    """Whether a line ends fenced code that begins with a mark."""
    if mark not in line:
        return False
    bare = line.rstrip(" \t")
    head = bare.rstrip(mark[0])
    has_mark = len(bare) - len(head) >= len(mark)
    return has_mark and len(head) <= max_indent and not head.strip(" \t>")
