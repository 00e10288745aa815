"""The command `config`: shows the settings."""

import json

import click

from asdlc_kb.cli import terminal
from asdlc_kb.cli.options import CommandSettings, settings_options
from asdlc_kb.cli.sources import as_json
from asdlc_kb.cli.terminal import HelpCommand
from asdlc_kb.settings import list_values


@click.command(cls=HelpCommand)
@settings_options()
@as_json
def config(given: CommandSettings, as_json: bool) -> None:
    """Show the configuration file, and every setting with its value and origin."""
    path = None if given.file.path is None else str(given.file.path)
    rows = [
        {"name": "config", "value": path, "origin": given.file.origin},
        *(
            {"name": name, "value": value, "origin": given.origins[name]}
            for name, value in list_values(given.settings).items()
        ),
    ]
    width = max(len(row["name"]) for row in rows)
    lines = (
        f"{row['name']:{width}} = {json.dumps(row['value']):24} # {row['origin']}"
        for row in rows
    )
    terminal.report(rows, lines, as_json=as_json)
