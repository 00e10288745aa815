"""The command `new`: creates a draft article."""

import json
from datetime import datetime
from pathlib import Path
from typing import Final

import click

from asdlc_kb import app
from asdlc_kb.articles.text_checks import TEMPLATE_DESCRIPTION
from asdlc_kb.cli import terminal
from asdlc_kb.cli.options import CommandSettings, settings_options
from asdlc_kb.cli.terminal import HelpCommand
from asdlc_kb.exceptions import OperationalError, UnreadableFile
from asdlc_kb.files.listing import check_folder
from asdlc_kb.files.paths import is_name, refusal_reason
from asdlc_kb.files.writer import create
from asdlc_kb.markup.anchors import slugify

MAX_SLUG_CHARS: Final = 80

_TEXT: Final = """\
---
title: {title}
description: "{description}"
tags: []
lastUpdated: {today}
status: "Draft"
---
"""


@click.command(cls=HelpCommand)
@click.argument("category", help="Folder of CONTENT in which the article is created")
@click.argument("heading", metavar="TITLE", help="Title of the article")
@settings_options("debug")
@click.option(
    "--edit", is_flag=True, help="Open the file in your editor ($VISUAL, $EDITOR)"
)
def new(given: CommandSettings, category: str, heading: str, edit: bool) -> None:
    """Create a draft article in CATEGORY of CONTENT; drafts are not served."""
    root = None
    if given.settings.content is not None or Path("content").is_dir():
        root = app.find_content(given.settings)
    if root is None:
        raise OperationalError(
            "no content folder",
            "create ./content, or name a folder, as in "
            "'asdlc-kb new ... path/to/content'",
        )
    if not root.exists():
        shown = terminal.display_path(root)
        raise OperationalError(f"no such folder: {shown}", "create it")
    slug = make_slug(heading)
    if not is_name(category):
        raise click.UsageError(
            "CATEGORY must be a folder name: letters, digits and '-'"
        )
    if not slug:
        raise click.UsageError("TITLE needs letters or digits to name the file")
    refusal = refusal_reason(root, category, check_folder)
    if refusal is not None:
        raise OperationalError(
            f"cannot write to {root / category}: {refusal.reason}: choose another "
            "category, or make it a folder"
        )
    file = root / category / f"{slug}.md"
    text = _TEXT.format(
        description=TEMPLATE_DESCRIPTION,
        title=json.dumps(" ".join(heading.split()), ensure_ascii=False),
        today=datetime.now().astimezone().date().isoformat(),
    )
    try:
        create(file, text)
    except FileExistsError:
        raise OperationalError(f"{file} already exists: choose another title") from None
    except UnreadableFile as error:
        raise OperationalError(f"cannot write {file}: {error}") from None
    terminal.echo(f"{file}")
    terminal.echo("write below the second '---', then set status: Live to publish")
    if edit:
        click.edit(filename=str(file))


def make_slug(title: str) -> str:
    """Return the file name for a title, without suffix; empty if impossible."""
    words = slugify(title).replace("_", "-").split("-")
    slug = "-".join(filter(None, words))[:MAX_SLUG_CHARS].rstrip("-")
    return slug if is_name(slug) else ""
