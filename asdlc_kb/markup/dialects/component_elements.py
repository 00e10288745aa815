"""Elements of components in the lines of a container, and in a paragraph.

Found in one pass, those in the bodies of elements too: an element ends at the tag that
closes it, which also ends the elements in it that nothing closes. Tags in code are
none.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, islice
from typing import Final, NamedTuple

from asdlc_kb.markup.blocks import BlockScanner, FenceTracker, LineKind
from asdlc_kb.markup.code_spans import mask_code
from asdlc_kb.markup.dialects.component_tags import Tag, read_tag
from asdlc_kb.markup.dialects.elements import Element, TagArguments
from asdlc_kb.markup.dialects.source import dedent

VOID: Final = frozenset(
    "area base br col embed hr img input link meta source track wbr".split()
)
"""HTML's elements that have no end tag."""

UNCLOSED: Final = "unclosed"
"""Name of an element for a tag whose other tag is missing."""

_BORDER: Final = re.compile(r"```|~~~|-->|<")
"""A part of what begins or ends fenced code, a comment, a script or a style sheet."""
_FENCE: Final = re.compile(r"```|~~~")
_BLANK: Final = re.compile(r"(?:\s++|\{\s*+(?:'\s*+'|\"\s*+\")\s*+\})*+\Z")
"""Blanks, also as the expression of MDX that a formatter puts behind an element."""


class Pair(NamedTuple):
    """An element: its tag, and the tag that closes it."""

    tag: Tag
    closing: Tag | None
    """None if it has no body."""
    is_unclosed: bool = False
    """Whether one of the two tags is missing."""
    depth: int = 0
    """Number of elements around it."""

    @property
    def end(self) -> int:
        """The end of its last tag in the text."""
        return (self.closing or self.tag).end


def find_tags(text: str, masked: str) -> Iterator[Tag]:
    """Yield the tags of a text; in `masked`, code is replaced by blanks."""
    at = masked.find("<")
    while at >= 0:
        tag = read_tag(text, at)
        if tag is not None:
            yield tag
        at = masked.find("<", tag.end if tag else at + 1)


def pair_tags(tags: Iterable[Tag]) -> list[Pair]:
    """Return the elements of which these are the tags, in the order of the text."""
    pairs: list[Pair] = []
    opened: list[int] = []
    """Indexes in `pairs` of the elements that are open."""
    counts: dict[str, int] = {}
    for tag in tags:
        if tag.is_end:
            if not counts.get(tag.name):
                pairs.append(Pair(tag, None, True, len(opened)))
                continue
            while True:
                at = opened.pop()
                name = pairs[at].tag.name
                counts[name] -= 1
                if name == tag.name:
                    pairs[at] = Pair(pairs[at].tag, tag, False, len(opened))
                    break
        elif tag.is_single or tag.name in VOID:
            pairs.append(Pair(tag, None, False, len(opened)))
        else:
            opened.append(len(pairs))
            counts[tag.name] = counts.get(tag.name, 0) + 1
            pairs.append(Pair(tag, None, True, len(opened) - 1))
    return pairs


def find_components(
    lines: Sequence[str], has_body: Callable[[str], bool]
) -> Mapping[int, Element]:
    """Return the elements that begin and end with a line, by the first line's index.

    Only elements of the names that `has_body` takes have their body. It is read when
    an element is asked for: those in each other have the same lines.
    """
    if not any("<" in line for line in lines):
        return {}
    return _Elements(_read_tags(lines), has_body)


def find_children(lines: Sequence[str]) -> list[Element]:
    """Return the elements of an element's body that are in no other one."""
    return _read_tags(lines).read_children()


def split_summary(lines: list[str]) -> tuple[str, list[str]]:
    """Return the text of the `<summary>` that begins a body, and the lines after it.

    The text is empty if there is none.
    """
    return _read_tags(lines).split_summary()


