"""Adds a server to a client's configuration, by the first available method.

The methods: the client's CLI; a deep link, if links may be opened; an edit of its file;
else a snippet to paste. The file is checked first: an identical entry is left alone,
another server of the same name is replaced or removed only with force, and a server
gets a second entry only under a name that the user chose.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from asdlc_kb.connect.client_config import ClientConfig, open_config
from asdlc_kb.connect.client_model import Client, Scope
from asdlc_kb.connect.config_snippet import render
from asdlc_kb.connect.deep_links import make_link, write_entry
from asdlc_kb.connect.host_environment import HostEnvironment
from asdlc_kb.connect.result import ConnectResult, ConnectStatus
from asdlc_kb.connect.server_entry import (
    NAME,
    ServerCommand,
    ServerEntry,
    describe,
    read_target,
    starts_this_program,
)
from asdlc_kb.connect.subprocess_runner import (
    ProcessResult,
    fill_words,
    find_opener,
    run,
)
from asdlc_kb.exceptions import ConfigNotEditable

MAX_NAMED: Final = 3
"""Entries of other names that are named: a file may have many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectOptions:
    """Options that apply to each client."""

    name: str
    scope: Scope = "user"
    is_forced: bool = False
    """Whether another server of the same name is replaced or removed."""
    is_named: bool = False
    """Whether the user chose the name: else a server gets no second entry."""
    opens_links: bool = False
    is_dry: bool = False
    """Whether the action is only described."""


