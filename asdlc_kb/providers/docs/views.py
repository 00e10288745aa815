"""Serialization of documentation pages, as structured content and as text."""

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any, Final
from urllib.parse import quote

from msgspec import UNSET, UnsetType, to_builtins

from asdlc_kb.docs.catalog import ROOT, SidebarGroup
from asdlc_kb.docs.page import DocPage
from asdlc_kb.mcp.protocol.tool_schema import ToolAnswer
from asdlc_kb.providers.shared.chunks import Chunk, OutlineEntry, show_chunk
from asdlc_kb.providers.shared.size_budget import MAX_DESCRIPTION_CHARS, truncate_names

MARKDOWN: Final = "text/markdown"

URI_PREFIX: Final = "kb://doc/"
"""Prefix of a page's resource URI; its path follows."""

LIST_CUT: Final = 200
"""Characters of a description in lists."""

_ADVICE: Final = (
    "Ask with `sections` for some of it, or with `cursor` for what follows."
)

PageRowView = tuple[str, str, DocPage]
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


def to_json_values(answer: ToolAnswer) -> dict[str, Any]:
    """Convert an answer to JSON values."""
    values: dict[str, Any] = to_builtins(answer)
    return values


def page_uri(path: str) -> str:
    """Return the resource URI of a page."""
    return URI_PREFIX + quote(path, safe="/", errors="surrogatepass")


def view_page(page: DocPage, part: Chunk) -> PageView:
    """Return a chunk of a page as structured content."""
    return PageView(
        path=page.path,
        title=page.title,
        category=page.category or ROOT,
        content=part.text,
        characters=part.total,
        start=part.start,
        end=part.end,
        description=page.description[:MAX_DESCRIPTION_CHARS] or UNSET,
        tags=truncate_names(page.tags) or UNSET,
        outline=part.outline or UNSET,
        removed=page.removed or UNSET,
        next_cursor=part.next_cursor or UNSET,
    )


def show_page(part: Chunk) -> str:
    """Format a chunk of a page as text."""
    return show_chunk(part, _ADVICE)


def page_rows(groups: Iterable[SidebarGroup]) -> list[PageRowView]:
    """Return the pages of all groups, each with the name and title of its group."""
    return [(g.category, g.title, page) for g in groups for page in g.pages]


def of_category(category: str, pages: Iterable[DocPage]) -> list[PageRowView]:
    """Return the pages of one category."""
    return [(page.category or ROOT, category, page) for page in pages]


def list_pages(
    listed: Sequence[PageRowView], total: int, next_cursor: str | None
) -> PageList:
    """Return listed pages as structured content."""
    return PageList(
        pages=tuple(
            ListedPage(
                path=page.path,
                title=page.title,
                category=category,
                description=page.description[:LIST_CUT] or UNSET,
            )
            for category, _, page in listed
        ),
        total=total,
        next_cursor=next_cursor or UNSET,
    )


def show_list(
    listed: Sequence[PageRowView],
    total: int,
    next_cursor: str | None,
    *,
    start: int,
    category: str | None,
) -> str:
    """Format listed pages as Markdown: grouped, or those of one category."""
    if not total:
        return "There are no documentation pages."
    if category is None:
        blocks = ["# Available Documentation Pages"]
        for title, group in groupby(listed, key=lambda row: row[1]):
            lines = (show_row(page) for _, _, page in group)
            blocks += (f"## {title}", "\n".join(lines))
    else:
        blocks = [f"# Documentation Pages in '{category}'"]
        blocks.append("\n".join(show_row(page) for _, _, page in listed))
    summary = f"Total: {total:,} {'page' if total == 1 else 'pages'}"
    if len(listed) < total:
        summary += f". These are {start + 1:,} to {start + len(listed):,}."
    if next_cursor:
        summary += f" Next: cursor {next_cursor}"
    return "\n\n".join([*blocks, f"---\n\n{summary}"])


def show_row(page: DocPage) -> str:
    """Format a page as an item of a Markdown list."""
    title = page.title.replace("[", "\\[").replace("]", "\\]")
    path = f"<{page.path}>" if set(page.path) & set(" ()") else page.path
    description = page.description[:LIST_CUT]
    return f"- [{title}]({path})" + (f": {description}" if description else "")
