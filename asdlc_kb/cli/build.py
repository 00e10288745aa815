"""Commands that write the website or parts of it: build, graph."""

from pathlib import Path

import click

from asdlc_kb import app
from asdlc_kb.cli import terminal
from asdlc_kb.cli.options import CommandSettings, settings_options
from asdlc_kb.cli.progress import show_progress
from asdlc_kb.cli.sources import open_catalogs
from asdlc_kb.cli.terminal import HelpCommand
from asdlc_kb.exceptions import OperationalError
from asdlc_kb.site.build import build_site as write_site
from asdlc_kb.site.pages.article_graph import write_dot, write_json, write_svg
from asdlc_kb.site.pages.article_pages import ArticleUrls
from asdlc_kb.site.pages.relations import RelationReader


@click.command(cls=HelpCommand)
@click.argument(
    "folder",
    type=click.Path(path_type=Path),
    help="Folder to write; what the last build wrote there is replaced",
)
@settings_options(
    "docs",
    "dialect",
    "language",
    "base_url",
    "title",
    "tagline",
    "social_image",
    "logo",
    "accent",
    "custom_css",
    "footer",
    "announcement",
    "edit_url",
    "content_signal",
    "max_files",
)
def build(given: CommandSettings, folder: Path) -> None:
    """Write the website of CONTENT to FOLDER as static files."""
    settings = given.settings
    sources = open_catalogs(settings)
    branding = app.open_branding(settings)
    site = app.open_site(settings, sources, branding, is_served=False)
    with show_progress("Building") as report:
        written = write_site(site, folder, report)
    if settings.base_url is None:
        terminal.warn("without --base-url no sitemap and no feed are written")
    terminal.echo(f"{written} files in {folder}")


@click.command(cls=HelpCommand)
@settings_options("base_url", "max_files")
@click.option(
    "--format",
    "form",
    type=click.Choice(["svg", "dot", "json"]),
    default="svg",
    show_default=True,
    help="Output format: a drawing, Graphviz input, or data",
)
def graph(given: CommandSettings, form: str) -> None:
    """Print the graph of related articles in CONTENT."""
    sources = open_catalogs(given.settings)
    if sources.articles is None:
        raise OperationalError("no articles: name a folder of articles")
    view = ArticleUrls(sources.articles.catalog, RelationReader())
    identity = app.site_identity(given.settings, sources)
    if form == "dot":
        click.echo(write_dot(view))
    else:
        click.echo((write_svg if form == "svg" else write_json)(view, identity))