class _Text:
    """The lines of a container as one text, with its elements."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.text = "\n".join(lines)
        self.starts = [0, *accumulate(len(line) + 1 for line in lines)]
        masked = mask_blocks(self.text, "<")
        self.pairs = pair_tags(find_tags(self.text, masked))
        self.pair_starts = [pair.tag.start for pair in self.pairs]

    def line_at(self, at: int) -> int:
        """Return the index of the line with a character."""
        return bisect_right(self.starts, at) - 1


class _TaggedLines(list[str]):
    """Lines of a container, or of an element's body in it, that know their tags.

    The tags are read once in the container. Of a body's lines only the blanks at their
    start differ from the container's.
    """

    def __init__(
        self, lines: Sequence[str], text: _Text, span: tuple[int, int], depth: int
    ) -> None:
        super().__init__(lines)
        self._text = text
        self._start, self._end = span
        """The part of the text that these lines are."""
        self._first = text.line_at(self._start)
        self._depth = depth
        """Number of elements of the container around these lines."""

    def find_pair(self, number: int) -> Pair | None:
        """Return the element that begins and ends with a line, first this one."""
        start, end = self._find_line(number)
        pairs = self._text.pairs
        at = bisect_left(self._text.pair_starts, start)
        if at == len(pairs) or pairs[at].tag.start >= end:
            return None
        pair, text = pairs[at], self._text.text
        _, last = self._find_line(self._number_at(pair.end - 1))
        is_whole = not text[start : pair.tag.start].strip()
        return pair if is_whole and _BLANK.match(text, pair.end, last) else None

    def read_children(self) -> list[Element]:
        """Return the elements that are in no other one of these lines."""
        return [
            self.make_element(pair)
            for pair in self._list_pairs()
            if pair.depth == self._depth and not pair.is_unclosed
        ]

    def split_summary(self) -> tuple[str, list[str]]:
        """Return the text of the `<summary>` at the start, and the lines after it."""
        pair = next(self._list_pairs(), None)
        if pair is None or pair.closing is None or pair.tag.name.lower() != "summary":
            return "", self
        if self._text.text[self._start : pair.tag.start].strip():
            return "", self
        number, column = self._locate(pair.end)
        lines = [self[number][column:], *self[number + 1 :]]
        rest = self._tag(lines, (pair.end, self._end), self._depth)
        return self._cut(pair.tag.end, pair.closing.start), rest

    def make_element(self, pair: Pair, *, has_body: bool = True) -> Element:
        """Return an element with its dedented body."""
        name = UNCLOSED if pair.is_unclosed else pair.tag.name
        body = None
        if pair.closing is not None and has_body:
            body = self._make_body(pair.tag.end, pair.closing.start, pair.depth + 1)
        shown = self._cut(pair.tag.start, pair.tag.end)
        # A value of several lines has lost the indent of the body that it is in.
        tag = (read_tag(shown, 0) if "\n" in shown else None) or pair.tag
        end = self._number_at(pair.end - 1) + 1
        return Element(name, TagArguments((), tag.attributes), body, end, shown)

    def _make_body(self, start: int, end: int, depth: int) -> list[str]:
        text = self._cut(start, end)
        first, is_longer, _ = text.partition("\n")
        if is_longer and not first.strip():
            start += len(first) + 1
        return self._tag(dedent_body(text), (start, end), depth)

    def _tag(self, lines: list[str], span: tuple[int, int], depth: int) -> list[str]:
        """Return a part of these lines with its tags."""
        if lines and BlockScanner().classify(lines[0]) is not LineKind.TEXT:
            # Behind a tag, it begins code or a comment only now.
            return lines
        return _TaggedLines(lines, self._text, span, depth)

    def _list_pairs(self) -> Iterator[Pair]:
        starts = self._text.pair_starts
        first, last = bisect_left(starts, self._start), bisect_left(starts, self._end)
        return islice(self._text.pairs, first, last)

    def _number_at(self, at: int) -> int:
        """Return the number here of the line with a character of the text."""
        return self._text.line_at(at) - self._first

    def _find_line(self, number: int) -> tuple[int, int]:
        """Return start and end in the text of a line here."""
        line, starts = self._first + number, self._text.starts
        return max(starts[line], self._start), min(starts[line + 1] - 1, self._end)

    def _cut(self, start: int, end: int) -> str:
        """Return a part of these lines, by its start and end in the text."""
        first, above = self._locate(start)
        last, below = self._locate(end)
        if first == last:
            return self[first][above:below]
        return "\n".join(
            [self[first][above:], *self[first + 1 : last], self[last][:below]]
        )

    def _locate(self, at: int) -> tuple[int, int]:
        """Return number and column here of the start or end of a tag."""
        number = self._number_at(at)
        start, end = self._find_line(number)
        line = self[number]
        bare = self._text.text[start:end].lstrip()
        return number, len(line) - len(line.lstrip()) + at - (end - len(bare))


def _read_tags(lines: Sequence[str]) -> _TaggedLines:
    """Return lines with their tags, which the body of an element has already."""
    if isinstance(lines, _TaggedLines):
        return lines
    text = _Text(lines)
    return _TaggedLines(lines, text, (0, len(text.text)), 0)


class _Elements(Mapping[int, Element]):
    """Elements by the index of their first line, made when they are asked for."""

    def __init__(self, lines: _TaggedLines, has_body: Callable[[str], bool]) -> None:
        self._lines = lines
        self._has_body = has_body

    def __getitem__(self, line: int) -> Element:
        pair = self._lines.find_pair(line)
        if pair is None:
            raise KeyError(line)
        has_body = self._has_body(pair.tag.name)
        return self._lines.make_element(pair, has_body=has_body)

    def __iter__(self) -> Iterator[int]:
        return (at for at in range(len(self._lines)) if self._lines.find_pair(at))

    def __len__(self) -> int:
        return sum(1 for _ in self)


def mask_blocks(text: str, sign: str = "") -> str:
    """Return a text of the same length with blanks for code and comments.

    What is in paragraphs without a sign may stay.
    """
    scanner = BlockScanner()
    parts = text.split("\n\n")
    for number, part in enumerate(parts):
        if sign in part or _BORDER.search(part):
            parts[number] = _mask_part(part, sign, scanner)
    return "\n\n".join(parts)


def fill_templates(
    pattern: re.Pattern[str], prefix: str
) -> Callable[[str, Mapping[str, str]], str]:
    """Return what writes values into a text in place of templates outside of code.

    The first group of `pattern` is the name of a value without `prefix`. Templates
    without a value stay.
    """

    def fill(text: str, values: Mapping[str, str]) -> str:
        if not pattern.search(text):
            return text
        masked = mask_blocks(text)

        def write(match: re.Match[str]) -> str:
            is_text = masked[match.start()] == match[0][0]
            return values.get(f"{prefix}{match[1]}", match[0]) if is_text else match[0]

        return pattern.sub(write, text)

    return fill


def _mask_part(text: str, sign: str, scanner: BlockScanner) -> str:
    """Return lines between blank ones with blanks for code and comments."""
    masked: list[str] = []
    block: list[str] = []
    for line in text.split("\n"):
        kind = scanner.classify(line)
        if kind is LineKind.TEXT and line.strip():
            block.append(line)
            continue
        if block:
            masked.append(_mask_paragraph(block, sign))
            block = []
        if kind is LineKind.TEXT or (kind is LineKind.HTML and not scanner.is_comment):
            # Scripts and style sheets are elements.
            masked.append(line)
        else:
            rest = scanner.rest if kind is LineKind.HTML else ""
            masked.append(" " * (len(line) - len(rest)) + rest)
    if block:
        masked.append(_mask_paragraph(block, sign))
    return "\n".join(masked)


def _mask_paragraph(lines: Sequence[str], sign: str) -> str:
    text = "\n".join(lines)
    return mask_code(text) if sign in text else text


def dedent_body(text: str) -> list[str]:
    """Return the lines of an element's body without its indent.

    Its indent is that of the first line below the tag; tabs count as two blanks.
    """
    first, *lines = text.split("\n")
    if not lines:
        return [first.strip()]
    indent = next((_count_columns(line) for line in lines if line.strip()), 0)
    shown = [first.strip()] if first.strip() else []
    shown += _cut_indent(text, lines, indent)
    if not lines[-1].strip():
        shown.pop()
    return shown


def _cut_indent(text: str, lines: Sequence[str], indent: int) -> list[str]:
    """Return the lines of a text without an indent; in code, that of its fence."""
    if "\t" not in text and not (indent and _FENCE.search(text)):
        return dedent(lines, indent)
    fence = FenceTracker()
    shown: list[str] = []
    base = indent
    for line in lines:
        was_open = fence.is_open
        if not was_open:
            base = min(_count_columns(line), indent)
        fence.classify(line)
        shown.append(_cut_columns(line, base, keeps_tabs=was_open))
    return shown


def _count_columns(line: str) -> int:
    head = line[: len(line) - len(line.lstrip(" \t"))]
    return len(head) + head.count("\t")


def _cut_columns(line: str, columns: int, *, keeps_tabs: bool) -> str:
    """Return a line without columns at its start; as blanks for tabs if not code."""
    bare = line.lstrip(" \t")
    head = line[: len(line) - len(bare)]
    if "\t" not in head:
        return line[min(columns, len(head)) :]
    if not keeps_tabs:
        return head.replace("\t", "  ")[columns:] + bare
    at = 0
    while at < len(head) and columns > 0:
        columns -= 2 if head[at] == "\t" else 1
        at += 1
    return line[at:]
