"""The command `asdlc-kb` and its error reports."""

import os
import shlex
import sys
from typing import Any, Final

import click

from asdlc_kb import __version__
from asdlc_kb.cli import terminal
from asdlc_kb.cli.commands import COMMANDS, SECTIONS, SYNONYMS, load_command
from asdlc_kb.cli.early_signals import defer_signals
from asdlc_kb.cli.standard_streams import (
    STORAGE_FAULTS,
    discard_output,
    open_closed_streams,
)
from asdlc_kb.exceptions import KnowledgeBaseError, OperationalError, SettingsError

SERVERS: Final = ("serve", "stdio")
"""Commands that run until they are stopped."""


class CommandGroup(terminal.HelpGroup):
    """Reports failures in one line on stderr; a traceback only with --debug."""

    sections = SECTIONS
    synonyms = SYNONYMS

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,
    ) -> click.Context:
        """Parse the arguments; decide on colors for all output."""
        extra.setdefault("color", terminal.choose_colors(os.environ))
        return super().make_context(info_name, args, parent, **extra)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; accept commands where other programs have them."""
        match args:
            case ["help", *names]:
                args = [*names, "--help"]
            case ["version"]:
                args = ["--version"]
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands."""
        return [*COMMANDS, *super().list_commands(ctx)]

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command to run; defer signals before a server is loaded.

        A folder in place of a command is one to serve.
        """
        if args[0] in SERVERS:
            open_closed_streams()
            defer_signals()
        try:
            return super().resolve_command(ctx, args)
        except click.NoSuchCommand as error:
            if not os.path.isdir(args[0]):
                raise
            line = shlex.join(["asdlc-kb", "serve", *args])
            message = f"No such command '{args[0]}'. To serve this folder: {line}"
            raise click.NoSuchCommand(error.command_name, message, [], ctx) from None

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load a command."""
        if cmd_name not in COMMANDS:
            return super().get_command(ctx, cmd_name)
        return load_command(cmd_name)

    def invoke(self, ctx: click.Context) -> object:
        """Run a command; exit with its code."""
        try:
            return super().invoke(ctx)
        except KnowledgeBaseError as error:
            terminal.fail(str(error))
            if isinstance(error, SettingsError):
                ctx.exit(2)
            ctx.exit(3 if isinstance(error, OperationalError) else 1)
        except KeyboardInterrupt:
            ctx.exit(130)
        except click.Abort:
            # Of a question, whose line is not ended.
            click.echo(err=True)
            ctx.exit(130)
        except BrokenPipeError:
            # The reader of our output closed the pipe.
            sys.stderr.close()
            ctx.exit(0)
        except (click.ClickException, click.exceptions.Exit):
            raise
        except Exception as error:
            if fault := _describe_fault(error):
                terminal.fail(fault)
                discard_output()
                ctx.exit(3)
            if ctx.params.get("debug"):
                raise
            terminal.fail(f"unexpected error: {error!r}")
            terminal.warn("please report it; --debug shows the traceback")
            ctx.exit(1)


def _describe_fault(error: Exception) -> str | None:
    """Return what is wrong with the storage or the working directory, or None."""
    if not isinstance(error, OSError):
        return None
    if error.errno in STORAGE_FAULTS:
        return f"{error.filename or 'output'}: {error.strerror}"
    try:
        os.getcwd()
    except FileNotFoundError:
        return "the working directory was removed: change to another"
    return None


@click.group(
    cls=CommandGroup,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Begin with 'asdlc-kb serve FOLDER'. "
    "'asdlc-kb COMMAND -h' shows the options of a command.",
)
@click.version_option(__version__, "-V", "--version", prog_name="asdlc-kb")
@click.option("--debug", is_flag=True, help="Show tracebacks")
def main(debug: bool) -> None:
    """Serve folders of Markdown to AI agents over MCP, and to people as a website."""
