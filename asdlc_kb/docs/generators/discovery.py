"""Discovery of a tree's generator by its configuration files."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, TypeAlias

from asdlc_kb.docs.generators.books import read_docsify, read_gitbook, read_mdbook
from asdlc_kb.docs.generators.configuration import TreeConfiguration
from asdlc_kb.docs.generators.configuration_files import (
    ConfigurationFiles,
    ConfigurationUnusable,
)
from asdlc_kb.docs.generators.docfx import PUBLISHED, read_docfx
from asdlc_kb.docs.generators.docusaurus import read_docusaurus
from asdlc_kb.docs.generators.hugo import FORMATS, read_hugo
from asdlc_kb.docs.generators.ignored_files import NOT_DOCUMENTATION, list_ignored
from asdlc_kb.docs.generators.jekyll import read_jekyll
from asdlc_kb.docs.generators.mintlify import read_mintlify
from asdlc_kb.docs.generators.mkdocs import read_mkdocs
from asdlc_kb.docs.generators.narrowing import narrow
from asdlc_kb.docs.generators.nextjs import read_nextjs
from asdlc_kb.docs.generators.obsidian import read_obsidian
from asdlc_kb.docs.generators.recognized_editions import recognize_editions
from asdlc_kb.docs.generators.sphinx import (
    read_jupyter_book,
    read_mystmd,
    read_sphinx,
)
from asdlc_kb.docs.generators.starlight import read_starlight
from asdlc_kb.docs.generators.vitepress import read_vitepress, read_vuepress
from asdlc_kb.files.problem import Problem

FAULT: Final = "KB034"
"""The code of a configuration that cannot be used."""

_EVERYTHING: Final = ("*",)

MAX_LEVELS_ABOVE: Final = 4
"""Folders above the given one that are searched for a configuration."""

ReadConfiguration: TypeAlias = Callable[
    [Path, ConfigurationFiles], TreeConfiguration | None
]


@dataclass(frozen=True, slots=True)
class Generator:
    """A generator of websites: how its configuration is found and read."""

    read: ReadConfiguration
    names: tuple[str, ...]
    """Files or folders that mark its folder, the best first."""


_SCRIPTS: Final = ("ts", "mts", "js", "mjs", "cjs")

GENERATORS: Final = (
    Generator(
        read_mkdocs,
        (
            *("properdocs.yml", "properdocs.yaml"),
            *("mkdocs.yml", "mkdocs.yaml", "zensical.toml"),
        ),
    ),
    Generator(
        read_docusaurus,
        tuple(f"docusaurus.config.{suffix}" for suffix in _SCRIPTS),
    ),
    Generator(
        read_starlight,
        tuple(f"astro.config.{suffix}" for suffix in _SCRIPTS),
    ),
    *(
        Generator(
            read,
            tuple(
                f"{folder}/{name}.{suffix}"
                for name in ("config", "config/index")
                for suffix in _SCRIPTS
            ),
        )
        for read, folder in (
            (read_vitepress, ".vitepress"),
            (read_vuepress, ".vuepress"),
        )
    ),
    Generator(
        read_hugo,
        tuple(
            f"{place}.{suffix}"
            for place in (
                *("hugo", "config/_default/hugo"),
                *("config", "config/_default/config"),
            )
            for suffix in FORMATS
        ),
    ),
    Generator(read_mdbook, ("book.toml",)),
    Generator(read_mintlify, ("docs.json", "mint.json")),
    Generator(read_gitbook, (".gitbook.yaml", ".gitbook.yml")),
    Generator(read_docfx, ("docfx.json", PUBLISHED)),
    Generator(read_mystmd, ("myst.yml",)),
    Generator(read_jupyter_book, ("_toc.yml",)),
    Generator(read_sphinx, ("conf.py",)),
    Generator(read_nextjs, tuple(f"next.config.{suffix}" for suffix in _SCRIPTS)),
    Generator(read_jekyll, ("_config.yml", "_config.yaml")),
)

MARKED_TREES: Final = (
    Generator(read_docsify, ("_sidebar.md",)),
    Generator(read_gitbook, ("SUMMARY.md", "LANGS.md")),
    Generator(read_obsidian, (".obsidian/app.json", ".obsidian")),
)
"""Generators that count only for the folder with the file."""

_COMMON: Final = "config."
"""Beginning of names that many programs use: without pages, a file is not Hugo's."""

_PLACES: Final = (
    *("docs", "doc", "documentation", "website", "site", "www", "guide", "book"),
    *("docs/en", "docs/website", "docs/site", "docs/book", "packages/docs"),
    *("apps/docs", "docs/docs", "docs/source", "doc/source"),
)
"""Folders of a repository that are searched for a configuration, the likeliest
first."""


