"""An article as read from its file."""

from collections.abc import Mapping
from sys import intern
from typing import Any, Final, NamedTuple

import msgspec
from msgspec.structs import force_setattr

from asdlc_kb.articles.aliases import read_aliases, read_former_addresses
from asdlc_kb.articles.status import ArticleStatus
from asdlc_kb.files.lazy_value import LazyValue

_NO_METADATA: Final[Mapping[str, Any]] = {}


class SourcePosition(NamedTuple):
    """A position in an article's file. Lines and columns count from 1."""

    line: int
    column: int


class SourcePositions(msgspec.Struct, frozen=True, array_like=True):
    """Positions of fields and body in an article's file."""

    body: int = 1
    """The line on which the body begins."""
    fields: Mapping[str, tuple[SourcePosition, ...]] = {}
    """Positions of the values of dates and lists, by the field's name in the file."""


class ArticleText(msgspec.Struct, frozen=True, array_like=True, eq=False):
    """The part of an article that stays on disk until it is needed."""

    body: str
    positions: SourcePositions = SourcePositions()

    def __eq__(self, other: object) -> bool:
        """Compare the bodies: moved lines are not a change."""
        return isinstance(other, ArticleText) and self.body == other.body

    def __hash__(self) -> int:
        return hash(self.body)


class Article(
    msgspec.Struct, frozen=True, kw_only=True, array_like=True, tag=True, gc=False
):
    """One article, hidden or not. Dates are ISO 8601 dates."""

    category: str
    slug: str
    title: str
    description: str
    tags: tuple[str, ...]
    last_updated: str
    status: ArticleStatus
    text: LazyValue[ArticleText]
    maturity: str | None = None
    author: str | None = None
    published: str | None = None
    related: tuple[str, ...] = ()
    """Slugs or `category/slug`, as written; targets can be hidden or absent."""
    superseded_by: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = {}
    """Fields of the frontmatter that the format does not have, as JSON values."""
    removed: int = 0
    """Invisible characters that were removed from the file's text."""

    def __post_init__(self) -> None:
        """Share the texts that many articles have: a third of their memory (D-187)."""
        force_setattr(self, "category", intern(self.category))
        force_setattr(self, "last_updated", intern(self.last_updated))
        force_setattr(self, "tags", tuple(map(intern, self.tags)))
        if self.maturity is not None:
            force_setattr(self, "maturity", intern(self.maturity))
        if self.author is not None:
            force_setattr(self, "author", intern(self.author))
        if not self.metadata:
            force_setattr(self, "metadata", _NO_METADATA)

    def __hash__(self) -> int:
        return hash((self.category, self.slug, self.last_updated))

    @property
    def id(self) -> str:
        """The unique name, `category/slug`."""
        return f"{self.category}/{self.slug}"

    @property
    def aliases(self) -> tuple[str, ...]:
        """Further names, which are searched like tags; they are in the metadata."""
        return read_aliases(self.metadata) if self.metadata else ()

    @property
    def former_addresses(self) -> tuple[str, ...]:
        """Addresses that the article had before, as written among its aliases."""
        return read_former_addresses(self.metadata) if self.metadata else ()

    @property
    def body(self) -> str:
        """Markdown below the frontmatter, without invisible characters.

        The references of the frontmatter are its last section. May read the disk.
        """
        return self.text.get().body

    @property
    def positions(self) -> SourcePositions:
        """Positions for reports. May read the disk."""
        return self.text.get().positions


class Unreadable(msgspec.Struct, frozen=True, array_like=True, tag=True, gc=False):
    """A file with a visible status that breaks the schema."""

    category: str
    slug: str

    @property
    def id(self) -> str:
        """The unique name, `category/slug`."""
        return f"{self.category}/{self.slug}"
