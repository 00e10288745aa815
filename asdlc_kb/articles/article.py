"""An article as its file says it."""

from dataclasses import dataclass

from asdlc_kb.articles.status import Status


@dataclass(frozen=True, slots=True, kw_only=True)
class Article:
    """One article, hidden or not. Dates are ISO 8601 dates."""

    category: str
    slug: str
    title: str
    description: str
    tags: tuple[str, ...]
    last_updated: str
    status: Status
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

    @property
    def id(self) -> str:
        """The name that no other article has."""
        return f"{self.category}/{self.slug}"


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A file that says its article is visible but breaks the schema."""

    category: str
    slug: str
