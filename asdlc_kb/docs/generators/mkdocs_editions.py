"""Reader of the languages of MkDocs; versions of mike are branches, not folders."""

import os
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple

from asdlc_kb.docs.edition import EditionRules
from asdlc_kb.docs.generators.configuration_files import ConfigurationFiles
from asdlc_kb.docs.generators.data import (
    find_part,
    is_true,
    to_fields,
    to_items,
    to_text,
)
from asdlc_kb.docs.generators.edition_builder import EditionBuilder, is_plain_name
from asdlc_kb.docs.generators.javascript import Data
from asdlc_kb.docs.generators.language_tags import read_folder_language
from asdlc_kb.files.tree_names import PAGE_SUFFIXES

MAX_SIBLINGS: Final = 500
"""Entries of the folder that are searched for the projects of other languages."""


class Translations(NamedTuple):
    """The options of the plugin mkdocs-static-i18n."""

    default: str
    """The default locale; empty without the plugin."""
    built: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    """Locales that are not published."""
    has_folders: bool = False
    """Whether a locale is a folder; otherwise it is the end of a file's name."""


def read_translations(fields: Mapping[str, Data]) -> Translations:
    """Return the options of the plugin; its older forms are read too."""
    plugin = _find_plugin(fields)
    default = to_text(plugin.get("default_language"))
    built: list[str] = []
    left_out: list[str] = []
    for locale, options in _list_locales(plugin.get("languages")):
        if not is_plain_name(locale):
            continue
        if is_true(options.get("default")):
            default = default or locale
        is_built = "build" not in options or is_true(options.get("build"))
        (built if is_built or locale == default else left_out).append(locale)
    has_folders = to_text(plugin.get("docs_structure")) == "folder"
    return Translations(default, tuple(built), tuple(left_out), has_folders)


def read_editions(
    path: Path,
    root: Path,
    fields: Mapping[str, Data],
    translations: Translations,
    files: ConfigurationFiles,
) -> EditionRules:
    """Return the languages: of the plugin, or else of the projects next to this one.

    The theme states the language of a site with one.
    """
    builder = EditionBuilder(root, path, files)
    for locale in translations.built:
        tag = builder.read_language(locale)
        if translations.has_folders:
            builder.add_language(locale, tag)
        else:
            builder.add_suffix(locale, tag)
    language = builder.read_language(translations.default)
    if not translations.built:
        theme = fields.get("theme")
        stated = (to_text(find_part(theme, key)) for key in ("language", "locale"))
        language = builder.read_language(*stated)
        if own := _add_siblings(builder, path, root, fields, files):
            language = language or own
    return builder.build(language=language)


def list_excluded(translations: Translations) -> Iterator[str]:
    """Yield the patterns of the pages in languages that are not published."""
    for locale in translations.left_out:
        if translations.has_folders:
            yield f"/{locale}/"
        else:
            yield from (f"*.{locale}{suffix}" for suffix in PAGE_SUFFIXES)


def _find_plugin(fields: Mapping[str, Data]) -> Mapping[str, Data]:
    plugins = fields.get("plugins")
    if isinstance(plugins, dict):
        return to_fields(plugins.get("i18n"))
    found = [to_fields(find_part(item, "i18n")) for item in to_items(plugins)]
    return next((options for options in found if options), {})


def _list_locales(languages: Data) -> Iterator[tuple[str, Mapping[str, Data]]]:
    """Yield each locale with its options; older releases map it to its name."""
    if isinstance(languages, dict):
        for locale, stated in languages.items():
            yield locale, to_fields(stated)
    else:
        for item in to_items(languages):
            options = to_fields(item)
            yield to_text(options.get("locale")), options


def _add_siblings(
    builder: EditionBuilder,
    path: Path,
    root: Path,
    fields: Mapping[str, Data],
    files: ConfigurationFiles,
) -> str:
    """Add the projects in folders that are named after other languages.

    One belongs to the site if it has a configuration too, or if this one links to it
    as an alternate. Returns the language of this project's folder, empty if it is none.
    """
    own = path.parent
    language = read_folder_language(own.name)
    if not language or own not in root.parents:
        return ""
    pages = root.relative_to(own)
    alternates = {*_list_alternates(fields)}
    with os.scandir(own.parent) as entries:
        siblings = islice(entries, MAX_SIBLINGS)
        names = sorted(each.name for each in siblings if os.path.isdir(each))
    for name in names:
        tag, folder = read_folder_language(name), own.parent / name
        if not tag or folder == own:
            continue
        if name in alternates or files.find(folder, path.name) is not None:
            builder.add_folder(folder / pages, name, language=tag)
    return language


def _list_alternates(fields: Mapping[str, Data]) -> Iterator[str]:
    """Yield the last parts of the addresses of the site in other languages."""
    for item in to_items(find_part(fields.get("extra"), "alternate")):
        yield to_text(find_part(item, "link")).rstrip("/").rpartition("/")[2]
