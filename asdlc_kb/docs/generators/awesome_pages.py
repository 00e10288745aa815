"""Reader of the `.pages` files of awesome-pages and the `.nav.yml` of awesome-nav."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from asdlc_kb.docs.generators.configuration import BELOW
from asdlc_kb.docs.generators.configuration_files import ConfigurationFiles
from asdlc_kb.docs.generators.data import is_true, to_fields, to_items, to_text
from asdlc_kb.docs.generators.javascript import Data
from asdlc_kb.docs.generators.menus import MAX_LEVELS
from asdlc_kb.markup.nested_lists import MenuItem

_NAMES: Final = (".pages", ".nav.yml")
_REST: Final = frozenset({"...", "*", "**"})


def read_pages_files(root: Path, files: ConfigurationFiles) -> tuple[MenuItem, ...]:
    """Return the navigation of a tree with such files; empty without one in it."""
    if files.find(root, *_NAMES) is None:
        return ()
    return tuple(_read_folder(root, "", files, 1))


def _read_folder(
    root: Path, folder: str, files: ConfigurationFiles, level: int
) -> Iterator[MenuItem]:
    """Yield the entries of a folder, relative to the root."""
    path = files.find(root / folder, *_NAMES) if level <= MAX_LEVELS else None
    fields = to_fields(files.read_yaml(path)) if path is not None else {}
    listed = to_items(fields.get("nav") or fields.get("arrange"))
    rest = MenuItem("", f"{folder}{BELOW}")
    if not listed:
        yield rest
    for item in listed:
        yield from _read_item(root, folder, item, files, level)
    if "arrange" in fields and "..." not in listed:
        yield rest


def _read_item(
    root: Path, folder: str, item: Data, files: ConfigurationFiles, level: int
) -> Iterator[MenuItem]:
    title = ""
    if isinstance(item, dict) and item:
        title, item = next(iter(item.items()))
    if isinstance(item, list):
        if level < MAX_LEVELS:
            below = (
                entry
                for each in item
                for entry in _read_item(root, folder, each, files, level + 1)
            )
            yield MenuItem(to_text(title), "", tuple(below))
        return
    name = item.partition("|")[0].strip() if isinstance(item, str) else ""
    if not name:
        return
    if name in _REST:
        yield MenuItem("", f"{folder}{BELOW}")
        return
    where = f"{folder}/{name.strip('/')}" if folder else name.strip("/")
    if "://" in name:
        yield MenuItem(to_text(title), name)
    elif (root / where).is_dir():
        yield from _read_section(root, where, to_text(title), files, level)
    else:
        yield MenuItem(to_text(title), where)


def _read_section(
    root: Path, folder: str, title: str, files: ConfigurationFiles, level: int
) -> Iterator[MenuItem]:
    """Yield the section of a folder, which its own file may title or hide."""
    path = files.find(root / folder, *_NAMES)
    fields = to_fields(files.read_yaml(path)) if path is not None else {}
    if is_true(fields.get("hide")):
        return
    below = tuple(_read_folder(root, folder, files, level + 1))
    yield MenuItem(title or to_text(fields.get("title")), f"{folder}/", below)
