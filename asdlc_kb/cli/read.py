"""Commands that read: list, show, search, config."""

import json
import logging
from pathlib import Path
from typing import Any, Final

import click

from asdlc_kb import app
from asdlc_kb.articles.article import Article
from asdlc_kb.articles.catalog import Catalog
from asdlc_kb.articles.library import Library
from asdlc_kb.cli import terminal
from asdlc_kb.cli.options import explain_settings, read_settings, settings_options
from asdlc_kb.exceptions import HostError
from asdlc_kb.settings import DESCRIPTIONS

_LAYOUT: Final = "\n\t"
"""What an article's text keeps of its control characters."""

as_json = click.option("--json", "as_json", is_flag=True, help="Write JSON")
in_category = click.option("--category", help="Only this category")
at_most = click.option(
    "--limit",
    type=click.IntRange(1, 1000),
    default=50,
    show_default=True,
    help="The most articles to write",
)


# Logs are for servers; what matters here is said in so many words.
logging.getLogger("asdlc_kb").addHandler(logging.NullHandler())


def open_content(context: click.Context, config: Path | None) -> Library:
    """Return the loaded library of the configured content; raise HostError if none."""
    library = app.open_library(read_settings(context, config))
    if library.load().snapshot.is_missing:
        raise HostError(f"no folder {library.root}: name the one that holds articles")
    return library


def _load(context: click.Context, config: Path | None) -> Catalog:
    """Return the catalog of the configured content.

    With a hint on stderr if an article may be absent because of its faults.
    """
    catalog = open_content(context, config).catalog
    if catalog.snapshot.all_problems():
        terminal.say("asdlc-kb: files have problems: run 'asdlc-kb check'", err=True)
    return catalog


def _row(article: Article, catalog: Catalog) -> dict[str, Any]:
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


def _write_rows(
    articles: tuple[Article, ...], catalog: Catalog, *, as_json: bool
) -> None:
    if as_json:
        rows = [_row(article, catalog) for article in articles]
        click.echo(json.dumps(rows, indent=2))
        return
    for article in articles:
        name = f"{article.category}/{article.slug}"
        terminal.say(f"{article.last_updated}  {name:44}  {article.title}")


@click.command("list")
@settings_options("missing_grace")
@in_category
@at_most
@as_json
@click.pass_context
def list_articles(
    context: click.Context,
    /,
    config: Path | None,
    category: str | None,
    limit: int,
    as_json: bool,
    **_: object,
) -> None:
    """List the visible articles of CONTENT, newest first."""
    catalog = _load(context, config)
    selection = catalog.select(category, limit)
    _write_rows(selection.articles, catalog, as_json=as_json)


@click.command()
@click.argument("slug")
@settings_options("missing_grace")
@as_json
@click.pass_context
def show(
    context: click.Context,
    /,
    slug: str,
    config: Path | None,
    as_json: bool,
    **_: object,
) -> None:
    """Show the article SLUG of CONTENT."""
    catalog = _load(context, config)
    article = catalog.find(slug)
    if as_json:
        row = {**_row(article, catalog), "content": article.body}
        click.echo(json.dumps(row, indent=2))
    else:
        terminal.say(f"# {article.title}")
        click.echo(f"\n{terminal.escape(article.body, keep=_LAYOUT)}", nl=False)


@click.command()
@click.argument("query")
@settings_options("missing_grace")
@in_category
@at_most
@as_json
@click.pass_context
def search(
    context: click.Context,
    /,
    query: str,
    config: Path | None,
    category: str | None,
    limit: int,
    as_json: bool,
    **_: object,
) -> None:
    """Search the visible articles of CONTENT for QUERY, best match first."""
    catalog = _load(context, config)
    selection = catalog.search(query, category, limit)
    _write_rows(selection.articles, catalog, as_json=as_json)


@click.command()
@settings_options()
@as_json
@click.pass_context
def config(
    context: click.Context, /, config: Path | None, as_json: bool, **_: object
) -> None:
    """Show every setting, its value and where the value came from."""
    settings, origins = explain_settings(context, config)
    rows = [
        {"name": name, "value": getattr(settings, name), "origin": origins[name]}
        for name in DESCRIPTIONS
    ]
    if as_json:
        click.echo(json.dumps(rows, indent=2))
        return
    for row in rows:
        value = json.dumps(row["value"])
        click.echo(f"{row['name']:18} = {value:24} # {row['origin']}")
