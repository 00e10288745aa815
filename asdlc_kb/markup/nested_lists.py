"""A Markdown text read as a menu: its headings and nested lists, and their links.

Of an item's own line the first link counts; an item without one is a heading of what is
below it. Bullets of any kind, numbers and any depth are fine. Reading never fails.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

from asdlc_kb.unicode.invisible import strip_invisible

MAX_CHARACTERS: Final = 256 * 1024
"""Characters of a menu, some 4,000 entries; reading them may take seconds."""


@dataclass(frozen=True, slots=True)
class MenuItem:
    """A line of a menu."""

    title: str
    href: str = ""
    """Where it leads; empty if nowhere."""
    below: "tuple[MenuItem, ...]" = ()
    level: int = 0
    """1 to 6 for a heading, which has what follows it below; 0 for an item."""
    beside: str = ""
    """The words of its line that are not of the link."""


@lru_cache(maxsize=8)
def read_menu(text: str) -> tuple[MenuItem, ...]:
    """Return the entries of a menu, nested as they are written.

    What is beyond `MAX_CHARACTERS` is left out. Menus are read again whenever a page
    changes, and seldom change themselves.
    """
    if not text.strip():
        # Most trees have no such file: the grammar would be loaded for nothing.
        return ()
    reader = _MenuReader()
    if len(text) > MAX_CHARACTERS:
        text = text[: text.rfind("\n", 0, MAX_CHARACTERS) + 1]
    for token in _make_markdown().parse(text + "\n"):
        reader.take(token)
    return tuple(_nest(reader.entries, 0))


class _OpenItem:
    """An item that is being read."""

    def __init__(self) -> None:
        self.own: MenuItem | None = None
        self.below: list[MenuItem] = []


class _MenuReader:
    """Takes token after token."""

    def __init__(self) -> None:
        self.entries: list[MenuItem] = []
        self._items: list[_OpenItem] = []
        self._level = 0

    def take(self, token: "Token") -> None:
        """Take a token: headings count outside lists only."""
        if token.type == "heading_open":
            self._level = int(token.tag[1:])
        elif token.type == "heading_close":
            self._level = 0
        elif token.type == "list_item_open":
            self._items.append(_OpenItem())
        elif token.type == "list_item_close":
            self._close(self._items.pop())
        elif token.type == "inline":
            self._read(_read_line(token.children or ()))

    def _read(self, line: MenuItem) -> None:
        if not self._items:
            if self._level:
                self.entries.append(replace(line, level=self._level))
        elif not (item := self._items[-1]).below and item.own is None and line.title:
            item.own = line

    def _close(self, item: _OpenItem) -> None:
        """Add an item; without words it is none, and what is below it moves up."""
        known = self._items[-1].below if self._items else self.entries
        if item.own is None:
            known.extend(item.below)
        else:
            known.append(replace(item.own, below=tuple(item.below)))


def _read_line(tokens: "Sequence[Token]") -> MenuItem:
    """Return a line's first link and what is beside it, or all words and no link."""
    beside: list[str] = []
    linked: list[str] = []
    href = ""
    is_inside = False
    for token in tokens:
        if token.type == "link_open" and not href:
            href, is_inside = str(token.attrs["href"]), True
        elif token.type == "link_close":
            is_inside = False
        elif token.type in _WORDS:
            (linked if is_inside else beside).append(token.content or " ")
    title, other = (
        " ".join(strip_invisible("".join(part)).split()) for part in (linked, beside)
    )
    return MenuItem(title, href, beside=other) if title else MenuItem(other)


def _nest(entries: Sequence[MenuItem], level: int) -> Iterator[MenuItem]:
    """Yield entries with what follows a heading below it, to the next of its level."""
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


@cache
def _make_markdown() -> "MarkdownIt":
    # Its import would be a tenth of a start that need not read any Markdown.
    from asdlc_kb.markup.grammar import make_grammar

    # Without indented code: an item indented further than it should be is one still.
    return make_grammar().disable(["code", "table"])


"""Without indented code: an item indented further than it should be is one still."""
