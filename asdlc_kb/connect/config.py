"""One client's configuration file: what it says of a server, and edits of that."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

from asdlc_kb.connect import json, toml
from asdlc_kb.connect.client import Client, Form, Scope
from asdlc_kb.connect.machine import Machine
from asdlc_kb.connect.snippet import render
from asdlc_kb.connect.target import Target, read_target
from asdlc_kb.exceptions import ConfigRefused, FileRefused
from asdlc_kb.files.writer import Original, read_original, replace, set_aside

Entry: TypeAlias = Any
"""What a file has under a name: any value of its format."""

_YAML: Final = "it is YAML, which is not edited here"


@dataclass(frozen=True, slots=True)
class Config:
    """A file as it was when it was opened."""

    client: Client
    scope: Scope
    path: Path
    key: tuple[str, ...]
    original: Original
    servers: Mapping[str, Entry] | None
    """Every server in it by name; None where that cannot be told."""

    def find(self, name: str) -> Entry | None:
        """Return the entry of a name, or None."""
        return None if self.servers is None else self.servers.get(name)

    def leads_to(self, name: str, target: Target) -> bool:
        """Whether the entry of a name leads to a target, however it is spelled."""
        entry = self.find(name)
        if isinstance(entry, str):
            return entry == render(self.client, self.scope, name, target)
        return read_target(entry) == self.client.adapt(target)

    def refers(self, name: str, target: Target) -> bool:
        """Whether the entry of a name refers to the token that a target asks for."""
        entry = self.find(name)
        wanted = self.client.refer(name, target)
        return not wanted or (
            isinstance(entry, dict) and wanted.items() <= entry.items()
        )

    def draft(self, name: str, target: Target) -> str:
        """Return what the file would say with the entry of a name.

        Raises ConfigRefused where that cannot be done.
        """
        if self._is_whole:
            return render(self.client, self.scope, name, target)
        entry = self.client.entry(self.scope, name, target)
        form = self._form()
        text: str = form.put(self.original.text, self.key, name, entry)
        for key, value in self.client.accompany(name, target).items():
            known = form.read(text).get(key)
            if known is None:
                text = form.put(text, (), key, value)
            elif value != known:
                reason = f"it has `{key}` already, and another one is needed there"
                raise ConfigRefused(reason, "add it by hand", by_hand=True)
        return text

    def draft_without(self, name: str) -> str | None:
        """Return what the file would say without the entry; None if it would be gone.

        Raises ConfigRefused where that cannot be done.
        """
        if self._is_whole:
            return None
        text: str = self._form().drop(self.original.text, self.key, name)
        return text

    def put(self, name: str, target: Target) -> Path | None:
        """Write the entry of a name; return where the former file is kept, if it was.

        Raises ConfigRefused where that cannot be done.
        """
        return self._replace(self.draft(name, target))

    def drop(self, name: str) -> Path | None:
        """Take the entry of a name out; return where the former file is kept.

        Raises ConfigRefused where that cannot be done.
        """
        return self._replace(self.draft_without(name))

    @property
    def _is_whole(self) -> bool:
        """Whether the file is one server's alone."""
        return not self.key

    def _form(self) -> Any:
        """Return the module that edits the file's format."""
        if self.client.form == "yaml":
            raise ConfigRefused(_YAML, "add the entry by hand", by_hand=True)
        return _EDITORS[self.client.form]

    def _replace(self, text: str | None) -> Path | None:
        try:
            if text is None:
                return set_aside(self.original)
            return replace(self.original, text)
        except FileRefused as error:
            raise _refuse(error) from None


_EDITORS: Final[Mapping[Form, Any]] = {"json": json, "toml": toml}


def open_config(client: Client, scope: Scope, machine: Machine, name: str) -> Config:
    """Read a client's file of a scope, which need not exist; `name` may be in its path.

    Raises ConfigRefused if it is broken or may not be read, and for a file of a project
    that links lead out of it: the project may be a repository of other people.
    """
    place = client.places[scope]
    path = place.find(machine, name)
    key = place.find_key(machine)
    try:
        original = read_original(path)
    except FileRefused as error:
        raise _refuse(error) from None
    project = os.path.realpath(machine.project)
    if scope == "project" and not original.path.is_relative_to(project):
        reason = f"links lead out of the project, to {original.path}"
        raise ConfigRefused(reason, "remove the link, or use --scope user")
    servers: Mapping[str, Entry] | None
    if not key:
        servers = {} if original.data is None else {name: original.text}
    elif client.form == "yaml":
        servers = None
    else:
        servers = _walk(_EDITORS[client.form].read(original.text), key)
    return Config(client, scope, path, key, original, servers)


def _walk(values: Mapping[str, Any], keys: tuple[str, ...]) -> Mapping[str, Entry]:
    """Return what is at the end of a way; empty if the way does not go there."""
    for key in keys:
        inner = values.get(key)
        if not isinstance(inner, dict):
            return {}
        values = inner
    return values


def _refuse(error: FileRefused) -> ConfigRefused:
    return ConfigRefused(error.reason, error.advice)
