"""The command `connect`: adds the server to the configuration of MCP clients."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import Any, Final

import click

from asdlc_kb.app.identity import NEUTRAL_ENTRY
from asdlc_kb.cli import terminal
from asdlc_kb.cli.connect_request import ConnectRequest
from asdlc_kb.cli.host import find_host_environment
from asdlc_kb.cli.options import CommandSettings, settings_options
from asdlc_kb.cli.serve import stdio
from asdlc_kb.cli.server_address import check_url, find_entry_name
from asdlc_kb.cli.sources import as_json
from asdlc_kb.cli.terminal import HelpCommand
from asdlc_kb.cli.value_completion import complete_words
from asdlc_kb.connect.client_config import open_config
from asdlc_kb.connect.client_model import Client
from asdlc_kb.connect.client_table import CLIENTS, find_client
from asdlc_kb.connect.connection import ClientConnection
from asdlc_kb.connect.probe import ProbeStep, probe
from asdlc_kb.connect.result import LEFT, ConnectResult
from asdlc_kb.connect.server_entry import (
    NAME,
    TOKEN_VARIABLE,
    VARIABLE,
    ServerCommand,
    ServerEntry,
    read_target,
)
from asdlc_kb.exceptions import ConfigNotEditable, OperationalError
from asdlc_kb.settings_descriptions import DESCRIPTIONS

_MAX_SHOWN_CHARS: Final = 500

_STDIO: Final = tuple(
    option.name
    for option in stdio.params
    if isinstance(option, click.Option)
    and option.name in DESCRIPTIONS
    and option.name != "debug"
)
"""The settings of a server started by the client."""


def _read_clients(
    context: click.Context, parameter: click.Parameter, names: Sequence[str]
) -> tuple[Client, ...]:
    """Return the clients with these names, without duplicates."""
    clients: dict[str, Client] = {}
    for name in names:
        client = find_client(name)
        if client is None:
            raise click.BadParameter(_describe_unknown(name))
        clients[client.id] = client
    return tuple(clients.values())


def _describe_unknown(name: str) -> str:
    """Return the message for a wrong name, with similar ones, else with all."""
    names = [known for client in CLIENTS for known in (client.id, *client.aliases)]
    if near := get_close_matches(name, names):
        return f"unknown client '{name}'. Did you mean: {', '.join(near)}?"
    known = ", ".join(client.id for client in CLIENTS)
    return f"unknown client '{name}'; known clients: {known}"


def _read_name(
    context: click.Context, parameter: click.Parameter, name: str | None
) -> str | None:
    if name is not None and not NAME.fullmatch(name):
        raise click.BadParameter(
            "use up to 32 lower-case letters, digits and hyphens; begin with a letter"
        )
    return name


def _read_variable(
    context: click.Context, parameter: click.Parameter, name: str | None
) -> str | None:
    if name is not None and not VARIABLE.fullmatch(name):
        raise click.BadParameter(
            "use the name of a variable: letters, digits and underscores"
        )
    return name


@click.command(cls=HelpCommand)
@click.argument(
    "clients",
    nargs=-1,
    metavar="[CLIENT]...",
    callback=_read_clients,
    shell_complete=complete_words(
        name for client in CLIENTS for name in (client.id, *client.aliases)
    ),
    help="Names of clients; by default those that are installed",
)
@click.option(
    "--url",
    metavar="URL",
    callback=check_url,
    help="Connect to this address instead of the local server",
)
@click.option(
    "--token-env",
    callback=_read_variable,
    metavar="NAME",
    help="Environment variable from which clients read the bearer token",
)
@click.option(
    "--stdio", "starts", is_flag=True, help="Let clients start the server over stdio"
)
@click.option(
    "--scope",
    type=click.Choice(["user", "project"]),
    default="user",
    show_default=True,
    help="Configure your user, or the project in the working directory",
)
@click.option(
    "--name",
    metavar="NAME",
    callback=_read_name,
    help="Name of the server in clients; by default that of the content",
)
@click.option("--print", "shows", is_flag=True, help="Print what to paste, and where")
@click.option(
    "--dry-run", "is_dry", is_flag=True, help="Print the changes without making them"
)
@click.option(
    "--remove", "removes", is_flag=True, help="Remove the server from clients"
)
@click.option(
    "--check", "checks", is_flag=True, help="Test the server the way a client would"
)
@click.option("--all", "takes_all", is_flag=True, help="Use every installed client")
@click.option(
    "--force",
    "is_forced",
    is_flag=True,
    help="Replace or remove another server with the same name; allow a second entry",
)
@click.option(
    "--open", "opens_links", is_flag=True, help="Open the client's installation link"
)
@as_json
@settings_options(
    *("host", "port", "base_url", "tls_cert", "tls_key"), *_STDIO, has_argument=False
)
def connect(
    given: CommandSettings, as_json: bool, name: str | None, **arguments: Any
) -> int:
    """Add the server to MCP clients.

    Without CLIENT, ask for each installed one. Exit 1 if manual steps remain.
    """
    settings = given.settings
    arguments["is_named"] = name is not None
    if name is None:
        name = NEUTRAL_ENTRY if arguments["url"] else find_entry_name(settings)
    if given.file.origin == "working directory":
        # Entries are permanent: never from a file that may be another user's.
        settings = given.read_again(finds_file=False).settings
    machine = find_host_environment()
    request = ConnectRequest(settings=settings, machine=machine, name=name, **arguments)
    if request.checks:
        return _check(request, as_json=as_json)
    for hint in _hints(request):
        terminal.warn(hint)
    outcomes = []
    for outcome in _process(request):
        outcomes.append(outcome)
        if not as_json:
            _print_result(outcome)
    if as_json:
        terminal.report([_row(outcome) for outcome in outcomes], (), as_json=True)
    elif any(outcome.status == "connected" for outcome in outcomes):
        terminal.echo("Restart clients that are running, then ask a question")
    return int(any(outcome.status in LEFT for outcome in outcomes))


def _hints(request: ConnectRequest) -> Iterator[str]:
    """Yield what the user should know before clients are connected."""
    if request.scope == "project" and request.starts:
        yield "the entry contains paths that may not exist on other machines"
    if request.needs_token:
        yield (
            "the server requires a token: name the variable that holds it, "
            f"--token-env {TOKEN_VARIABLE}"
        )
    if request.names_no_host:
        yield (
            "clients verify the certificate: name the host that it is for, "
            f"--base-url https://NAME:{request.settings.port}"
        )
    if request.sends_unencrypted:
        yield ("the connection is not encrypted: others can read the token in transit")


def _process(request: ConnectRequest) -> Iterator[ConnectResult]:
    """Process the clients one by one; yield each result.

    Named clients and --all need no confirmation. Otherwise the user confirms each;
    without a terminal nothing is written.
    """
    clients = request.clients or _find_installed(request)
    if request.clients or request.takes_all or request.shows or request.is_dry:
        yield from (_process_client(request, client) for client in clients)
    elif not terminal.can_ask():
        hint = "no terminal to ask, so nothing is written: name clients or use --all"
        terminal.warn(hint)
        for client in clients:
            yield _open_connection(request, client).show(request.target(client))
    else:
        verb = "Remove from" if request.removes else "Connect"
        for client in clients:
            if click.confirm(f"{verb} {client.name}?", default=True):
                yield _process_client(request, client)


def _find_installed(request: ConnectRequest) -> Sequence[Client]:
    """Return the installed clients; raise OperationalError if there are none."""
    clients = [client for client in CLIENTS if client.is_here(request.machine)]
    if not clients:
        known = ", ".join(client.id for client in CLIENTS)
        raise OperationalError(f"no installed client was found: name one of {known}")
    return clients


def _process_client(request: ConnectRequest, client: Client) -> ConnectResult:
    """Process a client; on a terminal, ask about another server of the same name."""
    outcome = _process_entry(request, client)
    if outcome.obstacle is None or request.is_dry or not terminal.can_ask():
        return outcome
    verb = "Remove" if request.removes else "Replace"
    question = terminal.escape(f"{client.name}: {outcome.obstacle}. {verb} it?")
    if not click.confirm(question, default=False):
        return outcome
    return _process_entry(replace(request, is_forced=True), client)


def _process_entry(request: ConnectRequest, client: Client) -> ConnectResult:
    connection = _open_connection(request, client)
    target = request.target(client)
    if request.removes:
        return connection.remove(target)
    return connection.show(target) if request.shows else connection.connect(target)


def _open_connection(request: ConnectRequest, client: Client) -> ClientConnection:
    return ClientConnection(client, request.machine, request.options)


def _print_result(outcome: ConnectResult) -> None:
    """Print the result of one client, and remaining steps."""
    terminal.echo(f"{outcome.client.name}: {outcome.message}")
    if outcome.hint:
        terminal.echo(f"    {outcome.hint}")
    if outcome.backup is not None:
        terminal.echo(f"    the previous file was saved as {outcome.backup}")
    if outcome.command is not None and outcome.status in ("planned", "shown"):
        terminal.echo(f"    {ServerCommand(outcome.command)}")
    if outcome.link is not None and outcome.status != "offered":
        terminal.echo(f"    {outcome.link}")
    for line in (outcome.snippet or "").splitlines():
        terminal.echo(f"    {line}")


def _row(outcome: ConnectResult) -> Mapping[str, Any]:
    return {
        "client": outcome.client.id,
        "name": outcome.client.name,
        "scope": outcome.scope,
        "status": outcome.status,
        "message": outcome.message,
        "hint": outcome.hint,
        "path": outcome.path and str(outcome.path),
        "backup": outcome.backup and str(outcome.backup),
        "command": outcome.command and list(outcome.command),
        "link": outcome.link,
        "snippet": outcome.snippet,
    }


def _check(request: ConnectRequest, *, as_json: bool) -> int:
    """Probe servers as clients do; return the exit code."""
    rows = []
    is_ok = True
    for label, target in _find_targets(request):
        steps = _probe_server(request, label, target)
        is_ok = is_ok and all(step.is_ok for step in steps)
        server = target and str(target)
        row = {"client": label, "server": server, "steps": list(map(_step_row, steps))}
        rows.append(row)
        if not as_json:
            terminal.echo(f"{label or 'Server'}: {server or 'none'}")
            for step in steps:
                mark = "ok" if step.is_ok else "FAILED"
                terminal.echo(f"    {mark:6} {step.name}: {step.message}")
    if as_json:
        terminal.report(rows, (), as_json=True)
    return 0 if is_ok else 1


def _probe_server(
    request: ConnectRequest, label: str | None, target: ServerEntry | None
) -> tuple[ProbeStep, ...]:
    """Probe one server.

    A command in a file of the working directory, which may be a cloned repository, is
    started only if it is exactly what `connect --stdio` writes here.
    """
    if target is None:
        message = "the server is not configured, or its entry has no valid target"
        return (ProbeStep("configured", False, message),)
    is_found = label is not None and request.scope == "project"
    if (
        is_found
        and isinstance(target, ServerCommand)
        and not _is_written(request, target)
    ):
        message = (
            "not started, because a file in this folder names another command than "
            "--stdio with the same options would write: "
            f"{str(target)[:_MAX_SHOWN_CHARS]}. Start it yourself if you trust it"
        )
        return (ProbeStep("start", False, message),)
    return probe(target, request.machine, is_ours=label is None)


def _is_written(request: ConnectRequest, command: ServerCommand) -> bool:
    """Whether a command is the one that this program writes for this folder."""
    try:
        return command == request.command()
    except OperationalError:
        return False


def _find_targets(
    request: ConnectRequest,
) -> Iterator[tuple[str | None, ServerEntry | None]]:
    """Yield the servers to probe: each client's entry, or without clients the server.

    A named client without an entry yields None.
    """
    if not request.clients and not request.takes_all:
        yield None, request.target()
    name, scope = request.name, request.scope
    for client in CLIENTS if request.takes_all else request.clients:
        target = None
        if scope in client.places:
            try:
                config = open_config(client, scope, request.machine, name)
            except ConfigNotEditable as error:
                raise OperationalError(f"{client.name}: {error}") from None
            target = read_target(config.find(name))
        if target is not None or not request.takes_all:
            yield client.id, target


def _step_row(step: ProbeStep) -> Mapping[str, Any]:
    return {"step": step.name, "ok": step.is_ok, "message": step.message, **step.facts}