def read_configuration(folder: Path) -> TreeConfiguration:
    """Return the configuration of a folder's generator; never fails.

    One that cannot be read leaves out all pages and has a `fault`.

    It is looked for in the folder, in the folders above it up to the repository and in
    the folders of the repository that documentation is usually in, where it counts if
    its pages are those in the folder. Without one, the folder is the root.
    """
    folder = Path(os.path.abspath(folder))
    above = list(_list_above(folder))
    files = ConfigurationFiles(above[-1], folder)
    try:
        found = _find_configuration(folder, above, files)
        configuration = found or TreeConfiguration(root=folder)
        configuration = replace(
            configuration,
            editions=recognize_editions(
                configuration.root, configuration.editions, files
            ),
        )
    except ConfigurationUnusable as error:
        configuration = _hide_pages(folder, error.path, str(error))
    except RecursionError:
        configuration = _hide_pages(folder, folder, "its files are nested too deep")
    except OSError as error:
        path = Path(error.filename or folder)
        configuration = _hide_pages(folder, path, f"not read: {error.strerror}")
    if _is_repository(above[-1]):
        configuration = replace(
            configuration,
            repository=above[-1],
            ignored=list_ignored(above[-1], files),
        )
    if _is_repository(folder):
        configuration = _leave_out_ignored(configuration)
    return replace(
        configuration,
        files=tuple(
            dict.fromkeys((*configuration.files, *files.files, *files.unusable))
        ),
        include_folders=tuple(
            each
            for each in configuration.include_folders
            if each.is_dir() and files.is_below(each)
        ),
        include_mounts=tuple(
            (name, each)
            for name, each in configuration.include_mounts
            if files.is_below(each)
        ),
        notes=tuple(files.notes),
    )


def _hide_pages(folder: Path, path: Path, reason: str) -> TreeConfiguration:
    """Return the configuration of a tree whose own cannot be used."""
    fault = report_fault(folder, path, f"{reason}: correct it")
    return TreeConfiguration(root=folder, excluded=_EVERYTHING, fault=fault)


def report_fault(folder: Path, path: Path | str, message: str) -> Problem:
    """Return the problem of a configuration file that cannot be used."""
    return Problem(os.path.relpath(path, folder), 1, 1, FAULT, message)


def _list_above(folder: Path) -> Iterator[Path]:
    """Yield the folder and those above it, up to the repository."""
    for each in (folder, *folder.parents[:MAX_LEVELS_ABOVE]):
        yield each
        if _is_repository(each):
            return


def _is_repository(folder: Path) -> bool:
    return os.path.lexists(folder / ".git")


def _find_configuration(
    folder: Path, above: Sequence[Path], files: ConfigurationFiles
) -> TreeConfiguration | None:
    for place in above:
        for configuration in _read_place(place, GENERATORS, files):
            if (found := narrow(configuration, folder)) is not None:
                return found
    places = [folder]
    if _is_repository(folder):
        places += (folder / name for name in _PLACES)
    for place in places:
        for configuration in _read_place(place, (*GENERATORS, *MARKED_TREES), files):
            # Pages above the folder are never served.
            return narrow(configuration, folder) or configuration
    return _find_project(folder, above[-1], files)


def _find_project(
    folder: Path, top: Path, files: ConfigurationFiles
) -> TreeConfiguration | None:
    """Return the configuration in another folder of the repository for these pages.

    As in `website`, for the pages in `docs`.
    """
    if not _is_repository(top) or top == folder:
        return None
    for name in _PLACES:
        # Only what is used leaves notes.
        own = ConfigurationFiles(top, folder)
        with suppress(ConfigurationUnusable):  # It is hardly that of these pages.
            for configuration in _read_place(top / name, GENERATORS, own):
                if configuration.root in (folder, *folder.parents):
                    files.files += own.files
                    files.notes += own.notes
                    return narrow(configuration, folder)
    return None


def _read_place(
    place: Path, generators: Iterable[Generator], files: ConfigurationFiles
) -> Iterator[TreeConfiguration]:
    """Yield the configurations in a folder, those of the first generator first."""
    is_possible = _make_check(place)
    for generator in generators:
        possible = filter(is_possible, generator.names)
        name = next((n for n in possible if (place / n).exists()), None)
        if name is None:
            continue
        configuration = generator.read(place / name, files)
        if configuration is not None or not name.startswith(_COMMON):
            files.require(place / name)
        if configuration is None:
            continue
        root = Path(os.path.abspath(configuration.root))
        if root.is_dir() and files.is_below(root):
            yield replace(
                configuration,
                root=root,
                files=(place / name,),
            )
        else:
            files.note(root, "there is no such folder")


def _make_check(place: Path) -> Callable[[str], bool]:
    """Return a check of whether a folder may have a path; it looks there only once.

    A folder that cannot be listed may have any.
    """
    try:
        entries = {name.casefold() for name in os.listdir(place)}
    except (FileNotFoundError, NotADirectoryError):
        entries = set()
    except OSError:
        return lambda path: True
    return lambda path: path.split("/")[0].casefold() in entries


def _leave_out_ignored(configuration: TreeConfiguration) -> TreeConfiguration:
    """Return a configuration that also leaves out what the repository ignores.

    Without a generator, folders that are no documentation are left out too, unless the
    patterns of git take them back.
    """
    configuration = replace(configuration, leaves_out_ignored=True)
    if configuration.generator:
        return configuration
    patterns = (*NOT_DOCUMENTATION, *configuration.ignored, *configuration.excluded)
    return replace(configuration, excluded=patterns)
