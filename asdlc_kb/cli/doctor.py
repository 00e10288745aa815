"""The command that says whether all is well with this installation: doctor."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import click

from asdlc_kb.cli import terminal
from asdlc_kb.cli.address import check_url, find_address
from asdlc_kb.cli.census import examine_clients
from asdlc_kb.cli.configuration import Configuration, examine_configuration
from asdlc_kb.cli.connect import DEFAULT_NAME
from asdlc_kb.cli.examination import examine_python, examine_server, examine_sources
from asdlc_kb.cli.finding import EXIT_CODES, Finding
from asdlc_kb.cli.machine import this_machine
from asdlc_kb.cli.options import read_configured, settings_options
from asdlc_kb.cli.sources import as_json
from asdlc_kb.settings import Settings


@click.command()
@settings_options(
    "docs",
    "project",
    "host",
    "port",
    "base_url",
    "session_key_file",
    "auth_tokens_file",
    "auth_jwks_file",
    "poll",
    "cache_dir",
    "missing_grace",
)
@click.option("--url", callback=check_url, help="Ask the server at this address")
@click.option(
    "--name",
    default=DEFAULT_NAME,
    show_default=True,
    help="What the server is called in clients",
)
@as_json
@click.pass_context
def doctor(
    context: click.Context,
    /,
    config: Path | None,
    url: str | None,
    name: str,
    as_json: bool,
    **_: object,
) -> None:
    """Say whether all is well here, and what to do about what is not.

    Exit 1 if there are warnings, 3 if there are failures.
    """
    found = []
    settings, file = read_configured(context, config)
    for finding in _examine(settings, file, url, name):
        found.append(finding)
        if not as_json:
            _tell(finding)
    if as_json:
        click.echo(json.dumps([asdict(finding) for finding in found], indent=2))
    context.exit(max(EXIT_CODES[finding.level] for finding in found))


def _examine(
    settings: Settings, file: Configuration, url: str | None, name: str
) -> Iterator[Finding]:
    machine = this_machine()
    yield from examine_python()
    yield from examine_configuration(settings, file)
    yield from examine_sources(settings)
    yield from examine_server(settings, machine, url)
    address = url or find_address(settings, settings.port)
    yield from examine_clients(machine, address, name)


def _tell(finding: Finding) -> None:
    terminal.say(f"{finding.level:8} {finding.subject}: {finding.said}")
    if finding.advice:
        terminal.say(f"{'':8} {finding.advice}")
