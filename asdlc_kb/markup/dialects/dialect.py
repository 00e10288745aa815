"""Dialects of Markdown as data: the rules for their blocks, code and inline marks."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple, TypeAlias

from asdlc_kb.markup.code_info import CodeInfo
from asdlc_kb.markup.dialects.elements import FindElements, find_no_elements
from asdlc_kb.markup.dialects.includes import FindIncludes, Include
from asdlc_kb.markup.dialects.source import Output, Source

FillValues: TypeAlias = Callable[[str, Mapping[str, str]], str]
"""Replace templates by values by name, as `page.title`."""


class Written(NamedTuple):
    """A construct in GitHub's Markdown."""

    lines: list[str]
    """Without the indent of the construct."""
    end: int
    """Index of the first line of the source below the construct."""


ReadBlock: TypeAlias = Callable[[re.Match[str], Source], Written | None]
"""Translate a block after its first line matched; None if it is not one."""

ReplaceInline: TypeAlias = Callable[[re.Match[str], Output], str]


class BlockRule(NamedTuple):
    """A construct of whole lines."""

    first: re.Pattern[str]
    """Matches the start of its first line, without the indent; has no flags."""
    read: ReadBlock


class InlineRule(NamedTuple):
    """A construct inside a paragraph; not tried in code, tags and addresses."""

    mark: re.Pattern[str]
    replace: ReplaceInline
    is_final: bool = False
    """Whether later rules do not read what is written."""
    in_addresses: bool = False
    """Whether it is also tried in tags and addresses, before all other rules."""
    sign: str = ""
    """What every match of `mark` contains: a text without it is not searched."""


def drop_mark(match: re.Match[str], output: Output) -> str:
    """Leave out a construct inside a paragraph."""
    return ""


def write_tag(name: str, mark: str = "") -> ReplaceInline:
    """Return what writes a tag for the website, and for agents the mark."""

    def write(match: re.Match[str], output: Output) -> str:
        is_html = output is Output.HTML
        return f"<{name}>{match[1]}</{name}>" if is_html else f"{mark}{match[1]}"

    return write


def drop_line(first: re.Match[str], source: Source) -> Written:
    """Leave out a line."""
    return Written([], source.at + 1)


def find_none(text: str) -> Iterator[Include]:
    """Yield no include."""
    return iter(())


def find_no_labels(text: str) -> Iterator[str]:
    """Yield no label."""
    return iter(())


def keep_text(text: str, output: Output) -> str:
    """Return a translated text unchanged."""
    return text


def keep_source(text: str) -> str:
    """Return a text unchanged before its translation."""
    return text


def keep_values(text: str, values: Mapping[str, str]) -> str:
    """Return a text without templates unchanged."""
    return text


def keep_code(code: CodeInfo, lines: list[str], output: Output) -> list[str]:
    """Return lines of code unchanged."""
    return lines


def keep_span(span: str) -> str:
    """Return a code span unchanged."""
    return span


@dataclass(frozen=True)
class Dialect:
    """The rules of one dialect; without rules, GitHub's Markdown."""

    name: str
    blocks: tuple[BlockRule, ...] = ()
    """In the order in which they are tried."""
    inlines: tuple[InlineRule, ...] = ()
    """Applied one after another."""
    rewrite_code: Callable[[CodeInfo, list[str], Output], list[str]] = keep_code
    """Return the lines between the fences; may change the info string."""
    has_formulas: bool = False
    """Whether TeX between its marks is a formula."""
    fill: FillValues = keep_values
    """Replaces templates by the values of their names before anything else."""
    rewrite_span: Callable[[str], str] = keep_span
    """Return a code span with its marks, or an escaped character."""
    prepare: Callable[[str], str] = keep_source
    """Applied to the whole text before its translation."""
    has_indented_code: bool = True
    """Whether indented text can be code; otherwise constructs are read in it."""
    finish: Callable[[str, Output], str] = keep_text
    """Applied to the whole translated text."""
    find_includes: FindIncludes = find_none
    find_labels: Callable[[str], Iterator[str]] = find_no_labels
    """Yields the names by which other pages link to places in a text."""
    find_elements: FindElements = find_no_elements
    """Finds the elements that rules for blocks read as `Source.element`."""
    fenced: tuple[BlockRule, ...] = ()
    """Constructs whose first line is one of fenced code; tried before code."""

    @cached_property
    def first(self) -> re.Pattern[str]:
        """Matches the first line of any block."""
        rules = (*self.fenced, *self.blocks)
        return re.compile("|".join(f"(?:{r.first.pattern})" for r in rules))

    @cached_property
    def sign(self) -> re.Pattern[str]:
        """Matches the sign of any construct inside a paragraph."""
        return re.compile("|".join(sorted({re.escape(r.sign) for r in self.inlines})))

    @cached_property
    def is_plain(self) -> bool:
        """Whether it is GitHub's Markdown."""
        is_kept = self.finish is keep_text and self.rewrite_code is keep_code
        is_kept = is_kept and self.rewrite_span is keep_span
        is_kept = is_kept and self.prepare is keep_source
        is_kept = is_kept and not self.has_formulas
        return is_kept and not (self.blocks or self.fenced or self.inlines)


GITHUB: Final = Dialect("github")
"""The dialect of a tree without a known generator."""
