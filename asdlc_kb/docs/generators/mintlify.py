"""Reader of the configuration of Mintlify."""

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


def read_mintlify(path: Path, files: ConfigurationFiles) -> TreeConfiguration | None:
    """Return the configuration in `docs.json` or `mint.json`; None for another file."""
    fields = to_fields(files.read_json(path))
    navigation = fields.get("navigation")
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
        excluded=("/snippets/", *_read_ignored(path.parent, files)),
    )


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
