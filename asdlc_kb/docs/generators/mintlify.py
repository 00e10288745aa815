"""Reader of the configuration of Mintlify."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from asdlc_kb.docs.generators.configuration import TreeConfiguration
from asdlc_kb.docs.generators.configuration_files import ConfigurationFiles
from asdlc_kb.docs.generators.data import to_fields, to_text
from asdlc_kb.docs.generators.javascript import Data
from asdlc_kb.docs.generators.menus import Entry, build_menu
from asdlc_kb.docs.generators.mintlify_editions import list_below, read_editions

_TITLES: Final = (
    *("group", "tab", "anchor", "dropdown", "product", "version", "language"),
    *("item", "title", "name"),
)

_REFERENCE: Final = "$ref"
"""The field of an object that stands for what another file has."""
_MAX_REFERENCES: Final = 64
"""References of a configuration, those in files that are named included."""
_MAX_LEVELS: Final = 32
"""Levels of data in which references are read."""
_IGNORED: Final = ("README", "LICENSE", "CHANGELOG", "CONTRIBUTING")
"""Files next to the configuration that are no pages, unless `.mintignore` takes them
back. In folders below, and as folders, these and others such as `build` are pages."""


def read_mintlify(path: Path, files: ConfigurationFiles) -> TreeConfiguration | None:
    """Return the configuration in `docs.json` or `mint.json`; None for another file."""
    fields = to_fields(files.read_json(path))
    navigation = _References(path, files).resolve(fields.get("navigation"), path, 1)
    if not isinstance(navigation, list | dict):
        return None
    items = navigation if isinstance(navigation, list) else list(list_below(navigation))
    return TreeConfiguration(
        generator="mintlify",
        root=path.parent,
        dialect="mintlify",
        title=to_text(fields.get("name")),
        navigation=build_menu(items, _read_entry).items,
        editions=read_editions(path, navigation, files),
        excluded=(
            *("/snippets/", *(f"/{name}.md" for name in _IGNORED)),
            *_read_ignored(path.parent, files),
        ),
    )


class _References:
    """Puts what other files have in place of the references to them.

    As with Mintlify, the files are in the folder of the configuration or below it.
    """

    def __init__(self, path: Path, files: ConfigurationFiles) -> None:
        self._path = path
        self._files = files
        self._remaining = _MAX_REFERENCES

    def resolve(self, value: Data, path: Path, level: int) -> Data:
        """Return data of a file; the paths in it are relative to that file."""
        if level > _MAX_LEVELS:
            return None
        if isinstance(value, list):
            return [self.resolve(each, path, level + 1) for each in value]
        if not isinstance(value, dict):
            return value
        written = {
            key: self.resolve(each, path, level + 1)
            for key, each in value.items()
            if key != _REFERENCE
        }
        if not (name := to_text(value.get(_REFERENCE))) or not self._remaining:
            return written
        self._remaining -= 1
        target = Path(os.path.normpath(path.parent / name))
        if not target.is_relative_to(self._path.parent):
            self._files.note(self._path, f"{name} is outside of the folder: not read")
            return written
        found = self.resolve(self._files.read_json(target), target, level + 1)
        return {**found, **written} if isinstance(found, dict) else found


def _read_ignored(folder: Path, files: ConfigurationFiles) -> Iterator[str]:
    """Yield the patterns of `.mintignore`, which are those of git."""
    if (path := files.find(folder, ".mintignore")) is not None:
        text = files.read_text(path)
        files.require(path)
        yield from filter(str.strip, (text or "").splitlines())


def _read_entry(item: Data) -> Entry | None:
    if isinstance(item, str):
        return Entry(href=item)
    fields = to_fields(item)
    if not fields:
        return None
    title = next((text for key in _TITLES if (text := to_text(fields.get(key)))), "")
    below = list(list_below(fields))
    return Entry(title, to_text(fields.get("root") or fields.get("href")), below)
