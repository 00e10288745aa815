"""Checks of `doctor`: which clients on this machine have this server configured."""

import os
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from asdlc_kb.cli.check_result import CheckResult
from asdlc_kb.cli.suggestion import suggest_command
from asdlc_kb.connect.client_config import ClientConfig, open_config
from asdlc_kb.connect.client_model import Client
from asdlc_kb.connect.client_table import CLIENTS
from asdlc_kb.connect.host_environment import HostEnvironment
from asdlc_kb.connect.server_entry import (
    ServerAddress,
    ServerCommand,
    ServerEntry,
    describe,
    read_target,
)
from asdlc_kb.exceptions import ConfigNotEditable

_SAFE: Final = frozenset({"-P", "-I"})
"""Options that keep `python -m` from importing from the working directory."""
_SCRIPT: Final = "asdlc-kb"
_PYTHON: Final = re.compile(r"(?:python|pypy)[0-9.]*t?(?:\.exe)?")
"""The file name of an interpreter."""


def check_clients(
    machine: HostEnvironment, address: str, name: str
) -> Iterator[CheckResult]:
    """Report each client's entries with our name or our address."""
    total = 0
    for client in CLIENTS:
        results = tuple(_check_client(client, machine, ServerAddress(address), name))
        if not results and client.is_here(machine):
            hint = suggest_command("connect", client.id)
            results = (
                CheckResult(client.name, "ok", "installed, not connected", hint),
            )
        total += len(results)
        yield from results
    if not total:
        command = suggest_command("connect", "NAME")
        hint = f"{command} configures one that was not detected"
        message = "no MCP client found on this machine"
        yield CheckResult("Clients", "ok", message, hint)


def _check_client(
    client: Client, machine: HostEnvironment, address: ServerAddress, name: str
) -> Iterator[CheckResult]:
    for scope in client.places:
        try:
            config = open_config(client, scope, machine, name)
        except ConfigNotEditable as error:
            path = client.places[scope].find(machine, name)
            yield CheckResult(
                client.name, "warning", f"{path}: {error.reason}", error.advice
            )
            continue
        for known, entry in config.servers.items():
            target = _find_target(config, known, entry, address)
            if known == name or target == client.adapt(address):
                yield _check_entry(config, machine, known, target, address)


def _find_target(
    config: ClientConfig, name: str, entry: object, address: ServerAddress
) -> ServerEntry | None:
    """Return the target of an entry; an entry that is a file is compared as a whole."""
    if isinstance(entry, str):
        return address if config.leads_to(name, address) else None
    return read_target(entry)


def _check_entry(
    config: ClientConfig,
    machine: HostEnvironment,
    name: str,
    target: ServerEntry | None,
    address: ServerAddress,
) -> CheckResult:
    client, where = config.client, f"`{name}` in {config.path}"
    command = ["connect", client.id, "--name", name, "--force"]
    if config.scope == "project":
        command += ["--scope", "project"]
    if target == client.adapt(address):
        return CheckResult(client.name, "ok", f"{where} points to {address}")
    if isinstance(target, ServerCommand) and _is_ours(config, machine, target.words):
        restart = suggest_command(*command, "--stdio", without="url")
        if machine.find(target.words[0]) is None:
            message = f"{where} starts {target.words[0]}, which does not exist"
            return CheckResult(client.name, "warning", message, restart)
        if target.words[1] == "-m":
            message = f"{where} imports modules from the folder open in the client"
            return CheckResult(client.name, "warning", message, restart)
        return CheckResult(client.name, "ok", f"{where} starts {target}")
    other = "something else" if target is None else describe(target)
    message = f"{where} points to {other}, not to {address}"
    hint = shlex.join(["asdlc-kb", *command, "--url", str(address)])
    return CheckResult(client.name, "warning", message, hint)


def _is_ours(
    config: ClientConfig, machine: HostEnvironment, words: tuple[str, ...]
) -> bool:
    """Whether a command line runs `stdio` of this server, by its program.

    A path inside the project, in a file of the project, is not ours whatever its name,
    unless it is in the folder of this interpreter.
    """
    program, own = Path(words[0]), Path(sys.executable)
    if config.scope == "project" and "/" in words[0] and program.parent != own.parent:
        folder = Path(os.path.realpath(machine.project / program.parent))
        if folder.is_relative_to(os.path.realpath(machine.project)):
            return False
    if program.name == _SCRIPT:
        return words[1:2] == ("stdio",)
    if program != own and not _PYTHON.fullmatch(program.name):
        return False
    options = words[2:] if words[1:2] and words[1] in _SAFE else words[1:]
    return options[:3] == ("-m", "asdlc_kb", "stdio")
