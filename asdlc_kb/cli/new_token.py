"""The command `token`: generates a bearer token."""

import re

import click

from asdlc_kb.cli.terminal import HelpCommand
from asdlc_kb.ops.auth.bearer_tokens import NAME, format_line, make_token


@click.command(cls=HelpCommand)
@click.argument("name", help="Name of the client, for the log")
def token(name: str) -> None:
    """Generate a bearer token for NAME, and its line for --auth-tokens-file.

    The line goes to stdout, so that it can be appended to the file; the token, which
    cannot be derived from it, to stderr.
    """
    if re.fullmatch(NAME, name) is None:
        raise click.BadParameter(
            f"'{name}' is not a valid name: use up to 64 letters, digits and ._@+-",
            param_hint="NAME",
        )
    generated = make_token()
    click.echo(f"The token, shown only once:\n{generated}", err=True)
    click.echo(format_line(name, generated))