class ClientConnection:
    """The connection of one client on one machine."""

    def __init__(
        self, client: Client, machine: HostEnvironment, options: ConnectOptions
    ) -> None:
        self._client = client
        self._machine = machine
        self._options = options
        self._name = options.name
        self._scope = options.scope
        self._result = partial(ConnectResult, client=client, scope=options.scope)

    def show(self, target: ServerEntry) -> ConnectResult:
        """Return manual instructions, without reading any file."""
        where = str(self._path() or self._client.by_hand)
        if not where:
            return self._without_place()
        return self._with_alternatives(
            "shown", self._describe_place(where, target), target
        )

    def connect(self, target: ServerEntry) -> ConnectResult:
        """Add a server to the client."""
        if self._scope not in self._client.places:
            if self._client.by_hand and self._scope == "user":
                message = self._describe_place(self._client.by_hand, target)
                return self._with_alternatives("by-hand", message, target)
            return self._without_place()
        try:
            config = self._open()
            leads = config.leads_to(self._name, target)
            is_other = config.find(self._name) is not None and not leads
            if not (leads or self._options.is_forced or self._options.is_named):
                if (known := self._find_same(config, target)) is not None:
                    return self._refuse_second(config, known, target)
            if is_other and not self._options.is_forced:
                advice = "replace it or --name for another name"
                return self._refuse_other(config, advice)
            if self._client.lacks_token(target):
                message = self._describe_place(str(config.path), target)
                return self._with_alternatives("by-hand", message, target)
            if leads and config.refers(self._name, target):
                return self._done("unchanged", self._describe_known(config), config)
            return (
                self._connect_by_command(config, target)
                or self._open_link(config, target)
                or self._connect_by_edit(config, target)
            )
        except ConfigNotEditable as error:
            if error.by_hand:
                return self._with_alternatives(
                    "by-hand", self._format_error(error), target
                )
            return self._refuse(error)

    def remove(self, target: ServerEntry) -> ConnectResult:
        """Remove the server from the client's configuration.

        An entry that neither points to the target nor starts this program is another
        server's.
        """
        if self._scope not in self._client.places:
            return self._without_place()
        try:
            config = self._open()
            if config.find(self._name) is None:
                message = self._describe_absence(config, target)
                return self._done("absent", message, config)
            if not (self._options.is_forced or _is_ours(config, self._name, target)):
                return self._refuse_other(config, "remove it")
            return self._remove_by_command(config) or self._remove_by_edit(config)
        except ConfigNotEditable as error:
            return self._refuse(error)

    def _connect_by_command(
        self, config: ClientConfig, target: ServerEntry
    ) -> ConnectResult | None:
        words = self._words(target)
        if words is None:
            return None
        if self._options.is_dry:
            message = f"would be connected as `{self._name}` with its own command"
            return self._done("planned", message, config, command=words)
        if config.find(self._name) is not None:
            self._remove_by_command(config)
        self._run(words)
        if not self._reads(target):
            # Its output is irrelevant if the edit that follows succeeds.
            return None
        message = f"connected as `{self._name}` with its own command, in {config.path}"
        return self._done("connected", message, config, command=words)

    def _open_link(
        self, config: ClientConfig, target: ServerEntry
    ) -> ConnectResult | None:
        """Open the deep link that adds the server."""
        link = make_link(self._client, self._name, target)
        if link is None or not self._options.opens_links or self._scope != "user":
            return None
        if self._options.is_dry:
            message = f"its link would be opened, to connect as `{self._name}`"
            return self._done("planned", message, config, link=link)
        opener = find_opener(self._machine)
        if opener is None or self._run((opener, link)).code != 0:
            return None
        message = (
            f"opened its link, to connect as `{self._name}`: confirm in the client"
        )
        return self._done("offered", message, config, link=link)

    def _connect_by_edit(
        self, config: ClientConfig, target: ServerEntry
    ) -> ConnectResult:
        if self._options.is_dry:
            config.draft(self._name, target)
            message = f"would be connected as `{self._name}` in {config.path}"
            return self._with_alternatives("planned", message, target)
        # The command may have written it meanwhile.
        config = self._open()
        backup = config.put(self._name, target)
        message = f"connected as `{self._name}` in {config.path}"
        return self._done("connected", message, config, backup=backup)

    def _remove_by_command(self, config: ClientConfig) -> ConnectResult | None:
        program = self._client.program
        if program is None or program.remove is None:
            return None
        path = self._machine.find(program.name)
        if path is None or self._scope not in program.scopes:
            return None
        words = (path, *fill_words(program.remove, self._values()))
        if self._options.is_dry:
            message = f"`{self._name}` would be removed with its own command"
            return self._done("planned", message, config, command=words)
        self._run(words)
        if self._open().find(self._name) is not None:
            return None
        message = f"`{self._name}` removed with its own command, from {config.path}"
        return self._done("removed", message, config, command=words)

    def _remove_by_edit(self, config: ClientConfig) -> ConnectResult:
        if self._options.is_dry:
            config.draft_without(self._name)
            message = f"`{self._name}` would be removed from {config.path}"
            return self._done("planned", message, config)
        config = self._open()
        backup = config.drop(self._name)
        message = f"`{self._name}` removed from {config.path}"
        return self._done("removed", message, config, backup=backup)

    def _words(self, target: ServerEntry) -> tuple[str, ...] | None:
        """Return the CLI command for a target, if it can be run here."""
        program = self._client.program
        if program is None or self._scope not in program.scopes:
            return None
        words = program.call(self._client.adapt(target))
        path = self._machine.find(program.name)
        if words is None or path is None or self._client.lacks_token(target):
            return None
        return (path, *fill_words(words, self._values(target)))

    def _values(self, target: ServerEntry | None = None) -> Mapping[str, object]:
        values: dict[str, object] = {"{name}": self._name, "{scope}": self._scope}
        if target is None:
            return values
        adapted = self._client.adapt(target)
        values["{json}"] = write_entry(self._client, self._name, target)
        if isinstance(adapted, ServerCommand):
            values["{line}"] = adapted.words
            values["{command}"], values["{args}"] = adapted.words[0], adapted.words[1:]
        else:
            values["{url}"] = adapted.url
        return values

    def _run(self, words: tuple[str, ...]) -> ProcessResult:
        return run(words, self._machine)

    def _open(self) -> ClientConfig:
        return open_config(self._client, self._scope, self._machine, self._name)

    def _reads(self, target: ServerEntry) -> bool:
        """Whether the file now has an entry for the target."""
        try:
            config = self._open()
        except ConfigNotEditable:
            return False
        return config.leads_to(self._name, target) and config.refers(self._name, target)

    def _with_alternatives(
        self, status: ConnectStatus, message: str, target: ServerEntry
    ) -> ConnectResult:
        """Return a result with the manual alternatives."""
        return self._result(
            status=status,
            message=message,
            path=self._path(),
            command=self._words(target),
            link=make_link(self._client, self._name, target),
            snippet=render(self._client, self._scope, self._name, target),
        )

    def _done(
        self, status: ConnectStatus, message: str, config: ClientConfig, **more: Any
    ) -> ConnectResult:
        return self._result(status=status, message=message, path=config.path, **more)

    def _refuse(self, error: ConfigNotEditable) -> ConnectResult:
        status: ConnectStatus = "by-hand" if error.by_hand else "refused"
        return self._result(
            status=status, message=self._format_error(error), path=self._path()
        )

    def _format_error(self, error: ConfigNotEditable) -> str:
        return f"{self._path()}: {error}"

    def _describe_place(self, where: str, target: ServerEntry) -> str:
        """Describe where to paste the snippet, and the header it lacks."""
        if not self._client.lacks_token(target):
            return f"add to {where}"
        return (
            f"add to {where}, with the header `Authorization: Bearer TOKEN`: it is not "
            "known to read tokens from variables"
        )

    def _path(self) -> Path | None:
        place = self._client.places.get(self._scope)
        return place.find(self._machine, self._name) if place else None

    def _describe_known(self, config: ClientConfig) -> str:
        known = f"{config.path} already has it as `{self._name}`"
        if config.is_disabled(self._name):
            return f"{known}, but disabled: enable it in the client"
        return known

    def _find_same(self, config: ClientConfig, target: ServerEntry) -> str | None:
        """Return the name of an entry for a target under another name."""
        adapted = self._client.adapt(target)
        entries = config.servers.items()
        return next((name for name, it in entries if read_target(it) == adapted), None)

    def _describe_absence(self, config: ClientConfig, target: ServerEntry) -> str:
        """Describe a file without the entry, and name the entries of this program."""
        absence = f"{config.path} has no server named `{self._name}`"
        names = [
            f"`{name}`"
            for name in config.servers
            if NAME.fullmatch(name) and _is_ours(config, name, target)
        ]
        if not names:
            return absence
        found = ", ".join(names[:MAX_NAMED])
        return f"{absence}; of asdlc-kb it has {found}: name the one with --name"

    def _refuse_second(
        self, config: ClientConfig, known: str, target: ServerEntry
    ) -> ConnectResult:
        token = "" if config.refers(known, target) else ", without the token"
        message = (
            f"{config.path} already has it as `{known}`{token}: "
            "use --name to change that entry, or to add a second one"
        )
        return self._done("refused", message, config)

    def _refuse_other(self, config: ClientConfig, advice: str) -> ConnectResult:
        other = read_target(config.find(self._name))
        leads = f", which points to {describe(other)}" if other is not None else ""
        obstacle = f"{config.path} has another server named `{self._name}`{leads}"
        message = f"{obstacle}: use --force to {advice}"
        return self._done("refused", message, config, obstacle=obstacle)

    def _without_place(self) -> ConnectResult:
        message = f"it has no {self._scope} configuration: choose another --scope"
        return self._result(status="refused", message=message)


def _is_ours(config: ClientConfig, name: str, target: ServerEntry) -> bool:
    """Whether an entry points to the target or starts this program."""
    if config.leads_to(name, target):
        return True
    return starts_this_program(read_target(config.find(name)))
