"""The command `asdlc-kb` and how its failures are told."""

import sys

import click

from asdlc_kb.cli import terminal
from asdlc_kb.cli.check import check
from asdlc_kb.cli.read import config, list_articles, search, show
from asdlc_kb.cli.serve import serve, stdio
from asdlc_kb.exceptions import HostError, KnowledgeBaseError, SettingsError


class Commands(click.Group):
    """Tells failures in one line on stderr; a traceback only with --debug."""

    def invoke(self, ctx: click.Context) -> object:
        """Run a command; exit with its code."""
        try:
            return super().invoke(ctx)
        except KnowledgeBaseError as error:
            terminal.say(f"asdlc-kb: {error}", err=True)
            if isinstance(error, SettingsError):
                ctx.exit(2)
            ctx.exit(3 if isinstance(error, HostError) else 1)
        except KeyboardInterrupt:
            ctx.exit(130)
        except BrokenPipeError:
            # Whoever read our output has seen enough.
            sys.stderr.close()
            ctx.exit(0)
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except Exception as error:
            if ctx.params.get("debug"):
                raise
            terminal.say(f"asdlc-kb: unforeseen failure: {error!r}", err=True)
            terminal.say("asdlc-kb: please report it; --debug shows where", err=True)
            ctx.exit(1)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="asdlc-kb", prog_name="asdlc-kb")
@click.option("--debug", is_flag=True, help="Show tracebacks")
def main(debug: bool) -> None:
    """Serve folders of Markdown to AI agents over MCP."""


for command in (serve, stdio, list_articles, show, search, check, config):
    main.add_command(command)
