"""The command `doctor`: checks the installation."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import click
import msgspec

from asdlc_kb.cli import terminal
from asdlc_kb.cli.check_result import EXIT_CODES, CheckResult, Severity
from asdlc_kb.cli.config_file import Configuration, check_configuration
from asdlc_kb.cli.doctor.checks import (
    check_bus,
    check_certificate,
    check_python,
    check_semantic,
    check_server,
    check_sources,
)
from asdlc_kb.cli.doctor.clients import check_clients
from asdlc_kb.cli.doctor.store_checks import check_store
from asdlc_kb.cli.host import find_host_environment
from asdlc_kb.cli.options import CommandSettings, settings_options
from asdlc_kb.cli.server_address import check_url, find_address, find_entry_name
from asdlc_kb.cli.sources import as_json
from asdlc_kb.cli.terminal import HelpCommand, Span
from asdlc_kb.settings import Settings

_STYLES: Final[Mapping[Severity, terminal.StyleName]] = {
    "ok": "success",
    "warning": "warning",
    "failure": "failure",
}


@click.command(cls=HelpCommand)
@settings_options(
    "docs",
    "project",
    "store",
    "store_source",
    "host",
    "port",
    "base_url",
    "bus_url",
    "session_key_file",
    "auth_tokens_file",
    "auth_jwks_file",
    "tls_cert",
    "tls_key",
    "poll",
    "cache_dir",
    "max_files",
    "semantic",
    accepts_others=True,
)
@click.option(
    "--url", metavar="URL", callback=check_url, help="Check the server at this address"
)
@click.option(
    "--name",
    metavar="NAME",
    help="Name of the server in clients; by default that of the content",
)
@as_json
def doctor(
    given: CommandSettings, url: str | None, name: str | None, as_json: bool
) -> int:
    """Check the installation and suggest fixes.

    Exit 1 if there are warnings, 3 if there are failures.
    """
    results = []
    for result in _run_checks(given.settings, given.file, url, name):
        results.append(result)
        if not as_json:
            _print_result(result)
    if as_json:
        click.echo(
            json.dumps([msgspec.structs.asdict(each) for each in results], indent=2)
        )
    else:
        terminal.echo(_summarize([result.level for result in results]))
    return max(EXIT_CODES[result.level] for result in results)


def _run_checks(
    settings: Settings, file: Configuration, url: str | None, name: str | None
) -> Iterator[CheckResult]:
    machine = find_host_environment()
    yield from check_python()
    yield from check_configuration(settings, file)
    if settings.store is not None:
        yield from check_store(settings)
    if settings.store is None or settings.project:
        yield from check_sources(settings)
    yield from check_semantic(settings)
    yield from check_certificate(settings)
    yield from check_bus(settings)
    yield from check_server(settings, machine, url)
    address = url or find_address(settings, settings.port)
    yield from check_clients(machine, address, name or find_entry_name(settings))


def _print_result(result: CheckResult) -> None:
    level = Span(f"{result.level:8}", _STYLES[result.level])
    terminal.echo((level, f" {result.subject}: {result.message}"))
    if result.hint:
        terminal.echo(f"{'':8} {result.hint}")


def _summarize(levels: Sequence[Severity]) -> terminal.Line:
    """Return the verdict: how many warnings and failures there are."""
    counts = [
        terminal.count_noun(levels.count(level), level)
        for level in ("failure", "warning")
        if level in levels
    ]
    if not counts:
        return (Span("All checks passed", "success"),)
    worst: terminal.StyleName = "failure" if "failure" in levels else "warning"
    return (Span(f"Found {' and '.join(counts)}", worst),)
