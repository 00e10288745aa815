"""The command `connect`: adds the server to the configuration of MCP clients."""

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import click

from asdlc_kb import app
from asdlc_kb.cli import terminal
from asdlc_kb.cli.host import find_host_environment
from asdlc_kb.cli.options import read_configured, settings_options
from asdlc_kb.cli.serve import stdio
from asdlc_kb.cli.server_address import (
    check_url,
    find_address,
    find_command,
    refuse_references,
)
from asdlc_kb.cli.sources import as_json
from asdlc_kb.connect.client_config import open_config
from asdlc_kb.connect.client_model import Client
from asdlc_kb.connect.client_table import CLIENTS, find_client
from asdlc_kb.connect.connection import ClientConnection, ConnectOptions
from asdlc_kb.connect.host_environment import HostEnvironment
from asdlc_kb.connect.probe import ProbeStep, probe
from asdlc_kb.connect.result import LEFT, ConnectResult
from asdlc_kb.connect.server_entry import (
    NAME,
    TOKEN_VARIABLE,
    VARIABLE,
    ServerAddress,
    ServerCommand,
    ServerEntry,
    read_target,
)
from asdlc_kb.exceptions import ConfigNotEditable, OperationalError
from asdlc_kb.settings import DESCRIPTIONS, Settings

DEFAULT_NAME: Final = "asdlc"

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
            known = ", ".join(client.id for client in CLIENTS)
            raise click.BadParameter(f"no client '{name}'. Clients: {known}")
        clients[client.id] = client
    return tuple(clients.values())


def _read_name(context: click.Context, parameter: click.Parameter, name: str) -> str:
    if not NAME.fullmatch(name):
        raise click.BadParameter("lower-case letters, digits and hyphens, at most 32")
    return name


def _read_variable(
    context: click.Context, parameter: click.Parameter, name: str | None
) -> str | None:
    if name is not None and not VARIABLE.fullmatch(name):
        raise click.BadParameter("the name of a variable: letters, digits and _")
    return name


@dataclass(frozen=True, slots=True, kw_only=True)
class _ConnectRequest:
    """The validated arguments of the command."""

    clients: tuple[Client, ...]
    url: str | None
    token_env: str | None
    starts: bool
    shows: bool
    removes: bool
    checks: bool
    takes_all: bool
    settings: Settings
    machine: HostEnvironment
    wish: ConnectOptions

    @property
    def needs_token(self) -> bool:
        """Whether the local server requires a token and none is configured."""
        is_here = self.url is None and not self.starts and not self.removes
        is_asked = is_here and app.requires_tokens(self.settings)
        return is_asked and self.token_env is None

    @property
    def sends_unencrypted(self) -> bool:
        """Whether clients would send a token over a network without encryption."""
        if self.token_env is None or self.removes:
            return False
        target = self.target()
        return isinstance(target, ServerAddress) and target.is_insecure_remote

    def target(self, client: Client | None = None) -> ServerEntry:
        """Return the server entry for a client.

        Without options: the address, or the command for a client that only starts
        commands, if there is something to serve.
        """
        if self.url is not None:
            refuse_references((self.url,))
            return ServerAddress(self.url, self.token_env)
        if self.starts:
            return self.command()
        url = find_address(self.settings, self.settings.port)
        refuse_references((url,))
        address = ServerAddress(url, self.token_env)
        if client is None or client.remote is not None:
            return address
        try:
            return self.command()
        except OperationalError:
            return address

    def command(self) -> ServerCommand:
        """Return the command that starts a server with these settings.

        Raises OperationalError if there is nothing to serve.
        """
        return ServerCommand(find_command(self.settings, stdio))


