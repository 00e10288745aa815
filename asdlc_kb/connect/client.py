"""What is known of one client: the vocabulary of the table."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from asdlc_kb.connect.machine import Machine, System
from asdlc_kb.connect.target import Address, Command, Shape, Target, bridge, fill

Scope: TypeAlias = Literal["user", "project", "local"]
"""Whose servers they are: one's own everywhere, everybody's in a project, or one's own
in a project, which is read only."""

Form: TypeAlias = Literal["json", "toml", "yaml"]

Verified: TypeAlias = Literal["tested", "seen", "docs"]
"""How it is known: run with the client itself, read in its package or that of an
installer, or read in documentation."""

SYSTEMS: Final[Mapping[System, str]] = {
    "linux": "Linux",
    "macos": "macOS",
    "windows": "Windows",
}


@dataclass(frozen=True, slots=True)
class Place:
    """Where the servers of one scope are."""

    paths: Mapping[System, tuple[str, ...]]
    """Templates of the file, for each system; of several the first that exists."""
    key: tuple[str, ...]
    """The members on the way to the servers; none where the file is one server's."""
    further: Shape = field(default_factory=dict)
    """What an entry has here and in no other place."""

    def find(self, machine: Machine, name: str) -> Path:
        """Return the path of the file, which need not exist."""
        templates = self.paths[machine.system]
        paths = [machine.expand(each.replace("{name}", name)) for each in templates]
        return next((path for path in paths if path.exists()), paths[0])

    def find_key(self, machine: Machine) -> tuple[str, ...]:
        """Return the members on the way to the servers, with the project's path."""
        project = str(machine.project)
        return tuple(project if part == "{project}" else part for part in self.key)


@dataclass(frozen=True, slots=True)
class Program:
    """The client's own command, which edits its files by itself.

    Words may be `{name}`, `{url}`, `{scope}`, `{json}` (the entry with its name in it),
    `{command}`, and `{line}` or `{args}`, which are several words.
    """

    name: str
    scopes: tuple[Scope, ...]
    remote: tuple[str, ...] | None = None
    stdio: tuple[str, ...] | None = None
    remove: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """One row of the table."""

    id: str
    name: str
    others: tuple[str, ...] = ()
    """What it is called too, or was called."""
    form: Form = "json"
    places: Mapping[Scope, Place] = field(default_factory=dict)
    signs: tuple[str, ...] = ()
    """Folders and files that say it is installed; none: those of its user file."""
    by_hand: str = ""
    """Where a person puts the snippet, if there is no file to edit."""
    remote: Shape | None
    """The entry for an address; None if it only starts commands."""
    stdio: Shape
    program: Program | None = None
    link: str | None = None
    """A link that offers the server to the client: `{name}`, `{url}`, `{base64}` (of
    the entry) and `{json}` (the entry with its name in it) are put in, encoded."""
    note: str = ""
    verified: Verified
    checked: str
    """When, as year and month."""
    documentation: str

    def adapt(self, target: Target) -> Target:
        """Return what to write for a target: the bridge where no address is taken."""
        if isinstance(target, Address) and self.remote is None:
            return bridge(target)
        return target

    def entry(self, scope: Scope, name: str, target: Target) -> dict[str, Any]:
        """Return the entry of a configuration that leads to the target."""
        adapted = self.adapt(target)
        shape = self.stdio if isinstance(adapted, Command) else self.remote
        place = self.places.get(scope)
        further = place.further if place else {}
        filled: dict[str, Any] = fill({**(shape or {}), **further}, name, adapted)
        return filled

    def is_here(self, machine: Machine) -> bool:
        """Whether it seems to be installed: its folder exists, or its program."""
        if self.program is not None and machine.find(self.program.name):
            return True
        if self.signs:
            return any(machine.expand(sign).exists() for sign in self.signs)
        place = self.places.get("user")
        return place is not None and place.find(machine, self.id).parent.is_dir()


def everywhere(
    *paths: str, key: tuple[str, ...] = (), further: Shape | None = None
) -> Place:
    """Return a place whose path is alike on every system."""
    return Place(dict.fromkeys(SYSTEMS, paths), key, further or {})


def each(*, linux: str, macos: str, windows: str, key: tuple[str, ...] = ()) -> Place:
    """Return a place that each system has elsewhere."""
    paths: dict[System, tuple[str, ...]] = {
        "linux": (linux,),
        "macos": (macos,),
        "windows": (windows,),
    }
    return Place(paths, key)
