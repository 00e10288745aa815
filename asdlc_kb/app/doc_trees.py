"""The documentation trees that the settings name, as one collection (D-162).

Loaded only if documentation is served.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from asdlc_kb.app.cache_folder import locate_parsed_cache
from asdlc_kb.docs.catalogs.catalog import ROOT
from asdlc_kb.docs.catalogs.collection_catalog import Mount
from asdlc_kb.docs.collection import DocCollection, DocTree
from asdlc_kb.docs.edition import EditionFolder
from asdlc_kb.docs.generators import (
    TreeConfiguration,
    read_configuration,
    view_edition,
)
from asdlc_kb.docs.library import DocLibrary
from asdlc_kb.exceptions import SettingsError
from asdlc_kb.files.cache_options import CacheOptions, MirrorLock
from asdlc_kb.settings import Settings
from asdlc_kb.settings_patterns import NamedValue, read_named

RESERVED_NAMES: Final = frozenset({ROOT, "index.md", "llms.txt"})
"""Names that no tree has: of the category of pages in no folder, and of what stands
beside the folders of the trees on the website; in lower case."""


def open_trees(
    settings: Settings,
    given: Sequence[str],
    find_lock: Callable[[str], MirrorLock | None] = lambda name: None,
) -> DocCollection:
    """Return the libraries of the trees in `given`, not loaded.

    `find_lock` returns the lock of a tree that is a mirror, by the tree's name.
    Raises SettingsError for what is no name, for two trees with one name or address,
    and for a dialect or a language of a tree that is not served.
    """
    trees = [read_named(text) for text in given]
    _require_names(trees)
    _require_distinct(trees)
    dialects = _read_by_name("dialect", settings.dialect, trees)
    languages = _read_by_name("language", settings.language, trees)
    opened = [
        part
        for tree in trees
        for part in _open_tree(
            settings,
            tree,
            dialects.get(tree.name),
            languages.get(tree.name, ""),
            find_lock(tree.name),
        )
    ]
    _require_free_addresses(opened)
    return DocCollection(opened)


def read_stated(settings: Settings, name: str) -> Mapping[str, str]:
    """Return the dialect and the language that are stated for an opened tree."""
    trees = [read_named(text) for text in settings.docs] or [NamedValue("", "")]
    dialects = _read_by_name("dialect", settings.dialect, trees)
    languages = _read_by_name("language", settings.language, trees)
    stated = {"dialect": dialects.get(name, ""), "language": languages.get(name, "")}
    return {setting: value for setting, value in stated.items() if value}


def _open_tree(
    settings: Settings,
    tree: NamedValue,
    dialect: str | None,
    language: str,
    mirror: MirrorLock | None,
) -> Iterator[DocTree]:
    """Yield the tree at a folder, and those of its editions outside of its root."""
    folder = Path(tree.value)
    rules = (dialect or "", language)

    def options(prefix: str) -> CacheOptions:
        place = str(folder.absolute())
        return CacheOptions(
            missing_grace=settings.missing_grace,
            max_files=settings.max_files,
            uses_kernel_state=not settings.poll,
            mirror=mirror,
            parsed_cache_path=locate_parsed_cache(
                settings, "docs", place, prefix, *rules
            ),
        )

    library = DocLibrary(
        configure=partial(read_configuration, folder),
        dialect=dialect,
        language=language,
        **options(""),
    )
    prefix = f"{tree.name}/" if tree.name else ""
    yield DocTree(Mount(prefix, tree.name), library, folder)
    whole = library.configuration
    for edition in whole.editions.folders:
        configure = partial(_read_edition, folder, edition, iter((whole,)))
        mount = Mount(f"{prefix}{edition.prefix}/", tree.name)
        part = DocLibrary(
            configure=configure, dialect=dialect, **options(edition.prefix)
        )
        yield DocTree(mount, part, folder)


def _read_edition(
    folder: Path, edition: EditionFolder, known: Iterator[TreeConfiguration]
) -> TreeConfiguration:
    """Return the configuration of a tree as that of a folder with one edition.

    What is known was read just now: a tree with fifty editions is read once at a start.
    """
    configuration = next(known, None) or read_configuration(folder)
    folders = {each.prefix: each for each in configuration.editions.folders}
    return view_edition(configuration, folders.get(edition.prefix, edition))


def _require_names(trees: Sequence[NamedValue]) -> None:
    for name, value in trees:
        if name.casefold() in RESERVED_NAMES:
            raise SettingsError(
                f"--docs {name}={value}: '{name}' is the name of something else in "
                "lists or on the website: choose another name"
            )
        lead, sign, _ = value.partition("=")
        is_named = sign and not name and "/" not in lead
        if is_named and not os.path.isdir(value):
            raise SettingsError(
                f"--docs {value}: this is not NAME=DIR: a name has up to 64 letters, "
                "digits, '.', '-' and '_', and begins with a letter or digit; a folder "
                f"of that name is written './{value}'"
            )


def _require_distinct(trees: Sequence[NamedValue]) -> None:
    names: set[str] = set()
    for tree in trees:
        if (name := tree.name.casefold()) in names:
            raise SettingsError(
                f"two documentation trees are named '{tree.name}': name each by "
                "'--docs NAME=DIR'"
                if tree.name
                else "two documentation trees have no name: name all of them but one, "
                "as in '--docs api=path/to/docs'"
            )
        names.add(name)


def _read_by_name(
    setting: str, given: Sequence[str], trees: Sequence[NamedValue]
) -> dict[str, str]:
    """Return the values of a setting by the names of the trees.

    A value without a name is that of the unnamed tree, or of the only one.
    """
    names = [tree.name for tree in trees]
    values = {}
    for each in map(read_named, given):
        name = names[0] if not each.name and len(names) == 1 else each.name
        if name not in names:
            known = ", ".join(f"'{each}'" for each in names if each) or "none has one"
            what = f"'{name}'" if name else "without a name"
            raise SettingsError(
                f"--{setting} {each.value}: no documentation tree is {what}; the names "
                f"are: {known}"
            )
        values[name] = each.value
    return values


def _require_free_addresses(trees: Sequence[DocTree]) -> None:
    """Raise SettingsError for a name that is also a folder of another tree."""
    for tree in trees:
        for other in trees:
            prefix = other.mount.prefix
            below = prefix.removeprefix(tree.mount.prefix).rstrip("/")
            if other is tree or not prefix.startswith(tree.mount.prefix):
                continue
            if _is_taken(tree.library.root / below):
                raise SettingsError(
                    f"--docs {below}={other.library.root}: {tree.library.root} has a "
                    f"folder '{below}', whose pages would have the same addresses: "
                    "choose another name"
                )


def _is_taken(path: Path) -> bool:
    """Whether a file or folder has a path, in any case: addresses have no case."""
    try:
        names = os.listdir(path.parent)
    except OSError:
        return False
    return path.name.casefold() in map(str.casefold, names)
