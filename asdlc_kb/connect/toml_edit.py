"""Puts one table at the end of a TOML text, or takes it out, and proves the edit.

The parser of the standard library only reads, so an edit is one of lines; it counts if
the parser finds the former values and the entry in the new text, and nothing else.
"""

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any, Final

from asdlc_kb.exceptions import ConfigNotEditable

MAX_BYTES: Final = 1024 * 1024
"""Bytes of a file that is read."""
MAX_DOTS: Final = 100
"""Dots in one line: the parser's time grows with the square of the parts of a key."""

_BARE: Final = re.compile("[A-Za-z0-9_-]+")
_HEADER: Final = re.compile(r"[ \t]*\[")
_IDLE: Final = re.compile(r"[ \t]*(?:#.*)?\r?\n?")
"""A line without anything, or with a comment only."""


def parse(text: str) -> dict[str, Any]:
    """Return what a text says; raise ConfigNotEditable if it is broken or too large."""
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
        raise ConfigNotEditable(f"it is broken TOML ({error})", "mend it") from None


def put_entry(
    text: str, keys: Sequence[str], name: str, entry: Mapping[str, Any]
) -> str:
    """Return the text with a table at its end; one of that name is replaced.

    Raises ConfigNotEditable if the text is laid out in a way that such an edit would
    break.
    """
    wanted = parse(text)
    container = wanted
    for key in keys:
        container = container.setdefault(key, {})
        if not isinstance(container, dict):
            raise ConfigNotEditable(f"`{key}` in it is no table", "mend it")
    if name in container:
        text = drop_entry(text, keys, name)
    container[name] = entry
    newline = "\r\n" if "\r\n" in text else "\n"
    gap = "" if not text or text.endswith("\n") else newline
    gap += newline if text.strip() else ""
    table = render_table((*keys, name), entry).replace("\n", newline)
    return _prove(text + gap + table, wanted, keys)


def drop_entry(text: str, keys: Sequence[str], name: str) -> str:
    """Return the text without a table and those below it.

    Raises ConfigNotEditable as `put_entry` does.
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
    return _prove("".join(left), wanted, keys)


def _cut(lines: Sequence[str], ours: re.Pattern[str]) -> list[str]:
    """Return the lines without our tables and the blank line above each.

    Comments below our last value stay: they belong to what follows.
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


def render_table(path: Sequence[str], entry: Mapping[str, Any]) -> str:
    """Return a table of texts, numbers, switches and lists of them."""
    header = ".".join(part if _BARE.fullmatch(part) else _value(part) for part in path)
    lines = "".join(f"{key} = {_value(item)}\n" for key, item in entry.items())
    return f"[{header}]\n{lines}"


def _value(value: object) -> str:
    """Return a value as TOML, which spells these as JSON does, but for DEL."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _pattern(name: str) -> str:
    """Return a pattern of a key, bare or quoted."""
    bare = re.escape(name)
    return rf"(?:{bare}|\"{bare}\"|'{bare}')"


def _prove(text: str, wanted: Mapping[str, Any], keys: Sequence[str]) -> str:
    """Return the text if it says what is wanted; raise ConfigNotEditable otherwise."""
    try:
        found = parse(text)
    except ConfigNotEditable:
        found = None
    if found is None or _prune(found, keys) != _prune(wanted, keys):
        reason = "it is laid out in a way that cannot be edited safely"
        raise ConfigNotEditable(reason, "change it by hand", by_hand=True)
    return text


def _prune(values: Mapping[str, Any], keys: Sequence[str]) -> dict[str, Any]:
    """Return a copy without empty tables on a way: a text need not name those."""
    pruned = dict(values)
    if keys and isinstance(pruned.get(keys[0]), dict):
        inner = _prune(pruned.pop(keys[0]), keys[1:])
        if inner:
            pruned[keys[0]] = inner
    return pruned
