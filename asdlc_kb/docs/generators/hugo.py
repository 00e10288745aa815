"""Reader of the configuration of Hugo."""

import os
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path, PurePath
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from asdlc_kb.docs.edition import EditionRules
from asdlc_kb.docs.generators.configuration import FolderLabel, TreeConfiguration
from asdlc_kb.docs.generators.configuration_files import ConfigurationFiles
from asdlc_kb.docs.generators.data import (
    find_part,
    is_true,
    to_fields,
    to_items,
    to_number,
    to_text,
    to_texts,
)
from asdlc_kb.docs.generators.edition_builder import EditionBuilder, is_plain_name
from asdlc_kb.docs.generators.javascript import Data
from asdlc_kb.docs.generators.path_expressions import PathExpression
from asdlc_kb.docs.generators.stated_patterns import (
    list_texts,
    read_expressions,
    read_hugo_globs,
)
from asdlc_kb.files.tree_names import PAGE_SUFFIXES

FORMATS: Final = ("toml", "yaml", "yml", "json")


_CONTENT: Final = "content"
_BELOW: Final = f"{_CONTENT}/"

MAX_NAMED_MOUNTS: Final = 5
"""Mounts that a note names."""

_CODES: Final = ("locale", "languageCode")
"""Fields with the tag of a language, the newer one first."""

_INDEX: Final = "_index.md"
_EXCLUDING: Final = frozenset({"module", "languages", "cascade"})
"""Parts that may leave out pages."""

_NOT: Final = "! "
"""What a pattern begins with that takes files out of a mount."""

_PARTS: Final = ("module", "languages", "menus", "menu", "params", "cascade")
"""Fields that may have a file of their own in the folder of the configuration."""


class _Mount(NamedTuple):
    """A file or folder that is mounted in a folder of the site."""

    source: str
    target: str
    languages: tuple[str, ...]
    """Names or patterns; empty if not stated."""
    fields: Mapping[str, Data]

    def is_in(self, language: str) -> bool:
        """Whether a language is named, or matches a pattern."""
        return any(fnmatchcase(language, each) for each in self.languages)


def read_hugo(path: Path, files: ConfigurationFiles) -> TreeConfiguration | None:
    """Return the configuration in `hugo.toml`, or in the folder `config/_default`."""
    fields = dict(to_fields(files.read_any(path)))
    folder = path.parent
    if folder.name == "_default":
        fields |= _read_parts(folder, files)
        folder = folder.parent.parent
    language = to_text(find_field(fields, "defaultContentLanguage")) or "en"
    root = folder / _find_content_folder(folder, fields, language)
    if not root.is_dir():
        return None
    mounts = tuple(_list_mounts_below(fields))
    if mounts:
        names = ", ".join(mount.target for mount in mounts[:MAX_NAMED_MOUNTS])
        files.note(path, f"not served as pages: what is mounted at {names}")
    site_url = to_text(find_field(fields, "baseURL"))
    is_prefixed = is_true(find_field(fields, "defaultContentLanguageInSubdir"))
    return TreeConfiguration(
        generator="hugo",
        root=root,
        dialect="hugo",
        title=to_text(find_field(fields, "title")),
        site_url=site_url,
        prefixes=tuple(_list_prefixes(site_url, language if is_prefixed else "")),
        folders=dict(_read_menus(fields)),
        include_mounts=tuple(
            (mount.target.removeprefix(_BELOW), folder / mount.source)
            for mount in mounts
        ),
        editions=_read_editions(path, folder, root, fields, files),
        excluded=(
            *_list_excluded(folder, root, fields, language),
            *_read_exclusions(path, folder, root, fields),
        ),
        cascades=tuple(_list_cascades(fields)),
    )


def find_field(fields: Mapping[str, Data], name: str) -> Data:
    """Return a field: Hugo's names are case-insensitive."""
    folded = name.casefold()
    found = (value for key, value in fields.items() if key.casefold() == folded)
    return next(found, None)


def _read_parts(folder: Path, files: ConfigurationFiles) -> Iterator[tuple[str, Data]]:
    for part in _PARTS:
        names = [f"{part}.{suffix}" for suffix in FORMATS]
        if (path := files.find(folder, *names)) is not None:
            yield part, files.read_any(path)
            if part in _EXCLUDING:
                files.require(path)


def _find_content_folder(
    folder: Path, fields: Mapping[str, Data], language: str
) -> str:
    """Return the folder of a language's content.

    A program may write the mounts of folders that are named after languages.
    """
    languages = to_fields(find_field(fields, "languages"))
    own = to_fields(languages.get(language))
    stated = to_text(find_field(own, "contentDir"))
    mounted = [mount for mount in _read_mounts(fields) if mount.target == _CONTENT]
    own_mounts = (mount for mount in mounted if mount.is_in(language))
    others = (mount for mount in mounted if not mount.languages)
    source = next((mount.source for mount in (*own_mounts, *others)), "")
    if stated or source:
        return stated or source
    common = to_text(find_field(fields, "contentDir")) or _CONTENT
    is_divided = language in languages and not (folder / common / _INDEX).exists()
    named = f"{common}/{language}"
    return named if is_divided and (folder / named / _INDEX).is_file() else common


def _read_mounts(fields: Mapping[str, Data]) -> Iterator[_Mount]:
    module = to_fields(find_field(fields, "module"))
    for mount in map(to_fields, to_items(find_field(module, "mounts"))):
        matrix = find_part(find_field(mount, "sites"), "matrix", "languages")
        languages = to_texts(find_field(mount, "lang")) or to_texts(matrix)
        target = to_text(find_field(mount, "target")).strip("/")
        source = to_text(find_field(mount, "source"))
        yield _Mount(source, target, languages, mount)