@click.command()
@click.argument("clients", nargs=-1, metavar="[CLIENT]...", callback=_read_clients)
@click.option(
    "--url",
    callback=check_url,
    help="Connect to this address instead of the server here",
)
@click.option(
    "--token-env",
    callback=_read_variable,
    metavar="NAME",
    help="The server asks for a token: clients are to take it from this variable",
)
@click.option("--stdio", "starts", is_flag=True, help="Let clients start the server")
@click.option(
    "--scope",
    type=click.Choice(["user", "project"]),
    default="user",
    show_default=True,
    help="For you, or for everybody in the project of the working directory",
)
@click.option(
    "--name",
    default=DEFAULT_NAME,
    show_default=True,
    callback=_read_name,
    help="What the server is called in clients",
)
@click.option("--print", "shows", is_flag=True, help="Show what to paste, where")
@click.option("--dry-run", "is_dry", is_flag=True, help="Say what would be done")
@click.option("--remove", "removes", is_flag=True, help="Take the server out again")
@click.option("--check", "checks", is_flag=True, help="Ask as clients do, and tell")
@click.option("--all", "takes_all", is_flag=True, help="Every client that is found")
@click.option("--force", "is_forced", is_flag=True, help="Replace another server")
@click.option("--open", "opens_links", is_flag=True, help="Open a client's link")
@as_json
@settings_options("host", "port", "base_url", *_STDIO, has_argument=False)
@click.pass_context
def connect(
    context: click.Context, /, config: Path | None, as_json: bool, **given: Any
) -> None:
    """Put the server into CLIENTs, or into those that are found and you confirm.

    Exit 1 if something is left to do by hand.
    """
    settings, file = read_configured(context, config)
    if file.origin == "working directory":
        # Entries are permanent: never from a file that may be another user's.
        settings, _ = read_configured(context, config, finds_file=False)
    request = _read_request(settings, given)
    if request.checks:
        context.exit(_check(request, as_json=as_json))
    if request.wish.scope == "project" and request.starts:
        hint = "the entry has paths of this machine, which others may not have"
        terminal.echo(f"asdlc-kb: {hint}", err=True)
    if request.needs_token:
        hint = "the server asks for a token: name the variable that has one"
        terminal.echo(f"asdlc-kb: {hint}, --token-env {TOKEN_VARIABLE}", err=True)
    if request.sends_unencrypted:
        hint = "the address is without encryption: others can read the token on its way"
        terminal.echo(f"asdlc-kb: {hint}", err=True)
    outcomes = tuple(_process(request, as_json=as_json))
    if as_json:
        click.echo(json.dumps([_row(outcome) for outcome in outcomes], indent=2))
    context.exit(int(any(outcome.status in LEFT for outcome in outcomes)))


def _read_request(settings: Settings, given: Mapping[str, Any]) -> _ConnectRequest:
    """Return the validated arguments; raise UsageError for exclusive options."""
    _refuse_both(given, ("url", "starts"), ("--url", "--stdio"))
    _refuse_both(given, ("token_env", "starts"), ("--token-env", "--stdio"))
    _refuse_both(given, ("clients", "takes_all"), ("CLIENT", "--all"))
    modes = ("shows", "is_dry", "checks")
    _refuse_both(given, modes, ("--print", "--dry-run", "--check"))
    _refuse_both(given, ("removes", "shows", "checks"), ("--remove", "--print/--check"))
    is_here = given["url"] is None and not given["starts"]
    if is_here and settings.port == 0 and not settings.base_url:
        raise click.UsageError("port 0 is no address: name it with --url")
    return _ConnectRequest(
        **{
            name: given[name]
            for name in ("clients", "url", "token_env", "starts", "shows", "removes")
        },
        checks=given["checks"],
        takes_all=given["takes_all"],
        settings=settings,
        machine=find_host_environment(),
        wish=ConnectOptions(
            name=given["name"],
            scope=given["scope"],
            is_forced=given["is_forced"],
            opens_links=given["opens_links"],
            is_dry=given["is_dry"],
        ),
    )


def _refuse_both(
    given: Mapping[str, Any], names: Sequence[str], shown: Sequence[str]
) -> None:
    if sum(bool(given[name]) for name in names) > 1:
        raise click.UsageError(f"{' and '.join(shown)} exclude each other")


