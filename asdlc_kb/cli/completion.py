"""The command `completion`: prints the script with which a shell completes commands."""

import os
from pathlib import PurePath
from typing import Final

import click
from click.shell_completion import get_completion_class

from asdlc_kb.cli.terminal import HelpCommand

PROGRAM: Final = "asdlc-kb"
VARIABLE: Final = "_ASDLC_KB_COMPLETE"
"""The variable by which a shell asks for completions."""
SHELLS: Final = ("bash", "zsh", "fish")


@click.command(cls=HelpCommand)
@click.argument(
    "shell", type=click.Choice(SHELLS), required=False, help="Name of the shell"
)
@click.pass_context
def completion(context: click.Context, shell: str | None) -> None:
    """Print the completion script for SHELL, by default for yours.

    It completes commands, options, their values, and names of articles and pages.
    """
    shell = shell or PurePath(os.environ.get("SHELL", "")).name
    found = get_completion_class(shell) if shell in SHELLS else None
    if found is None:
        raise click.UsageError(f"name a shell: {', '.join(SHELLS)}")
    root = context.find_root().command
    script = found(root, {}, PROGRAM, VARIABLE).source()
    # Without completions of ours, bash completes file names, as for other programs.
    click.echo(script.replace("complete -o nosort", "complete -o nosort -o default"))