def _list_mounts_below(fields: Mapping[str, Data]) -> Iterator[_Mount]:
    """Yield the mounts of folders and pages in the content folder."""
    for mount in _read_mounts(fields):
        suffix = PurePath(mount.target).suffix
        if mount.target.startswith(_BELOW) and suffix in ("", *PAGE_SUFFIXES):
            yield mount


def _read_editions(
    path: Path,
    folder: Path,
    root: Path,
    fields: Mapping[str, Data],
    files: ConfigurationFiles,
) -> EditionRules:
    """Return the languages: by their content folder, else by the names of files."""
    builder = EditionBuilder(root, path, files)
    stated = to_text(find_field(fields, "defaultContentLanguage"))
    default = stated or "en"
    disabled = {*_list_disabled(fields)}
    language = ""
    for key, options in to_fields(find_field(fields, "languages")).items():
        is_default = key.casefold() == default.casefold()
        if key in disabled and not is_default:
            continue
        tag = builder.read_language(_find_code(to_fields(options)), key)
        language = tag if is_default else language
        content = folder / _find_content_folder(folder, fields, key)
        if is_default or content == root:
            builder.add_suffix(key, tag)
        else:
            builder.add_folder(content, key, language=tag)
    code = _find_code(fields)
    return builder.build(language=language or builder.read_language(code, stated))


def _find_code(fields: Mapping[str, Data]) -> str:
    """Return the tag of a language, or of a site."""
    stated = (to_text(find_field(fields, name)) for name in _CODES)
    return next(filter(None, stated), "")


def _list_cascades(fields: Mapping[str, Data]) -> Iterator[Mapping[str, Data]]:
    """Yield the cascades of the site, and those of its languages with their target."""
    yield from _read_cascades(find_field(fields, "cascade"))
    for key, options in to_fields(find_field(fields, "languages")).items():
        for cascade in _read_cascades(find_field(to_fields(options), "cascade")):
            stated = find_field(cascade, "target") or find_field(cascade, "_target")
            yield {**cascade, "target": {**to_fields(stated), "lang": key}}


def _read_cascades(value: Data) -> Iterator[Mapping[str, Data]]:
    parts = value if isinstance(value, list) else [value]
    for part in filter(None, map(to_fields, parts)):
        inner = find_field(part, "cascade")
        if inner is None:
            yield part
        else:
            # A file of its own may repeat the name.
            yield from _read_cascades(inner)


def _list_excluded(
    folder: Path, root: Path, fields: Mapping[str, Data], default: str
) -> Iterator[str]:
    """Yield the patterns of pages in languages that are not published."""
    for name in dict.fromkeys(_list_disabled(fields)):
        if name == default or not is_plain_name(name):
            continue
        content = folder / _find_content_folder(folder, fields, name)
        if root in content.parents:
            yield f"/{content.relative_to(root).as_posix()}/"
        else:
            yield from (f"*.{name}{suffix}" for suffix in PAGE_SUFFIXES)


def _read_exclusions(
    path: Path, folder: Path, root: Path, fields: Mapping[str, Data]
) -> Iterator[PathExpression]:
    """Yield what Hugo ignores, and what no mount of the folder with the pages takes."""
    ignored = find_field(fields, "ignoreFiles")
    lead = f"/{os.path.relpath(root, folder)}/"
    yield from read_expressions(path, "ignoreFiles", ignored, lead=lead)
    mounts = [
        tuple(_read_mount(path, mount.fields))
        for mount in _read_mounts(fields)
        if mount.target == _CONTENT and folder / mount.source == root
    ]
    for each in mounts[0] if mounts else ():
        if all(each in other for other in mounts):
            yield each


def _read_mount(path: Path, mount: Mapping[str, Data]) -> Iterator[PathExpression]:
    """Yield what a mount leaves out; `files` has both, in the order of Hugo."""
    taken = [*list_texts(path, "includeFiles", find_field(mount, "includeFiles"))]
    excluded = [*list_texts(path, "excludeFiles", find_field(mount, "excludeFiles"))]
    for text in list_texts(path, "files", find_field(mount, "files")):
        (excluded if text.startswith(_NOT) else taken).append(text.removeprefix(_NOT))
    yield from read_hugo_globs(path, "module.mounts", taken, excluded)


def _list_disabled(fields: Mapping[str, Data]) -> Iterator[str]:
    """Yield the keys of the languages that are not published."""
    yield from to_texts(find_field(fields, "disableLanguages"))
    for key, options in to_fields(find_field(fields, "languages")).items():
        if is_true(find_field(to_fields(options), "disabled")):
            yield key


def _list_prefixes(site_url: str, language: str) -> Iterator[str]:
    try:
        path = urlsplit(site_url).path.strip("/")
    except ValueError:
        path = ""
    if path:
        yield f"/{path}/"
    if language:
        yield f"/{path}/{language}/" if path else f"/{language}/"


def _read_menus(fields: Mapping[str, Data]) -> Iterator[tuple[str, FolderLabel]]:
    """Yield the folders that a menu names, with the entry's position."""
    menus = to_fields(find_field(fields, "menus") or find_field(fields, "menu"))
    for menu in menus.values():
        for item in to_items(menu):
            entry = to_fields(item)
            where = to_text(find_field(entry, "pageRef") or find_field(entry, "url"))
            if where.startswith("/") and (folder := where.strip("/")):
                weight = to_number(find_field(entry, "weight"))
                yield folder, FolderLabel("", weight)
