"""TOML editor that appends or removes one table and verifies the edit.

Lines are edited; an edit is valid if the new text parses to the former values with the
change, and nothing else. tomlkit does not preserve all other bytes: it moves tables
around an array of tables, and deletes the comment of the next table.
"""

import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any, Final

from asdlc_kb.connect.config_snippet import render_toml
from asdlc_kb.exceptions import ConfigNotEditable

MAX_BYTES: Final = 1024 * 1024
"""Maximum size of a file, in bytes."""
MAX_DOTS: Final = 100
"""Dots in one line: parse time is quadratic in the parts of a key."""

_HEADER: Final = re.compile(r"[ \t]*\[")
_IDLE: Final = re.compile(r"[ \t]*(?:#.*)?\r?\n?")
"""A blank line, or one with only a comment."""


def parse(text: str) -> dict[str, Any]:
    """Parse a text; raise ConfigNotEditable if it is broken or too large."""
    if len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        raise ConfigNotEditable(
            f"it is larger than {MAX_BYTES:,} bytes", "make it smaller"
        )
    for number, line in enumerate(text.split("\n"), 1):
        if line.count(".") > MAX_DOTS:
            reason = f"line {number:,} has more than {MAX_DOTS} dots"
            raise ConfigNotEditable(reason, "break it into shorter lines")
    try:
        return tomllib.loads(text.removeprefix("\ufeff").replace("\r\n", "\n"))
    except (ValueError, RecursionError) as error:
        raise ConfigNotEditable(f"it is broken TOML ({error})", "fix it") from None


def put_entry(
    text: str, keys: Sequence[str], name: str, entry: Mapping[str, Any]
) -> str:
    """Return the text with a table appended; replace one with the same name.

    Raise ConfigNotEditable if the layout of the text does not allow the edit.
    """
    wanted = parse(text)
    container = wanted
    for key in keys:
        container = container.setdefault(key, {})
        if not isinstance(container, dict):
            raise ConfigNotEditable(f"`{key}` in it is not a table", "fix it")
    if name in container:
        text = drop_entry(text, keys, name)
    container[name] = entry
    newline = "\r\n" if "\r\n" in text else "\n"
    gap = "" if not text or text.endswith("\n") else newline
    gap += newline if text.strip() else ""
    table = render_toml((*keys, name), entry).replace("\n", newline)
    return _verify(text + gap + table, wanted, keys)


def drop_entry(text: str, keys: Sequence[str], name: str) -> str:
    """Return the text without a table and its subtables.

    Raise ConfigNotEditable as `put_entry` does.
    """
    wanted = parse(text)
    container = wanted
    for key in keys:
        container = container.get(key, {})
    if name not in container:
        return text
    del container[name]
    path = r"\s*\.\s*".join(_pattern(part) for part in (*keys, name))
    ours = re.compile(rf"[ \t]*\[\[?\s*{path}\s*[.\]]")
    left = _cut(text.splitlines(keepends=True), ours)
    return _verify("".join(left), wanted, keys)


def _cut(lines: Sequence[str], ours: re.Pattern[str]) -> list[str]:
    """Remove the matching tables and the blank line above each.

    Comments below the last value stay: they belong to the next table.
    """
    kept: list[str] = []
    idle: list[str] = []
    is_ours = False
    for line in lines:
        if _HEADER.match(line):
            begins = ours.match(line) is not None
            if not begins:
                kept += idle
            elif not is_ours and kept and not kept[-1].strip():
                kept.pop()
            is_ours, idle = begins, []
        if not is_ours:
            kept.append(line)
        elif _IDLE.fullmatch(line):
            idle.append(line)
        else:
            idle = []
    return kept + idle


def _pattern(name: str) -> str:
    """Return a pattern for a key, bare or quoted."""
    bare = re.escape(name)
    return rf"(?:{bare}|\"{bare}\"|'{bare}')"


def _verify(text: str, wanted: Mapping[str, Any], keys: Sequence[str]) -> str:
    """Return the text if it parses as expected, or raise ConfigNotEditable."""
    try:
        parsed = parse(text)
    except ConfigNotEditable:
        parsed = None
    if parsed is None or _prune(parsed, keys) != _prune(wanted, keys):
        reason = "its layout cannot be edited safely"
        raise ConfigNotEditable(reason, "change it by hand", by_hand=True)
    return text


def _prune(values: Mapping[str, Any], keys: Sequence[str]) -> dict[str, Any]:
    """Return a copy without empty tables on a path: TOML text can omit those."""
    pruned = dict(values)
    if keys and isinstance(pruned.get(keys[0]), dict):
        inner = _prune(pruned.pop(keys[0]), keys[1:])
        if inner:
            pruned[keys[0]] = inner
    return pruned
