"""The command `token`: generates a bearer token."""

import re

import click

from asdlc_kb.cli.terminal import HelpCommand
from asdlc_kb.ops.auth.bearer_tokens import (
    NAME,
    format_line,
    make_token,
    split_sources,
)


@click.command(cls=HelpCommand)
@click.argument("name", help="Name of the client, for the log")
@click.option(
    "--sources",
    metavar="NAMES",
    help="Only these sources, separated by commas: articles, and names of "
    "documentation trees and projects; by default all",
)
def token(name: str, sources: str | None) -> None:
    """Generate a bearer token for NAME, and its line for --auth-tokens-file.

    The line goes to stdout, so that it can be appended to the file; the token, which
    cannot be derived from it, to stderr.
    """
    if re.fullmatch(NAME, name) is None:
        raise click.BadParameter(
            f"'{name}' is not a valid name: use up to 64 letters, digits and ._@+-",
            param_hint="NAME",
        )
    names = () if sources is None else split_sources(sources)
    if sources is not None and not (names and sources.isprintable()):
        raise click.BadParameter(
            f"{sources!r} is not a list of names; write articles,api",
            param_hint="--sources",
        )
    generated = make_token()
    click.echo(f"The token, shown only once:\n{generated}", err=True)
    click.echo(format_line(name, generated, names))
