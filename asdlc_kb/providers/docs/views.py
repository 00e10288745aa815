"""Serialization of documentation pages, as structured content and as text."""

from collections.abc import Iterable, Iterator
from typing import Final

from msgspec import UNSET, UnsetType

from asdlc_kb.docs.catalogs.catalog import ROOT
from asdlc_kb.docs.pages.page import DocPage
from asdlc_kb.mcp.protocol.tool_schema import ToolAnswer
from asdlc_kb.providers.shared.chunks import Chunk, OutlineEntry
from asdlc_kb.providers.shared.listings import MAX_LISTED_CHARS
from asdlc_kb.providers.shared.results import ResultPage, Row, to_values
from asdlc_kb.providers.shared.size_budget import MAX_DESCRIPTION_CHARS, truncate_names
from asdlc_kb.unicode.truncation import truncate

LIST_FRAME_CHARS: Final = 300
"""Characters of a list of pages around its rows."""

GroupedPage = tuple[str, str, DocPage]
"""The name and title of a category, and a page in it."""


class ListedPage(ToolAnswer, frozen=True):
    """A page in a list."""

    path: str
    title: str
    category: str
    description: str | UnsetType = UNSET


class PageList(ToolAnswer, frozen=True):
    """A page of the list, with the total."""

    pages: tuple[ListedPage, ...]
    total: int
    next_cursor: str | UnsetType = UNSET


class PageView(ToolAnswer, frozen=True):
    """A page, or a chunk of it: characters `start` to `end` of `characters`."""

    path: str
    title: str
    category: str
    content: str
    characters: int
    start: int
    end: int
    description: str | UnsetType = UNSET
    tags: tuple[str, ...] | UnsetType = UNSET
    outline: tuple[OutlineEntry, ...] | UnsetType = UNSET
    removed: int | UnsetType = UNSET
    next_cursor: str | UnsetType = UNSET


def view_page(page: DocPage, chunk: Chunk) -> PageView:
    """Return a chunk of a page as structured content."""
    return PageView(
        path=page.path,
        title=page.title,
        category=page.category or ROOT,
        description=page.description[:MAX_DESCRIPTION_CHARS] or UNSET,
        tags=truncate_names(page.tags) or UNSET,
        removed=page.removed or UNSET,
        **chunk.fields,
    )


def make_rows(pages: Iterable[GroupedPage], *, has_titles: bool) -> Iterator[Row]:
    """Yield the rows of a list, with a heading above each group if it has titles."""
    last = None
    for category, title, page in pages:
        text = show_row(page)
        if has_titles and title != last:
            above = "" if last is None else "\n"
            heading = f"## {title}\n\n" if title else ""
            text = f"{above}{heading}{text}"
        last = title
        listed = ListedPage(
            path=page.path,
            title=page.title,
            category=category,
            description=truncate(page.description, MAX_LISTED_CHARS) or UNSET,
        )
        yield Row(to_values(listed), text)


def show_list(page: ResultPage, category: str | None) -> str:
    """Format a page of the list as Markdown: grouped, or those of one category."""
    total = page.values["total"]
    if not total:
        return "There are no documentation pages."
    heading = "# Available Documentation Pages"
    if category is not None:
        heading = f"# Documentation Pages in '{category}'"
    summary = f"Total: {total:,} {'page' if total == 1 else 'pages'}"
    listed = "\n".join(row.text for row in page.rows)
    return f"{heading}\n\n{listed}\n\n---\n\n{summary}"


def show_row(page: DocPage) -> str:
    """Format a page as an item of a Markdown list."""
    title = page.title.replace("[", "\\[").replace("]", "\\]")
    path = f"<{page.path}>" if set(page.path) & set(" ()") else page.path
    description = truncate(page.description, MAX_LISTED_CHARS)
    return f"- [{title}]({path})" + (f": {description}" if description else "")
