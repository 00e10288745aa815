"""What is known of one client: the vocabulary of the table."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from asdlc_kb.connect.host_environment import HostEnvironment, System
from asdlc_kb.connect.server_entry import (
    EntryShape,
    ServerAddress,
    ServerCommand,
    ServerEntry,
    bridge,
    fill_template,
)

Scope: TypeAlias = Literal["user", "project", "local"]
"""Whose servers they are: one's own everywhere, everybody's in a project, or one's own
in a project, which is read only."""

EntryForm: TypeAlias = Literal["json", "toml", "yaml"]

Verified: TypeAlias = Literal["tested", "seen", "docs"]
"""How it is known: run with the client itself, read in its package or that of an
installer, or read in documentation."""

SYSTEMS: Final[Mapping[System, str]] = {
    "linux": "Linux",
    "macos": "macOS",
    "windows": "Windows",
}


@dataclass(frozen=True, slots=True)
class ConfigPlace:
    """Where the servers of one scope are."""

    paths: Mapping[System, tuple[str, ...]]
    """Templates of the file, for each system; of several the first that exists."""
    key: tuple[str, ...]
    """The members on the way to the servers; none where the file is one server's."""
    further: EntryShape = field(default_factory=dict)
    """What an entry has here and in no other place."""

    def find(self, machine: HostEnvironment, name: str) -> Path:
        """Return the path of the file, which need not exist."""
        templates = self.paths[machine.system]
        paths = [
            machine.expand(per_system.replace("{name}", name))
            for per_system in templates
        ]
        return next((path for path in paths if path.exists()), paths[0])

    def find_key(self, machine: HostEnvironment) -> tuple[str, ...]:
        """Return the members on the way to the servers, with the project's path."""
        project = str(machine.project)
        return tuple(project if part == "{project}" else part for part in self.key)


@dataclass(frozen=True, slots=True)
class ClientProgram:
    """The client's own command, which edits its files by itself.

    Words may be `{name}`, `{url}`, `{scope}`, `{json}` (the entry with its name in it),
    `{command}`, and `{line}` or `{args}`, which are several words; `{token}` are those
    that a server needs which asks for one.
    """

    name: str
    scopes: tuple[Scope, ...]
    remote: tuple[str, ...] | None = None
    stdio: tuple[str, ...] | None = None
    remove: tuple[str, ...] | None = None
    token: tuple[str, ...] = ()
    """Words with a reference to the variable, `{variable}`, that has a token."""

    def call(self, target: ServerEntry) -> tuple[str, ...] | None:
        """Return the words for a target, with placeholders in it; None: there are none.

        Words with a blank or a `$` are for no shell.
        """
        if isinstance(target, ServerCommand):
            return self.stdio
        if self.remote is None:
            return None
        token = (
            () if target.token_env is None else fill_template(self.token, "", target)
        )
        words = ((word,) if word != "{token}" else token for word in self.remote)
        return tuple(chain.from_iterable(words))


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """One row of the table."""

    id: str
    name: str
    others: tuple[str, ...] = ()
    """What it is called too, or was called."""
    form: EntryForm = "json"
    places: Mapping[Scope, ConfigPlace] = field(default_factory=dict)
    signs: tuple[str, ...] = ()
    """Folders and files that say it is installed; none: those of its user file."""
    by_hand: str = ""
    """Where a person puts the snippet, if there is no file to edit."""
    remote: EntryShape | None
    """The entry for an address; None if it only starts commands."""
    token: EntryShape | None = None
    """What that has besides where the server asks for a token: a reference to it, by
    the variable `{variable}`; None if the client is known to take none."""
    beside: EntryShape = field(default_factory=dict)
    """What such a reference needs at the top of the file."""
    stdio: EntryShape
    program: ClientProgram | None = None
    link: str | None = None
    """A link that offers the server to the client: `{name}`, `{url}`, `{base64}` (of
    the entry) and `{json}` (the entry with its name in it) are put in, encoded."""
    note: str = ""
    verified: Verified
    checked: str
    """When, as year and month."""
    documentation: str

    def adapt(self, target: ServerEntry) -> ServerEntry:
        """Return what to write for a target: the bridge where no address is taken."""
        if isinstance(target, ServerAddress) and self.remote is None:
            return bridge(target)
        return target

    def lacks_token(self, target: ServerEntry) -> bool:
        """Whether a token is asked for that the client takes from no variable."""
        if not isinstance(target, ServerAddress) or target.token_env is None:
            return False
        return self.token is None or self.remote is None

    def entry(self, scope: Scope, name: str, target: ServerEntry) -> dict[str, Any]:
        """Return the entry of a configuration that leads to the target."""
        adapted = self.adapt(target)
        shape = self.stdio if isinstance(adapted, ServerCommand) else self.remote
        place = self.places.get(scope)
        further = place.further if place else {}
        filled: dict[str, Any] = fill_template(
            {**(shape or {}), **further}, name, adapted
        )
        return {**filled, **self.refer(name, target)}

    def refer(self, name: str, target: ServerEntry) -> dict[str, Any]:
        """Return what of that refers to a token; empty where none is asked for."""
        return self._fill_token(self.token, name, target)

    def accompany(self, name: str, target: ServerEntry) -> dict[str, Any]:
        """Return what an entry with such a reference needs at the top of the file."""
        return self._fill_token(self.beside, name, target)

    def _fill_token(
        self, shape: EntryShape | None, name: str, target: ServerEntry
    ) -> dict[str, Any]:
        if not isinstance(target, ServerAddress) or target.token_env is None:
            return {}
        filled: dict[str, Any] = fill_template(shape or {}, name, target)
        return {} if self.remote is None else filled

    def is_here(self, machine: HostEnvironment) -> bool:
        """Whether it seems to be installed: its folder exists, or its program."""
        if self.program is not None and machine.find(self.program.name):
            return True
        if self.signs:
            return any(machine.expand(sign).exists() for sign in self.signs)
        place = self.places.get("user")
        return place is not None and place.find(machine, self.id).parent.is_dir()


def everywhere(
    *paths: str, key: tuple[str, ...] = (), further: EntryShape | None = None
) -> ConfigPlace:
    """Return a place whose path is alike on every system."""
    return ConfigPlace(dict.fromkeys(SYSTEMS, paths), key, further or {})


def per_system(
    *, linux: str, macos: str, windows: str, key: tuple[str, ...] = ()
) -> ConfigPlace:
    """Return a place that each system has elsewhere."""
    paths: dict[System, tuple[str, ...]] = {
        "linux": (linux,),
        "macos": (macos,),
        "windows": (windows,),
    }
    return ConfigPlace(paths, key)
