"""Parser of menus in Markdown: headings and nested lists with links.

The first link in an item's line counts; an item without one is a heading of its
children. Any kind of bullet, numbers and any depth are accepted. Never fails.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from markdown_it.token import Token

from asdlc_kb.markup.lazy_grammar import list_grammar
from asdlc_kb.unicode.invisible import strip_invisible

MAX_CHARACTERS: Final = 256 * 1024
"""Characters of a menu, some 4,000 entries; parsing them may take seconds."""


@dataclass(frozen=True, slots=True)
class MenuItem:
    """A line of a menu."""

    title: str
    href: str = ""
    """The link's destination; empty without a link."""
    below: "tuple[MenuItem, ...]" = ()
    level: int = 0
    """1 to 6 for a heading; 0 for an item."""
    rest: str = ""
    """The text of its line outside the link."""


@lru_cache(maxsize=8)
def read_menu(text: str, *, has_paragraphs: bool = False) -> tuple[MenuItem, ...]:
    """Return the entries of a menu, nested as written.

    With `has_paragraphs` a paragraph that is a link is an entry too. Text beyond
    `MAX_CHARACTERS` is ignored. Cached: menus are read again whenever a page changes,
    and seldom change.
    """
    if not text.strip():
        # Most trees have no such file: do not load the grammar.
        return ()
    reader = _MenuReader(has_paragraphs=has_paragraphs)
    if len(text) > MAX_CHARACTERS:
        text = text[: text.rfind("\n", 0, MAX_CHARACTERS) + 1]
    for token in list_grammar().parse(text + "\n"):
        reader.read(token)
    return tuple(_nest(reader.entries, 0))


def find_links(text: str) -> Iterator[str]:
    """Yield the destinations of all links in a text, of any length."""
    for token in list_grammar().parse(text + "\n"):
        for each in token.children or ():
            if each.type == "link_open":
                yield str(each.attrs["href"])


class _OpenItem:
    """An item that is being parsed."""

    def __init__(self) -> None:
        self.line: MenuItem | None = None
        self.below: list[MenuItem] = []


class _MenuReader:
    """Builds entries from tokens."""

    def __init__(self, *, has_paragraphs: bool) -> None:
        self.entries: list[MenuItem] = []
        self._has_paragraphs = has_paragraphs
        self._items: list[_OpenItem] = []
        self._level = 0

    def read(self, token: "Token") -> None:
        """Read a token: headings count outside lists only."""
        if token.type == "heading_open":
            self._level = int(token.tag[1:])
        elif token.type == "heading_close":
            self._level = 0
        elif token.type == "list_item_open":
            self._items.append(_OpenItem())
        elif token.type == "list_item_close":
            self._close(self._items.pop())
        elif token.type == "inline":
            self._add_line(_read_line(token.children or ()))

    def _add_line(self, line: MenuItem) -> None:
        if not self._items:
            if self._level:
                self.entries.append(replace(line, level=self._level))
            elif self._has_paragraphs and line.href and not line.rest:
                self.entries.append(line)
        elif not (item := self._items[-1]).below and item.line is None and line.title:
            item.line = line

    def _close(self, item: _OpenItem) -> None:
        """Add an item; without text it is dropped, and its children move up."""
        known = self._items[-1].below if self._items else self.entries
        if item.line is None:
            known.extend(item.below)
        else:
            known.append(replace(item.line, below=tuple(item.below)))


def _read_line(tokens: "Sequence[Token]") -> MenuItem:
    """Return a line's first link and the text outside it, or the text only."""
    rest: list[str] = []
    linked: list[str] = []
    href = ""
    is_inside = False
    for token in tokens:
        if token.type == "link_open" and not href:
            href, is_inside = str(token.attrs["href"]), True
        elif token.type == "link_close":
            is_inside = False
        elif token.type in _WORDS:
            (linked if is_inside else rest).append(token.content or " ")
    title, other = (
        " ".join(strip_invisible("".join(part)).split()) for part in (linked, rest)
    )
    return MenuItem(title, href, rest=other) if title else MenuItem(other)


def _nest(entries: Sequence[MenuItem], level: int) -> Iterator[MenuItem]:
    """Yield entries nested below headings, up to the next heading of the level."""
    at = 0
    while at < len(entries):
        entry = entries[at]
        end = at + 1
        if entry.level > level:
            while end < len(entries) and not 0 < entries[end].level <= entry.level:
                end += 1
            below = tuple(_nest(entries[at + 1 : end], entry.level))
            entry = replace(entry, below=below)
        yield entry
        at = end


_WORDS: Final = frozenset(
    {"text", "code_inline", "text_special", "softbreak", "hardbreak"}
)
