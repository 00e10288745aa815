"""A client's configuration file: its server entries, and edits of them."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from asdlc_kb.connect import json_edit, toml_edit
from asdlc_kb.connect.client_model import Client, EntryForm, Scope
from asdlc_kb.connect.config_snippet import render
from asdlc_kb.connect.host_environment import HostEnvironment
from asdlc_kb.connect.server_entry import ServerEntry, read_target
from asdlc_kb.exceptions import ConfigNotEditable, UnreadableFile
from asdlc_kb.files.writer import Original, move_aside, read_original, replace

ConfigEntry: TypeAlias = object
"""The value under a server's name, of any type of the format."""


class ConfigEditor(Protocol):
    """The functions of an editor module: `json_edit`, `toml_edit` or `yaml_edit`."""

    def parse(self, text: str) -> Mapping[str, Any]:
        """Return the values of a text; raise ConfigNotEditable if it is broken."""

    def put_entry(self, text: str, keys: Sequence[str], name: str, entry: Any) -> str:
        """Return the text with an entry added or replaced below a path of keys."""

    def drop_entry(self, text: str, keys: Sequence[str], name: str) -> str:
        """Return the text without an entry."""


@dataclass(frozen=True, slots=True)
class ClientConfig:
    """A configuration file, as of opening it."""

    client: Client
    scope: Scope
    path: Path
    key: tuple[str, ...]
    original: Original
    servers: Mapping[str, ConfigEntry]
    """Its servers by name."""

    def find(self, name: str) -> ConfigEntry | None:
        """Return the entry with a name, or None."""
        return self.servers.get(name)

    def leads_to(self, name: str, target: ServerEntry) -> bool:
        """Whether an entry points to a target, in any notation."""
        entry = self.find(name)
        if isinstance(entry, str):
            return entry == render(self.client, self.scope, name, target)
        return read_target(entry) == self.client.adapt(target)

    def refers(self, name: str, target: ServerEntry) -> bool:
        """Whether an entry has the token reference that a target requires."""
        entry = self.find(name)
        wanted = self.client.refer(name, target)
        return not wanted or (
            isinstance(entry, dict) and wanted.items() <= entry.items()
        )

    def is_disabled(self, name: str) -> bool:
        """Whether the client does not use an entry, in the notation of any client."""
        entry = self.find(name)
        if not isinstance(entry, dict):
            return False
        return entry.get("disabled") is True or entry.get("enabled") is False

    def draft(self, name: str, target: ServerEntry) -> str:
        """Return the file's text with the entry added.

        Raise ConfigNotEditable if that is impossible.
        """
        if self._is_whole:
            return render(self.client, self.scope, name, target)
        entry = self.client.entry(self.scope, name, target)
        form = _find_editor(self.client.form)
        text = form.put_entry(self.original.text, self.key, name, entry)
        for key, value in self.client.accompany(name, target).items():
            known = form.parse(text).get(key)
            if known is None:
                text = form.put_entry(text, (), key, value)
            elif value != known:
                reason = f"`{key}` already has another value"
                raise ConfigNotEditable(reason, "add it by hand", by_hand=True)
        return text

    def draft_without(self, name: str) -> str | None:
        """Return the file's text without the entry; None if it would be removed.

        Raise ConfigNotEditable if that is impossible.
        """
        if self._is_whole:
            return None
        return _find_editor(self.client.form).drop_entry(
            self.original.text, self.key, name
        )

    def put(self, name: str, target: ServerEntry) -> Path | None:
        """Write an entry; return the path of the backup, if one was made.

        Raise ConfigNotEditable if that is impossible.
        """
        return self._replace(self.draft(name, target))

    def drop(self, name: str) -> Path | None:
        """Remove an entry; return the path of the backup, if one was made.

        Raise ConfigNotEditable if that is impossible.
        """
        return self._replace(self.draft_without(name))

    @property
    def _is_whole(self) -> bool:
        """Whether the file contains a single server."""
        return not self.key

    def _replace(self, text: str | None) -> Path | None:
        try:
            if text is None:
                return move_aside(self.original)
            # Clients write keys of other servers into their user's file later.
            is_private = self.scope != "project"
            return replace(self.original, text, is_private=is_private)
        except UnreadableFile as error:
            raise _refuse(error) from None


def _find_editor(form: EntryForm) -> ConfigEditor:
    """Return the editor module of a format."""
    if form == "json":
        return json_edit
    if form == "toml":
        return toml_edit
    # Most clients need no YAML parser.
    import asdlc_kb.connect.yaml_edit

    return asdlc_kb.connect.yaml_edit


def open_config(
    client: Client, scope: Scope, machine: HostEnvironment, name: str
) -> ClientConfig:
    """Read a client's file of a scope, which need not exist; its path may have `name`.

    Raise ConfigNotEditable if it is broken or unreadable, or if links lead a project's
    file out of the project, which may be an untrusted repository.
    """
    place = client.places[scope]
    path = place.find(machine, name)
    key = place.find_key(machine)
    try:
        original = read_original(path)
    except UnreadableFile as error:
        raise _refuse(error) from None
    project = os.path.realpath(machine.project)
    if scope == "project" and not original.path.is_relative_to(project):
        reason = f"links lead out of the project, to {original.path}"
        raise ConfigNotEditable(reason, "remove the link, or use --scope user")
    servers: Mapping[str, ConfigEntry]
    if key:
        servers = _walk(_find_editor(client.form).parse(original.text), key)
    else:
        servers = {} if original.data is None else {name: original.text}
    return ClientConfig(client, scope, path, key, original, servers)


def _walk(
    values: Mapping[str, Any], keys: tuple[str, ...]
) -> Mapping[str, ConfigEntry]:
    """Return the mapping at a path of keys; empty if there is none."""
    for key in keys:
        inner = values.get(key)
        if not isinstance(inner, dict):
            return {}
        values = inner
    return values


def _refuse(error: UnreadableFile) -> ConfigNotEditable:
    return ConfigNotEditable(error.reason, error.advice)
