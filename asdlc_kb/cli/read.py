"""Commands that read the content: list, show, search."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from itertools import chain
from typing import Any, Final, TypeAlias

import click

from asdlc_kb.app import ConfiguredSources
from asdlc_kb.articles.article import Article
from asdlc_kb.articles.catalog import ArticleCatalog, Mode
from asdlc_kb.cli import terminal
from asdlc_kb.cli.explain import add_reason_lines, add_reasons, explain_findings
from asdlc_kb.cli.name_completion import complete_name
from asdlc_kb.cli.options import CommandSettings, settings_options
from asdlc_kb.cli.search_sources import (
    Findings,
    FoundItem,
    SearchQuery,
    SourceSearch,
    rank_items,
)
from asdlc_kb.cli.sources import (
    MAX_LIMIT,
    as_json,
    at_most,
    in_category,
    open_catalogs,
)
from asdlc_kb.cli.terminal import HelpCommand, Span, wrap
from asdlc_kb.docs.catalogs.catalog import ROOT
from asdlc_kb.docs.pages.page import DocPage
from asdlc_kb.exceptions import ArticleNotFound, DocNotFound, KnowledgeBaseError
from asdlc_kb.search.filters import Filter, FilterName
from asdlc_kb.search.values import SearchResults
from asdlc_kb.unicode.near_names import MAX_NEAR_NAMES, suggest_names

_FILTERS: Final[Mapping[str, FilterName]] = {
    "source": "source",
    "version": "version",
    "only_language": "language",
    "updated": "updated",
}
"""Filters by their options; that of a category has an option of its own."""

Entry: TypeAlias = Article | DocPage

_INDENT: Final = "    "

_LAYOUT: Final = "\n\t"
"""Control characters that are printed unescaped in a text."""


def _row(article: Article, catalog: ArticleCatalog) -> dict[str, Any]:
    return {
        "slug": article.slug,
        "category": article.category,
        "title": article.title,
        "description": article.description,
        "tags": list(article.tags),
        "lastUpdated": article.last_updated,
        "status": article.status.value,
        "maturity": article.maturity,
        "relatedIds": list(catalog.related(article)),
    }


def _page_row(page: DocPage) -> dict[str, Any]:
    return {
        "path": page.path,
        "category": page.category or ROOT,
        "title": page.title,
        "description": page.description,
        "tags": list(page.tags),
    }


def _list_lines(entries: Sequence[Entry]) -> Iterator[terminal.Line]:
    """Yield a line for each article and page, in columns."""
    widths = {
        kind: max(
            (len(_name(each)) for each in entries if isinstance(each, kind)), default=0
        )
        for kind in (Article, DocPage)
    }
    for entry in entries:
        name = f"{_name(entry):{widths[type(entry)]}}"
        title = Span(entry.title, "strong")
        if isinstance(entry, Article):
            yield (Span(str(entry.last_updated), "faint"), f"  {name}  ", title)
        else:
            yield (f"{name}  ", title)


def _name(entry: Entry) -> str:
    return entry.id if isinstance(entry, Article) else entry.path


@click.command("list", cls=HelpCommand)
@settings_options("docs", "dialect", "language", "max_files")
@in_category
@click.option(
    "--limit",
    type=click.IntRange(1, MAX_LIMIT),
    metavar="N",
    help="Maximum number of articles and of pages; by default all",
)
@as_json
def list_articles(
    given: CommandSettings, category: str | None, limit: int | None, as_json: bool
) -> None:
    """List visible articles, newest first, then pages in sidebar order."""
    sources = open_catalogs(given.settings, category)
    rows: list[Mapping[str, Any]] = []
    entries: list[Entry] = []
    if (articles := sources.articles) is not None:
        catalog = articles.catalog
        chosen = catalog.select(category, limit or len(catalog.articles))
        rows += [_row(article, catalog) for article in chosen.articles]
        entries += chosen.articles
        _print_rest(len(chosen.articles), chosen.total, "articles")
    if (docs := sources.docs) is not None:
        tree = docs.catalog
        pages = tree.pages if category is None else tree.select(category)
        rows += map(_page_row, pages[:limit])
        entries += pages[:limit]
        _print_rest(len(pages[:limit]), len(pages), "pages")
    if not rows:
        terminal.warn("nothing to list: no article and no page is visible")
    terminal.report(rows, _list_lines(entries), as_json=as_json)


@click.command(cls=HelpCommand)
@click.argument(
    "name",
    shell_complete=complete_name,
    help="Slug, category/slug or title of an article, or path of a page",
)
@settings_options("docs", "dialect", "language", "max_files")
@as_json
def show(given: CommandSettings, name: str, as_json: bool) -> None:
    """Show the article or page NAME: a slug, category/slug, or a path."""
    row, title, body = _find(open_catalogs(given.settings), name)
    if as_json:
        click.echo(json.dumps({**row, "content": body}, indent=2))
    else:
        if title is not None:
            terminal.echo(f"# {title}")
            terminal.echo("")
        click.echo(terminal.escape(body, keep=_LAYOUT), nl=False)


def _find(
    sources: ConfiguredSources, name: str
) -> tuple[Mapping[str, Any], str | None, str]:
    """Return row, title and body of a named article or else page.

    The title is None if it is already in the body. The path of a page names that page.
    Raises KnowledgeBaseError with similar names if there is neither.
    """
    docs = sources.docs
    if docs is not None and (exact := docs.catalog.by_path.get(name)) is not None:
        return _show_page(exact)
    if (articles := sources.articles) is not None:
        try:
            article = articles.catalog.look_up(name)
        except ArticleNotFound as error:
            if docs is None:
                near = articles.catalog.find_near(name)
                raise KnowledgeBaseError(_suggest(str(error), near)) from None
        else:
            is_titled = article.body.partition("\n")[0].strip() == f"# {article.title}"
            title = None if is_titled else article.title
            return _row(article, articles.catalog), title, article.body
    assert docs is not None
    try:
        page = docs.catalog.find(name)
    except DocNotFound as error:
        message, near = str(error), docs.catalog.find_near(name)
        if articles is not None:
            message = f"No article and no page '{name}'"
            near = (*articles.catalog.find_near(name), *near)
        raise KnowledgeBaseError(_suggest(message, near)) from None
    return _show_page(page)


def _show_page(page: DocPage) -> tuple[Mapping[str, Any], str | None, str]:
    return _page_row(page), None if page.is_titled else page.title, page.body


def _suggest(message: str, near: Sequence[str]) -> str:
    hint = suggest_names(near[:MAX_NEAR_NAMES])
    return f"{message}. {hint}" if hint else message


@click.command(cls=HelpCommand)
@click.argument("query", help="Words, a question, or filters such as updated:2026")
@settings_options(
    "docs",
    "dialect",
    "language",
    "max_files",
    "cache_dir",
    "snippet_length",
    "changelog",
    "synonyms",
    "semantic",
)
@in_category
@click.option("--source", metavar="NAME", help="Only this documentation, or articles")
@click.option(
    "--version", metavar="VERSION", help="Only this version of the documentation"
)
@click.option("--only-language", metavar="LANGUAGE", help="Only this language")
@click.option(
    "--updated",
    metavar="DATES",
    help="Only what was last updated then: 2026, '>2026-01', 2025-06..2026-01",
)
@click.option(
    "--mode",
    type=click.Choice(["auto", "keyword", "fulltext"]),
    default="auto",
    show_default=True,
    help="How to search articles; auto: full text, or keyword if that finds none",
)
@click.option("--explain", is_flag=True, help="Show why each result was found")
@at_most
@as_json
def search(
    given: CommandSettings,
    query: str,
    category: str | None,
    mode: Mode,
    limit: int,
    explain: bool,
    as_json: bool,
    **filters: str | None,
) -> None:
    """Search articles and pages for QUERY, best match first."""
    sources = open_catalogs(given.settings, category)
    given_filters = tuple(_read_filters(filters))
    with closing(SourceSearch(sources, given.settings)) as finder:
        finder.check(given_filters)
        asked = SearchQuery(query, limit, category, mode, given_filters)
        found = tuple(finder.find_merged(asked))
        reasons = [explain_findings(finder, each) for each in found] if explain else []
    ranked = rank_items(found, mode, limit)
    items = [found[hit.source].items[hit.number] for hit in ranked]
    for findings in found:
        _print_corrections(findings.full_text)
    texts = (findings.full_text.excluded for findings in found)
    for text in dict.fromkeys(chain.from_iterable(texts)):
        terminal.warn(f"results with '{text}' are left out")
    _print_rest(len(items), sum(each.total for each in found), _name_items(found))
    if not items:
        terminal.warn(f"no results for '{query}'")
    rows = [_found_row(item, sources) for item in items]
    lines = [*_found_lines(items)]
    terminal.report(
        add_reasons(rows, ranked, reasons) if explain else rows,
        add_reason_lines(lines, ranked, reasons) if explain else chain(*lines),
        as_json=as_json,
    )


def _name_items(found: Sequence[Findings]) -> str:
    """Return what the items of all sources are, in the plural."""
    return " and ".join(findings.noun for findings in found if findings.total)


def _read_filters(given: Mapping[str, str | None]) -> Iterator[Filter]:
    """Yield the filters of options."""
    for option, name in _FILTERS.items():
        if (value := given[option]) is not None:
            yield Filter(name, value)


def _print_rest(count: int, total: int, noun: str) -> None:
    """Print to stderr that a list was cut, if it was."""
    if count < total:
        more = f". --limit {MAX_LIMIT} shows more" if count < MAX_LIMIT else ""
        terminal.echo(f"{count:,} of {total:,} {noun}{more}", err=True)


def _print_corrections(results: SearchResults) -> None:
    """Print corrected words and a suggested query to stderr."""
    for typed, searched in results.corrected:
        is_joined = " " in typed
        note = "also searched for" if is_joined else "searched for"
        instead = "" if is_joined else f" instead of '{typed}'"
        terminal.warn(f"{note} '{searched}'{instead}")
    if results.suggestion is not None:
        terminal.warn(f"did you mean '{results.suggestion}'?")


def _found_row(item: FoundItem, sources: ConfiguredSources) -> Mapping[str, Any]:
    hit = item.hit and {
        "heading": item.hit.heading,
        "anchor": item.hit.anchor,
        "line": item.hit.line,
        "snippet": item.hit.snippet,
    }
    if isinstance(item.entry, DocPage):
        return {**_page_row(item.entry), **(hit or {})}
    assert sources.articles is not None
    return {**_row(item.entry, sources.articles.catalog), **(hit or {})}


def _found_lines(items: Sequence[FoundItem]) -> Iterator[list[terminal.Line]]:
    """Yield the lines of each result: its name and title, and its best passage."""
    heads = _list_lines([item.entry for item in items])
    for item, head in zip(items, heads, strict=True):
        passage = item.hit.snippet.splitlines() if item.hit else []
        if item.hit and item.hit.heading:
            passage = [
                f"{item.hit.heading}: {passage[0] if passage else ''}",
                *passage[1:],
            ]
        lines = (part for line in passage for part in wrap(line, len(_INDENT)))
        yield [head, *(_indent(terminal.show_marks(line)) for line in lines)]


def _indent(line: terminal.Line) -> terminal.Line:
    return (_INDENT, *((line,) if isinstance(line, str) else line))
