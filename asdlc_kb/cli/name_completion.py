"""Completion of names of articles and pages in a shell."""

import click
from click.shell_completion import CompletionItem

from asdlc_kb import app
from asdlc_kb.cli.options import complete_settings
from asdlc_kb.cli.terminal import escape
from asdlc_kb.exceptions import KnowledgeBaseError


def complete_name(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Return the names of visible articles and pages with this beginning.

    Names that a terminal cannot show are left out, and so is all that cannot be read.
    """
    settings = complete_settings(context)
    if settings is None:
        return []
    try:
        sources = app.open_sources(settings)
        for source in sources.corpus:
            source.load()
    except KnowledgeBaseError:
        return []
    names: list[str] = []
    if (articles := sources.articles) is not None:
        listed = articles.catalog.articles
        names += [article.id for article in listed]
        names += [article.slug for article in listed]
    if sources.docs is not None:
        names += [page.path for page in sources.docs.catalog.pages]
    found = (name for name in dict.fromkeys(names) if name.startswith(incomplete))
    return [CompletionItem(name) for name in found if escape(name) == name]
