"""Commands that read the content: list, show, search."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from itertools import chain
from textwrap import indent
from typing import Any, Final

import click

from asdlc_kb.app import ConfiguredSources
from asdlc_kb.articles.article import Article
from asdlc_kb.articles.catalog import ArticleCatalog, Mode
from asdlc_kb.cli import terminal
from asdlc_kb.cli.explain import add_reason_lines, add_reasons, explain_findings
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
from asdlc_kb.docs.catalogs.catalog import ROOT
from asdlc_kb.docs.pages.page import DocPage
from asdlc_kb.exceptions import ArticleNotFound
from asdlc_kb.search.filters import Filter, FilterName
from asdlc_kb.search.values import SearchResults

_FILTERS: Final[Mapping[str, FilterName]] = {
    "source": "source",
    "version": "version",
    "only_language": "language",
    "updated": "updated",
}
"""Filters by their options; that of a category has an option of its own."""

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


def _line(article: Article) -> str:
    return f"{article.last_updated}  {article.id:44}  {article.title}"


def _page_line(page: DocPage) -> str:
    return f"{page.path:56}  {page.title}"


@click.command("list")
@settings_options("docs", "dialect", "language", "missing_grace", "max_files")
@in_category
@at_most
@as_json
def list_articles(
    given: CommandSettings, category: str | None, limit: int, as_json: bool
) -> None:
    """List visible articles, newest first, then pages in sidebar order."""
    sources = open_catalogs(given.settings, category)
    rows: list[Mapping[str, Any]] = []
    lines: list[str] = []
    if (articles := sources.articles) is not None:
        catalog = articles.catalog
        chosen = catalog.select(category, limit)
        rows += [_row(article, catalog) for article in chosen.articles]
        lines += map(_line, chosen.articles)
        _print_rest(len(chosen.articles), chosen.total, "articles")
    if (docs := sources.docs) is not None:
        tree = docs.catalog
        pages = tree.pages if category is None else tree.select(category)
        rows += map(_page_row, pages[:limit])
        lines += map(_page_line, pages[:limit])
        _print_rest(len(pages[:limit]), len(pages), "pages")
    terminal.report(rows, lines, as_json=as_json)


@click.command()
@click.argument("name")
@settings_options("docs", "dialect", "language", "missing_grace", "max_files")
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

    The title is None if it is already in the body.
    """
    if (articles := sources.articles) is not None:
        try:
            article = articles.catalog.find(name)
        except ArticleNotFound:
            if sources.docs is None:
                raise
        else:
            is_titled = article.body.partition("\n")[0].strip() == f"# {article.title}"
            title = None if is_titled else article.title
            return _row(article, articles.catalog), title, article.body
    assert sources.docs is not None
    page = sources.docs.catalog.find(name)
    return _page_row(page), None if page.is_titled else page.title, page.body


@click.command()
@click.argument("query")
@settings_options(
    "docs",
    "dialect",
    "language",
    "missing_grace",
    "max_files",
    "cache_dir",
    "snippet_length",
    "changelog",
    "synonyms",
    "semantic",
)
@in_category
@click.option("--source", help="Only this documentation, or articles")
@click.option("--version", help="Only this version of the documentation")
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
        reasons = explain_findings(finder, found) if explain else ()
    ranked = rank_items(found, mode, limit)
    items = [found[hit.source].items[hit.number] for hit in ranked]
    for findings in found:
        _print_corrections(findings.full_text)
    _print_rest(len(items), sum(each.total for each in found), _name_items(found))
    rows = [_found_row(item, sources) for item in items]
    lines = [list(_found_lines(item)) for item in items]
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
        terminal.echo(f"{count} of {total} {noun}{more}", err=True)


def _print_corrections(results: SearchResults) -> None:
    """Print corrected words and a suggested query to stderr."""
    for typed, searched in results.corrected:
        is_joined = " " in typed
        note = "also searched for" if is_joined else "searched for"
        instead = "" if is_joined else f" instead of '{typed}'"
        terminal.echo(f"asdlc-kb: {note} '{searched}'{instead}", err=True)
    if results.suggestion is not None:
        terminal.echo(f"asdlc-kb: did you mean '{results.suggestion}'?", err=True)


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


def _found_lines(item: FoundItem) -> Iterator[str]:
    yield (
        _page_line(item.entry) if isinstance(item.entry, DocPage) else _line(item.entry)
    )
    if item.hit:
        heading = f"{item.hit.heading}: " if item.hit.heading else ""
        yield indent(f"{heading}{item.hit.snippet}", "    ")