def _process(request: _ConnectRequest, *, as_json: bool) -> Iterator[ConnectResult]:
    """Process the clients one by one; print and yield each result."""
    for client, may_write in _choose(request):
        connection = ClientConnection(client, request.machine, request.wish)
        if request.removes and may_write:
            outcome = connection.remove()
        elif request.shows or not may_write:
            outcome = connection.show(request.target(client))
        else:
            outcome = connection.connect(request.target(client))
        if not as_json:
            _print_result(outcome)
        yield outcome


def _choose(request: _ConnectRequest) -> Iterator[tuple[Client, bool]]:
    """Yield the clients, and whether their files can be written.

    Named clients and --all need no confirmation. Otherwise the user confirms each;
    without a terminal nothing is written.
    """
    if request.clients:
        yield from ((client, True) for client in request.clients)
        return
    detected = [client for client in CLIENTS if client.is_here(request.machine)]
    if not detected:
        known = ", ".join(client.id for client in CLIENTS)
        raise OperationalError(f"no client is found here: name one of {known}")
    is_asked = not (request.takes_all or request.shows or request.wish.is_dry)
    has_person = sys.stdin.isatty() and sys.stdout.isatty()
    if is_asked and not has_person:
        hint = "no terminal to ask: nothing is written; name clients or say --all"
        terminal.echo(f"asdlc-kb: {hint}", err=True)
    verb = "Remove from" if request.removes else "Connect"
    for client in detected:
        if not is_asked or not has_person:
            yield client, not is_asked
        elif click.confirm(f"{verb} {client.name}?", default=True):
            yield client, True


def _print_result(outcome: ConnectResult) -> None:
    """Print the result of one client, and remaining steps."""
    terminal.echo(f"{outcome.client.name}: {outcome.message}")
    if outcome.backup is not None:
        terminal.echo(f"    the former file is kept as {outcome.backup}")
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
        "path": outcome.path and str(outcome.path),
        "backup": outcome.backup and str(outcome.backup),
        "command": outcome.command and list(outcome.command),
        "link": outcome.link,
        "snippet": outcome.snippet,
    }


def _check(request: _ConnectRequest, *, as_json: bool) -> int:
    """Probe servers as clients do; return the exit code."""
    rows = []
    is_ok = True
    for label, target in _find_targets(request):
        steps = _probe_server(request, label, target)
        is_ok = is_ok and all(step.is_ok for step in steps)
        rows.append(
            {
                "client": label,
                "server": target and str(target),
                "steps": [_step_row(step) for step in steps],
            }
        )
        if not as_json:
            terminal.echo(f"{label or 'Server'}: {target or 'none'}")
            for step in steps:
                mark = "ok" if step.is_ok else "FAILED"
                terminal.echo(f"    {mark:6} {step.name}: {step.message}")
    if as_json:
        click.echo(json.dumps(rows, indent=2))
    return 0 if is_ok else 1


def _probe_server(
    request: _ConnectRequest, label: str | None, target: ServerEntry | None
) -> tuple[ProbeStep, ...]:
    """Probe one server.

    A command in a file of the working directory, which may be a cloned repository, is
    started only if it is exactly what `connect --stdio` writes here.
    """
    if target is None:
        message = "it does not have the server, or its entry leads nowhere"
        return (ProbeStep("configured", False, message),)
    is_found = label is not None and request.wish.scope == "project"
    if (
        is_found
        and isinstance(target, ServerCommand)
        and not _is_written(request, target)
    ):
        message = (
            "a file in this folder names another command than --stdio with the same "
            "options writes here, which is not started: "
            f"{str(target)[:_MAX_SHOWN_CHARS]}. Start it yourself if you trust it"
        )
        return (ProbeStep("start", False, message),)
    return probe(target, request.machine, is_ours=label is None)


def _is_written(request: _ConnectRequest, command: ServerCommand) -> bool:
    """Whether a command is the one that this program writes for this folder."""
    try:
        return command == request.command()
    except OperationalError:
        return False


def _find_targets(
    request: _ConnectRequest,
) -> Iterator[tuple[str | None, ServerEntry | None]]:
    """Yield the servers to probe: each client's entry, or without clients the server.

    A named client without an entry yields None.
    """
    if not request.clients and not request.takes_all:
        yield None, request.target()
    name, scope = request.wish.name, request.wish.scope
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
