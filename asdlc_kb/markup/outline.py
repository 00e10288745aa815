"""The outline of a Markdown text: headings with anchors, links with positions.

Code is ignored. In raw HTML `href` is a link, the `src` of `<img>`, `<video>` and
`<source>` a picture, `id` and `name` are anchors. Never fails.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline, autolink, html_inline, image, link
from markdown_it.token import Token

from asdlc_kb.markup.anchors import Anchors
from asdlc_kb.markup.formulas import use_formulas
from asdlc_kb.markup.grammar import make_grammar, use_footnotes
from asdlc_kb.markup.headings import find_ids, read_id, read_words, use_attributes
from asdlc_kb.markup.plain_text import cut_liquid

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_ATTRIBUTE = re.compile(
    r"""(?i)(?<=\s)(id|name|href)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>=`]+))"""
)
_IMG = re.compile(
    r"""(?i)<(?:img|video|source)\s[^<>]*?\bsrc\s*=\s*(?:"([^"<>]*)"|'([^'<>]*)'|([^\s"'<>=`]+))"""
)


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading with its anchor. Lines count from 1."""

    level: int
    text: str
    anchor: str
    line: int


@dataclass(frozen=True, slots=True)
class OutlineLink:
    """A link with its position. Lines and columns count from 1."""

    href: str
    """The destination, percent-encoded where needed."""
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Outline:
    """The headings, links and pictures of a text, in order."""

    headings: tuple[Heading, ...]
    links: tuple[OutlineLink, ...]
    named: frozenset[str]
    """Anchors that raw HTML sets."""
    pictures: tuple[OutlineLink, ...] = ()

    @property
    def anchors(self) -> frozenset[str]:
        """Every anchor of the text."""
        return self.named.union(heading.anchor for heading in self.headings)


def read_outline(text: str) -> Outline:
    """Return the outline of a text in CommonMark with tables and footnotes."""
    # The grammar fails at some texts without a final line end.
    tokens = _MARKDOWN.parse(text + "\n")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    reader = _OutlineReader(text, Anchors(find_ids(tokens)))
    opening = None
    for token in tokens:
        if token.type == "html_block":
            reader.read_html(token.content, reader.locate(token), 0)
        elif token.type == "inline":
            reader.read_inline(token, opening)
        opening = token if token.type == "heading_open" else None
    return Outline(
        tuple(reader.headings),
        tuple(reader.links),
        frozenset(reader.named),
        tuple(reader.pictures),
    )


class _Positions:
    """Positions of a block's characters in the whole text."""

    def __init__(self, content: str, row: int, lines: Sequence[str], begin: int):
        self._content = content.split("\n")
        self._starts = [0]
        for line in self._content:
            self._starts.append(self._starts[-1] + len(line) + 1)
        self._row = row
        self._lines = lines
        self._columns = {0: begin}

    def of(self, index: int) -> tuple[int, int]:
        """Return line and column of a character, both counted from 1."""
        row = bisect_right(self._starts, index) - 1
        if row not in self._columns:
            # A block's content has no indent and no quote marks.
            source = self._lines[self._row + row]
            self._columns[row] = max(source.find(self._content[row]), 0)
        column = self._columns[row] + index - self._starts[row]
        return self._row + row + 1, column + 1


class _OutlineReader:
    """Collects the parts of one text."""

    def __init__(self, text: str, anchors: Anchors) -> None:
        self.headings: list[Heading] = []
        self.links: list[OutlineLink] = []
        self.pictures: list[OutlineLink] = []
        self.named: set[str] = set()
        self._lines = text.split("\n")
        self._anchors = anchors
        self._end = (0, 0)
        """Row and column of the end of the last single-line block."""

    def locate(self, block: Token) -> _Positions:
        """Return the positions of a block's characters."""
        row = block.map[0] if block.map else 0
        first = block.content.partition("\n")[0]
        # Cells of one row of a table follow each other.
        after = self._end[1] if self._end[0] == row else 0
        begin = max(self._lines[row].find(first, after), 0)
        self._end = (row, begin + len(first))
        return _Positions(block.content, row, self._lines, begin)

    def read_inline(self, block: Token, opening: Token | None) -> None:
        """Record the links of a block, and the heading that `opening` begins."""
        children = block.children or ()
        positions = self.locate(block)
        if opening is not None:
            text = read_words(_read_heading(block))
            anchor = self._anchors.add(text, read_id(opening))
            level, line = int(opening.tag[1:]), positions.of(0)[0]
            self.headings.append(Heading(level, text, anchor, line))
        for token in children:
            if token.type == "link_open" and _AT in token.meta:
                href = str(token.attrs["href"])
                self.links.append(OutlineLink(href, *positions.of(token.meta[_AT])))
            elif token.type == "image" and _AT in token.meta:
                source = str(token.attrs["src"])
                at = positions.of(token.meta[_AT])
                self.pictures.append(OutlineLink(source, *at))
            elif token.type == "html_inline":
                self.read_html(token.content, positions, token.meta[_AT])

    def read_html(self, html: str, positions: _Positions, start: int) -> None:
        """Record the links, pictures and anchors of raw HTML."""
        seen = _COMMENT.sub(lambda match: " " * len(match[0]), html)
        for match in _IMG.finditer(seen):
            source = match[1] or match[2] or match[3] or ""
            at = positions.of(start + match.start())
            self.pictures.append(OutlineLink(source, *at))
        for match in _ATTRIBUTE.finditer(seen):
            value = match[2] or match[3] or match[4] or ""
            if match[1].lower() == "href":
                self.links.append(
                    OutlineLink(value, *positions.of(start + match.start()))
                )
            else:
                self.named.add(value)


def _read_heading(block: Token) -> Sequence[Token]:
    """Return the inline tokens of a heading, without Liquid tags."""
    shown = cut_liquid(block.content)
    if shown == block.content:
        return block.children or ()
    return _MARKDOWN.parseInline(shown)[0].children or ()


_AT: Final = "at"
"""Metadata key of the index at which a token begins in its block."""


def _with_place(
    rule: Callable[[StateInline, bool], bool], kind: str
) -> Callable[[StateInline, bool], bool]:
    """Return a rule of markdown-it that adds positions to its tokens."""

    def place(state: StateInline, silent: bool) -> bool:
        start, before = state.pos, len(state.tokens)
        if not rule(state, silent):
            return False
        for token in state.tokens[before:]:
            if token.type == kind:
                token.meta[_AT] = start
                break
        return True

    return place


def _make_markdown() -> MarkdownIt:
    markdown = make_grammar()
    markdown.use(use_attributes).use(use_formulas).use(use_footnotes)
    # Notes stay where they are written.
    markdown.disable("footnote_tail")
    markdown.inline.ruler.at("link", _with_place(link, "link_open"))
    markdown.inline.ruler.at("image", _with_place(image, "image"))
    markdown.inline.ruler.at("autolink", _with_place(autolink, "link_open"))
    markdown.inline.ruler.at("html_inline", _with_place(html_inline, "html_inline"))
    return markdown


_MARKDOWN: Final = _make_markdown()
