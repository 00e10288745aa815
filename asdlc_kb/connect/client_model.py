"""Data model of the client table."""

import os
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
"""The user's servers everywhere, the servers shared in a project, or the user's own
in a project, which are read-only here."""

EntryForm: TypeAlias = Literal["json", "toml", "yaml"]

Verified: TypeAlias = Literal["tested", "seen", "docs"]
"""Source: tested with the client itself, read in its package or that of an
installer, or read in documentation."""

SYSTEMS: Final[Mapping[System, str]] = {
    "linux": "Linux",
    "macos": "macOS",
    "windows": "Windows",
}


@dataclass(frozen=True, slots=True)
class ConfigLocation:
    """The location of the servers of one scope."""

    paths: Mapping[System, tuple[str, ...]]
    """Path templates per system; of several the first that exists."""
    key: tuple[str, ...]
    """Keys of the enclosing objects; none if the file contains a single server."""
    extra: EntryShape = field(default_factory=dict)
    """Fields that entries have only in this place."""

    def find(self, machine: HostEnvironment, name: str) -> Path:
        """Return the path of the file, which need not exist."""
        templates = self.paths[machine.system]
        paths = [
            machine.expand(per_system.replace("{name}", name))
            for per_system in templates
        ]
        return next(filter(os.path.exists, paths), paths[0])

    def find_key(self, machine: HostEnvironment) -> tuple[str, ...]:
        """Return the keys of the enclosing objects, with the project's path."""
        project = str(machine.project)
        return tuple(project if part == "{project}" else part for part in self.key)


@dataclass(frozen=True, slots=True)
class ClientProgram:
    """The client's CLI, which edits its files.

    Words may be `{name}`, `{url}`, `{scope}`, `{json}` (the entry with its name in it),
    `{command}`, and `{line}` or `{args}`, which are several words; `{token}` stands for
    the words that a server with a token requires.
    """

    name: str
    scopes: tuple[Scope, ...]
    remote: tuple[str, ...] | None = None
    stdio: tuple[str, ...] | None = None
    remove: tuple[str, ...] | None = None
    token: tuple[str, ...] = ()
    """Words that refer to the token's variable, `{variable}`."""

    def call(self, target: ServerEntry) -> tuple[str, ...] | None:
        """Return the words for a target, with placeholders, or None.

        They are not for a shell: words with a blank or a `$` are not quoted.
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
    aliases: tuple[str, ...] = ()
    """Other and former names."""
    form: EntryForm = "json"
    places: Mapping[Scope, ConfigLocation] = field(default_factory=dict)
    install_paths: tuple[str, ...] = ()
    """Paths that exist if it is installed; by default, the folder of its user file."""
    by_hand: str = ""
    """Where the user pastes the snippet, if there is no file to edit."""
    remote: EntryShape | None
    """The entry for an address; None if only commands are supported."""
    token: EntryShape | None = None
    """Additional fields if the server requires a token: a reference to it, by
    the variable `{variable}`; None if the client supports none."""
    top_level: EntryShape = field(default_factory=dict)
    """Members that such a reference requires at the top of the file."""
    stdio: EntryShape
    program: ClientProgram | None = None
    link: str | None = None
    """A deep link that adds the server: `{name}`, `{url}`, `{base64}` (of the entry)
    and `{json}` (the entry with its name in it) are substituted, URL-encoded."""
    note: str = ""
    hint: str = ""
    """What the user must do in the client once it is connected."""
    verified: Verified
    checked: str
    """Date of the check, as year and month."""
    documentation: str

    def adapt(self, target: ServerEntry) -> ServerEntry:
        """Return the target to configure: a bridge if addresses are not supported."""
        if isinstance(target, ServerAddress) and self.remote is None:
            return bridge(target)
        return target

    def lacks_token(self, target: ServerEntry) -> bool:
        """Whether a token is required that the client cannot read from a variable."""
        if not isinstance(target, ServerAddress) or target.token_env is None:
            return False
        return self.token is None or self.remote is None

    def entry(self, scope: Scope, name: str, target: ServerEntry) -> dict[str, Any]:
        """Return the configuration entry for a target."""
        adapted = self.adapt(target)
        shape = self.stdio if isinstance(adapted, ServerCommand) else self.remote
        place = self.places.get(scope)
        extra = place.extra if place else {}
        filled: dict[str, Any] = fill_template(
            {**(shape or {}), **extra}, name, adapted
        )
        return {**filled, **self.refer(name, target)}

    def refer(self, name: str, target: ServerEntry) -> dict[str, Any]:
        """Return the token reference of that; empty if no token is required."""
        return self._fill_token(self.token, name, target)

    def accompany(self, name: str, target: ServerEntry) -> dict[str, Any]:
        """Return the top-level members that the token reference requires."""
        return self._fill_token(self.top_level, name, target)

    def _fill_token(
        self, shape: EntryShape | None, name: str, target: ServerEntry
    ) -> dict[str, Any]:
        if not isinstance(target, ServerAddress) or target.token_env is None:
            return {}
        filled: dict[str, Any] = fill_template(shape or {}, name, target)
        return {} if self.remote is None else filled

    def is_here(self, machine: HostEnvironment) -> bool:
        """Whether it seems to be installed: its folder or program exists."""
        if self.program is not None and machine.find(self.program.name):
            return True
        if self.install_paths:
            return any(map(os.path.exists, map(machine.expand, self.install_paths)))
        place = self.places.get("user")
        return place is not None and os.path.isdir(place.find(machine, self.id).parent)


def everywhere(
    *paths: str, key: tuple[str, ...] = (), extra: EntryShape | None = None
) -> ConfigLocation:
    """Return a place with the same path on every system."""
    return ConfigLocation(dict.fromkeys(SYSTEMS, paths), key, extra or {})


def per_system(
    *, linux: str, macos: str, windows: str, key: tuple[str, ...] = ()
) -> ConfigLocation:
    """Return a place with a different path on each system."""
    paths: dict[System, tuple[str, ...]] = {
        "linux": (linux,),
        "macos": (macos,),
        "windows": (windows,),
    }
    return ConfigLocation(paths, key)
