"""Snippets of configuration entries to paste: JSON, TOML or YAML."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from asdlc_kb.connect.client_model import Client, Scope
from asdlc_kb.connect.server_entry import ServerEntry

_BARE: Final = re.compile("[A-Za-z0-9_-]+")
"""TOML keys without quotes."""
_PLAIN: Final = re.compile("[A-Za-z][A-Za-z0-9_-]*")
_WORDS: Final = frozenset({"true", "false", "yes", "no", "on", "off", "null", "y", "n"})
"""Plain scalars that some version of YAML does not read as strings."""


def render(client: Client, scope: Scope, name: str, target: ServerEntry) -> str:
    """Return the text for a client's file, with a final newline.

    It includes the enclosing objects and the required top-level members.
    """
    entry = client.entry(scope, name, target)
    place = client.places.get(scope)
    key = place.key if place is not None else ("mcpServers",)
    if client.form == "toml":
        return render_toml((*key, name), entry)
    for part in reversed((*key, name) if key else ()):
        entry = {part: entry}
    entry |= client.accompany(name, target)
    if client.form == "yaml":
        return render_yaml(entry)
    return render_json(entry) + "\n"


def render_json(value: Any, margin: str = "") -> str:
    """Encode JSON with one member per line, and lists on one line."""
    if not isinstance(value, Mapping) or not value:
        return json.dumps(value, ensure_ascii=False)
    inner = f"{margin}  "
    members = (
        f"{inner}{json.dumps(key, ensure_ascii=False)}: {render_json(item, inner)}"
        for key, item in value.items()
    )
    return "{\n" + ",\n".join(members) + f"\n{margin}}}"


def render_toml(path: Sequence[str], entry: Mapping[str, Any]) -> str:
    """Encode a table of strings, numbers, booleans and lists of them."""
    header = ".".join(
        part if _BARE.fullmatch(part) else _toml_value(part) for part in path
    )
    lines = "".join(f"{key} = {_toml_value(item)}\n" for key, item in entry.items())
    return f"[{header}]\n{lines}"


def _toml_value(value: object) -> str:
    """Encode a value as TOML, which equals JSON for these types except for DEL."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def render_yaml(value: Mapping[str, Any]) -> str:
    """Encode a mapping as block YAML; ambiguous scalars are quoted."""
    return "".join(f"{line}\n" for line in _lines(value))


def _lines(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _labelled(f"{_scalar(key)}:", item)
        return
    for item in value:
        first, *others = _lines(item) if _is_block(item) else (_scalar(item),)
        yield f"- {first}"
        yield from (f"  {line}" for line in others)


def _labelled(label: str, item: Any) -> Iterator[str]:
    if not _is_block(item):
        yield f"{label} {_scalar(item)}"
        return
    yield label
    yield from (f"  {line}" for line in _lines(item))


def _is_block(value: Any) -> bool:
    return isinstance(value, Mapping | list) and bool(value)


def _scalar(value: Any) -> str:
    """Encode a value on one line, as JSON where YAML agrees."""
    if isinstance(value, str) and _PLAIN.fullmatch(value):
        return value if value.lower() not in _WORDS else f'"{value}"'
    if isinstance(value, str):
        return f'"{"".join(map(_escape, value))}"'
    return json.dumps(value)


def _escape(character: str) -> str:
    if character in '"\\':
        return f"\\{character}"
    return character if character.isprintable() else f"\\U{ord(character):08x}"
