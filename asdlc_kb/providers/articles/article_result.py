"""Result with one article, or with some of its sections."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from asdlc_kb.articles.article import Article
from asdlc_kb.articles.catalog import ArticleCatalog
from asdlc_kb.articles.links import article_uri
from asdlc_kb.attachments.referenced_files import NO_FILES, ReferencedFiles
from asdlc_kb.exceptions import SectionNotFound
from asdlc_kb.mcp.protocol.errors import clip
from asdlc_kb.mcp.protocol.model import ToolResult
from asdlc_kb.mcp.protocol.tool_schema import given_arguments
from asdlc_kb.providers.articles import views
from asdlc_kb.providers.articles.tools import GetArticle
from asdlc_kb.providers.shared.chunks import (
    SECTIONS_ADVICE,
    cut_chunk,
    describe_chunk,
    show_chunk,
)
from asdlc_kb.providers.shared.pictures import read_pictures
from asdlc_kb.providers.shared.results import make_json_result, make_result, to_values
from asdlc_kb.providers.shared.size_budget import SizeBudget, json_chars

if TYPE_CHECKING:
    from asdlc_kb.markup.section_selection import Excerpt
    from asdlc_kb.markup.sections import Section


def show_article(
    article: Article,
    catalog: ArticleCatalog,
    arguments: GetArticle,
    files: ReferencedFiles = NO_FILES,
) -> ToolResult:
    """Return an article or a chunk, with the pictures in `files`.

    Blocks while it parses a large article, or reads pictures.
    """
    is_json = arguments.format == "json"
    name = catalog.name(article)
    excerpt, missing = _choose_sections(article, name, arguments)
    text = body = article.body if excerpt is None else excerpt.text
    if excerpt is None and not is_json:
        text = views.article_markdown(article)
    shown = views.view_article(article, catalog)
    left_out: tuple[str, ...] = ()
    if given_arguments(arguments.cursor):
        shown = replace(shown, metadata=UNSET)
    budget = SizeBudget(arguments.max_chars, is_json)
    if is_json:
        if json_chars(shown) > arguments.max_chars // 2:
            shown, left_out = _shorten(shown)
        budget = budget.spend(shown)
    sections = partial(_split, text) if excerpt is None else lambda: excerpt.sections
    chunk = cut_chunk(text, arguments.cursor, sections, budget)
    fields = {"content": body} if chunk.is_whole else chunk.fields
    shown = replace(shown, **fields)
    pictures = read_pictures(files, chunk.text, f"{article.id}.md")
    notes = (
        *missing,
        *describe_chunk(chunk, SECTIONS_ADVICE),
        *left_out,
        *pictures.notes,
    )
    if is_json:
        result = make_json_result(shown, notes=notes)
    else:
        result = make_result(to_values(shown), show_chunk(chunk), notes)
    result = replace(result, document=article_uri(name))
    return pictures.append_to(result)


class _ArticleText(NamedTuple):
    """An article as a text with sections."""

    path: str
    title: str
    body: str

    @property
    def is_titled(self) -> bool:
        """Whether the body begins with the title, as a heading."""
        return self.body.lstrip().startswith("# ")


def _choose_sections(
    article: Article, name: str, arguments: GetArticle
) -> tuple["Excerpt | None", tuple[str, ...]]:
    """Return the requested sections, if any, and a sentence on a missing one.

    An anchor in the name is a section if no `sections` are given.
    """
    wanted = given_arguments(arguments.sections)
    anchor = "" if "#" in article.title else arguments.slug.partition("#")[2]
    if not wanted and not anchor:
        return None, ()
    # Imported with the first article of which sections are requested.
    from asdlc_kb.markup.section_selection import choose_sections

    text = _ArticleText(name, article.title, article.body)
    try:
        return choose_sections(text, wanted or [unquote(anchor)]), ()
    except SectionNotFound:
        if wanted:
            raise
    return None, (f"It has no section '{clip(anchor)}'.",)


def _shorten(shown: views.ArticleView) -> tuple[views.ArticleView, tuple[str, ...]]:
    """Return an article with less metadata, and a sentence on what is left out."""
    short = views.shorten(shown)
    if isinstance(shown.metadata, UnsetType):
        return short, ()
    note = "metadata is left out: ask with a larger max_chars."
    return replace(short, metadata=UNSET), (note,)


def _split(text: str) -> "Sequence[Section]":
    # Imported with the first article that is too large for one result.
    from asdlc_kb.markup.sections import split_sections

    return split_sections(text)
