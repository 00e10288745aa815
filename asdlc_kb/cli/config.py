"""The command `config`: shows the settings."""

import json
from pathlib import Path

import click

from asdlc_kb.cli.options import explain_settings, settings_options
from asdlc_kb.cli.sources import as_json
from asdlc_kb.settings import list_values


@click.command()
@settings_options()
@as_json
@click.pass_context
def config(
    context: click.Context, /, config: Path | None, as_json: bool, **_: object
) -> None:
    """Show every setting, its value and where it came from; first the file's path."""
    settings, origins, file = explain_settings(context, config)
    path = None if file.path is None else str(file.path)
    rows = [
        {"name": "config", "value": path, "origin": file.origin},
        *(
            {"name": name, "value": value, "origin": origins[name]}
            for name, value in list_values(settings).items()
        ),
    ]
    if as_json:
        click.echo(json.dumps(rows, indent=2))
        return
    width = max(len(row["name"]) for row in rows)
    for row in rows:
        value = json.dumps(row["value"])
        click.echo(f"{row['name']:{width}} = {value:24} # {row['origin']}")
