"""An article as its file says it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from asdlc_kb.articles.status import ArticleStatus


class LinkPlace(NamedTuple):
    """A place in an article's file. Lines and columns count from 1."""

    line: int
    column: int


@dataclass(frozen=True, slots=True)
class LinkPlaces:
    """Where things stand in an article's file."""

    body: int = 1
    """The line on which the body begins."""
    fields: Mapping[str, tuple[LinkPlace, ...]] = field(default_factory=dict)
    """Of dates and of lists, by the field's name in the file: each value's place."""


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
    """Markdown below the frontmatter, without invisible characters."""
    maturity: str | None = None
    author: str | None = None
    published: str | None = None
    related: tuple[str, ...] = ()
    """Slugs or `category/slug`, as written; targets may be hidden or absent."""
    superseded_by: tuple[str, ...] = ()
    removed: int = 0
    """Invisible characters that were removed from the file's text."""
    places: LinkPlaces = field(default_factory=LinkPlaces, compare=False, repr=False)
    """For reports: an article whose lines moved is the same article."""

    @property
    def id(self) -> str:
        """The name that no other article has."""
        return f"{self.category}/{self.slug}"


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A file that says its article is visible but breaks the schema."""

    category: str
    slug: str

    @property
    def id(self) -> str:
        """The name that no other article has."""
        return f"{self.category}/{self.slug}"
