"""Reader of the versions and languages in the navigation of Mintlify.

The navigation lists the pages of each; their common folder is the edition's.
"""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from asdlc_kb.docs.edition import EditionRules
from asdlc_kb.docs.generators.configuration_files import ConfigurationFiles
from asdlc_kb.docs.generators.data import is_true, to_fields, to_items, to_text
from asdlc_kb.docs.generators.edition_builder import EditionBuilder
from asdlc_kb.docs.generators.javascript import Data

MAX_LEVELS: Final = 8
"""Levels of the navigation that are searched for versions and languages."""

PARTS: Final = (
    *("languages", "versions", "products", "dropdowns", "tabs", "anchors"),
    *("groups", "pages", "menu"),
)
"""Fields of an entry that list entries below it."""


def list_below(fields: Mapping[str, Data]) -> Iterator[Data]:
    """Yield the entries below one."""
    return (item for part in PARTS for item in to_items(fields.get(part)))


def read_editions(
    path: Path, navigation: Data, files: ConfigurationFiles
) -> EditionRules:
    """Return the versions and languages by folder."""
    reader = _EditionReader(path, files)
    reader.read(to_fields(navigation), 1)
    return reader.build()


class _EditionReader:
    def __init__(self, path: Path, files: ConfigurationFiles) -> None:
        self._path = path
        self._files = files
        self._builder = EditionBuilder(path.parent, path, files)
        self._roots: dict[str, str] = {}
        self._defaults: dict[str, str] = {}

    def read(self, fields: Mapping[str, Data], level: int) -> None:
        """Read the editions that an entry lists, and those below it."""
        for part in ("languages", "versions"):
            self._read_part(fields, part)
        for item in list_below(fields) if level < MAX_LEVELS else ():
            if below := to_fields(item):
                self.read(below, level + 1)

    def build(self) -> EditionRules:
        """Return the editions that were read."""
        version = self._defaults.get("versions", "")
        language = self._defaults.get("languages", "")
        return self._builder.build(
            version=self._roots.get("versions", version),
            language=self._roots.get("languages", language),
            default_version=version,
            default_language=language,
        )

    def _read_part(self, fields: Mapping[str, Data], part: str) -> None:
        entries = [to_fields(item) for item in to_items(fields.get(part))]
        folders = [_find_folder(entry) for entry in entries]
        for number, entry in enumerate(entries):
            stated = to_text(entry.get(part.removesuffix("s")))
            name = (
                self._builder.read_version(stated)
                if part == "versions"
                else self._builder.read_language(stated)
            )
            if not name:
                continue
            is_first = part not in self._defaults and not number
            if is_first or (is_true(entry.get("default")) and len(entries) > 1):
                self._defaults[part] = name
            others = folders[:number] + folders[number + 1 :]
            self._add(part, name, _shorten(folders[number], others))

    def _add(self, part: str, name: str, folder: str) -> None:
        if part == "versions":
            self._builder.add_version(folder, name)
        else:
            self._builder.add_language(folder, name)
        if not folder and self._roots.setdefault(part, name) != name:
            reason = f"the pages of {self._roots[part]} and {name} are in one folder"
            self._files.note(self._path, reason)


def _find_folder(entry: Mapping[str, Data]) -> str:
    """Return the folder of all pages of an entry; empty for the root."""
    pages = [f"/{page.strip('/')}" for page in _list_pages(entry, 1)]
    folders = [page.rpartition("/")[0] or "/" for page in pages]
    return os.path.commonpath(folders).strip("/") if folders else ""


def _list_pages(entry: Mapping[str, Data], level: int) -> Iterator[str]:
    for item in list_below(entry):
        if isinstance(item, str):
            yield item
        elif level < MAX_LEVELS:
            yield from _list_pages(to_fields(item), level + 1)


def _shorten(folder: str, others: list[str]) -> str:
    """Return the outermost folder that has the pages of no other edition."""
    segments = folder.split("/")
    for number in range(1, len(segments)):
        lead = "/".join(segments[:number])
        if not any(f"{other}/".startswith(f"{lead}/") for other in others):
            return lead
    return folder
