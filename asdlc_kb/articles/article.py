"""An article as read from its file."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from asdlc_kb.articles.status import ArticleStatus


class SourcePosition(NamedTuple):
    """A position in an article's file. Lines and columns count from 1."""

    line: int
    column: int


@dataclass(frozen=True, slots=True)
class SourcePositions:
    """Positions of fields and body in an article's file."""

    body: int = 1
    """The line on which the body begins."""
    fields: Mapping[str, tuple[SourcePosition, ...]] = field(default_factory=dict)
    """Positions of the values of dates and lists, by the field's name in the file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Article:
    """One article, hidden or not. Dates are ISO 8601 dates."""

    category: str
    slug: str
    title: str
    description: str
    tags: tuple[str, ...]
    last_updated: str
    status: ArticleStatus
    body: str
    """Markdown below the frontmatter, without invisible characters; the references of
    the frontmatter are its last section."""
    maturity: str | None = None
    author: str | None = None
    published: str | None = None
    related: tuple[str, ...] = ()
    """Slugs or `category/slug`, as written; targets can be hidden or absent."""
    superseded_by: tuple[str, ...] = ()
    metadata: Mapping[str, object] = field(default_factory=dict, hash=False)
    """Fields of the frontmatter that the format does not have, as JSON values."""
    removed: int = 0
    """Invisible characters that were removed from the file's text."""
    positions: SourcePositions = field(
        default_factory=SourcePositions, compare=False, repr=False
    )
    """For reports; not compared: moved lines are not a change."""

    @property
    def id(self) -> str:
        """The unique name, `category/slug`."""
        return f"{self.category}/{self.slug}"


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A file with a visible status that breaks the schema."""

    category: str
    slug: str

    @property
    def id(self) -> str:
        """The unique name, `category/slug`."""
        return f"{self.category}/{self.slug}"
