"""Loaded sources and common options of the commands that read content."""

import logging
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

import click

from asdlc_kb import app
from asdlc_kb.app import ConfiguredSources
from asdlc_kb.articles.unserved import describe_unserved
from asdlc_kb.cli import terminal
from asdlc_kb.cli.progress import show_progress
from asdlc_kb.corpus import CorpusSource
from asdlc_kb.docs.unserved import describe_unserved as describe_unserved_docs
from asdlc_kb.exceptions import OperationalError, UnknownCategory
from asdlc_kb.settings import Settings

MAX_LIMIT: Final = 1000
"""Results of one list."""

as_json = click.option("--json", "as_json", is_flag=True, help="Write JSON")
in_category = click.option("--category", metavar="CATEGORY", help="Only this category")
at_most = click.option(
    "--limit",
    type=click.IntRange(1, MAX_LIMIT),
    metavar="N",
    default=50,
    show_default=True,
    help="Maximum number of results",
)


# Logs are for servers; commands print their messages.
for _name in ("asdlc_kb", "tornado"):
    logging.getLogger(_name).addHandler(logging.NullHandler())


def open_sources(settings: Settings) -> ConfiguredSources:
    """Return the loaded sources; hint at a folder of which nothing is served.

    Raises OperationalError if a folder is missing.
    """
    sources = load_sources(settings)
    for _, hint in find_unserved(sources):
        terminal.warn(hint)
    return sources


def load_sources(
    settings: Settings, *, has_projects: bool = False
) -> ConfiguredSources:
    """Return the loaded sources; raise OperationalError if a folder is missing."""
    sources = app.open_sources(settings, has_projects=has_projects)
    app.require_projects(sources.projects)
    with show_progress("Reading files"):
        for source in sources.corpus:
            if source.load().snapshot.is_missing:
                raise _describe_missing(source.root)
    return sources


def find_unserved(sources: ConfiguredSources) -> Iterator[tuple[CorpusSource, str]]:
    """Yield each source of which nothing is served, with a hint."""
    if (articles := sources.articles) is not None:
        if hint := describe_unserved(articles.root, articles.catalog):
            yield articles, hint
    for tree in sources.trees:
        if hint := describe_unserved_docs(tree.library.root, tree.library.catalog):
            yield tree.library, hint


def _describe_missing(root: Path) -> OperationalError:
    """Return the error for a folder that cannot be listed."""
    shown = terminal.display_path(root)
    try:
        os.listdir(root)
    except FileNotFoundError:
        return OperationalError(f"no such folder: {shown}")
    except OSError as error:
        return OperationalError(f"cannot read {shown}: {error.strerror}")
    return OperationalError(f"cannot read {shown}: try again")


def open_catalogs(settings: Settings, category: str | None = None) -> ConfiguredSources:
    """Return the loaded sources that have a category; hint at files with problems.

    Raises OperationalError, UnknownCategory.
    """
    sources = open_sources(settings)
    if sources.corpus.problems():
        terminal.warn(
            "some files have problems: "
            "'asdlc-kb check' with the same sources lists them"
        )
    return narrow(sources, category)


def narrow(sources: ConfiguredSources, category: str | None) -> ConfiguredSources:
    """Return the sources that have a category; all of them without a category.

    Raises UnknownCategory, with the categories of every source, if none has it.
    """
    if category is None:
        return sources
    articles, docs = sources.articles, sources.docs
    known: list[str] = []
    if articles is not None and category not in articles.catalog.categories:
        known += articles.catalog.categories
        articles = None
    if docs is not None:
        try:
            docs.catalog.select(category)
        except UnknownCategory as error:
            known += error.known
            docs = None
    if articles is None and docs is None:
        raise UnknownCategory(category, tuple(dict.fromkeys(known)))
    return replace(sources, articles=articles, docs=docs)
