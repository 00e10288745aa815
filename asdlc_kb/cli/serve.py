"""`asdlc-kb serve` and `asdlc-kb stdio`."""

import asyncio
from pathlib import Path

import click

from asdlc_kb import app
from asdlc_kb.cli.options import read_settings, settings_options
from asdlc_kb.ops import logs
from asdlc_kb.web.gate import LOOPBACK


@click.command()
@settings_options()
@click.pass_context
def serve(context: click.Context, /, config: Path | None, **_: object) -> None:
    """Serve CONTENT over HTTP."""
    settings = read_settings(context, config)
    logs.configure(settings.log_level)
    built = app.build(settings)

    def announce(port: int) -> None:
        click.echo(_welcome(built, port))

    asyncio.run(app.serve(built, announce))


@click.command()
@settings_options(
    "missing_grace", "instructions", "tool_errors", "dev", "max_body", "log_level"
)
@click.pass_context
def stdio(context: click.Context, /, config: Path | None, **_: object) -> None:
    """Serve CONTENT over stdin and stdout, for a client that starts this command."""
    settings = read_settings(context, config)
    sink = app.claim_stdout()
    logs.configure(settings.log_level)
    asyncio.run(app.serve_stdio(app.build(settings), 0, sink))


def _welcome(built: app.App, port: int) -> str:
    """Say where the server is and how a client gets there."""
    settings = built.settings
    host = settings.host if settings.host in LOOPBACK else "127.0.0.1"
    host = f"[{host}]" if ":" in host else host
    address = f"{(settings.base_url or f'http://{host}:{port}').rstrip('/')}/mcp"
    catalog = built.library.catalog
    return (
        f"asdlc-kb {built.version}\n"
        f"  MCP       {address}\n"
        f"  Articles  {len(catalog.articles)} served, {catalog.hidden_count} hidden "
        f"({built.library.root})\n"
        f"  Connect   claude mcp add --transport http asdlc {address}"
    )
