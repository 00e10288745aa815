"""Recognition of versions and languages by names: of top folders, and of files.

For trees whose configuration states none (D-168).
"""

import os
import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Final

from asdlc_kb.docs.edition import EditionRules
from asdlc_kb.docs.generators.configuration_files import ConfigurationFiles
from asdlc_kb.docs.generators.data import find_part, to_items, to_text
from asdlc_kb.docs.generators.edition_builder import EditionBuilder
from asdlc_kb.docs.generators.language_tags import read_folder_language
from asdlc_kb.files.tree_names import PAGE_SUFFIXES

MAX_PAGES: Final = 2_000
"""Pages of a folder that are compared with those of another by name."""

MAX_FOLDERS: Final = 1_000
"""Folders below one that are searched for pages."""

MAX_TOP_FOLDERS: Final = 2_000
"""Entries of the root that are looked at."""

_VERSIONS_FILE: Final = "versions.json"
_VERSION: Final = re.compile(
    r"(?P<lead>v?)(?P<numbers>\d{1,4}(?:\.(?:\d{1,6}|x)){0,4})"
    r"(?P<rest>[-.]?(?:alpha|beta|dev|lts|pre|rc)[-.]?\d{0,4})?"
)
"""A number alone, as a year or a chapter has, is no version without a `v`."""

_MOVING: Final = ("stable", "latest", "current", "next", "dev", "main")
"""Names of versions next to the numbered ones."""

_DEFAULTS: Final = _MOVING[:3]
"""Those that can be the default version, the best first."""

_README: Final = ("README.md", "readme.md", "index.md")


def recognize_editions(
    root: Path, rules: EditionRules, files: ConfigurationFiles
) -> EditionRules:
    """Return the editions of a tree with those that its folders are named after.

    What the rules state already stays.
    """
    if not root.is_dir():
        return rules
    names = _list_folders(root)
    if not (rules.languages or rules.suffixes or rules.folders):
        rules = _add_languages(root, rules, names, files)
    if not (rules.languages or rules.suffixes or rules.folders):
        rules = _add_suffixes(root, rules, files)
    if not (rules.version or rules.versions or rules.folders):
        rules = _add_versions(root, rules, names, files)
    return rules


def _list_folders(root: Path) -> list[str]:
    with os.scandir(root) as entries:
        found = islice(entries, MAX_TOP_FOLDERS)
        # Unlike the method of the entry, it is false for a loop of links.
        return sorted(entry.name for entry in found if os.path.isdir(entry))


def _add_languages(
    root: Path, rules: EditionRules, names: Sequence[str], files: ConfigurationFiles
) -> EditionRules:
    """Return the rules with two or more folders that are translations of each other.

    Most pages of each have the names of pages in the default folder: that of the
    stated language, the English one, that to which the README links first, or the
    root.
    """
    tags = {name: tag for name in names if (tag := read_folder_language(name))}
    if len(tags) < 2:
        return rules
    default = _choose_folder(root, tags, rules.language)
    pages = _list_pages(root / default, () if default else tags)
    builder = EditionBuilder(root, root, files)
    for name, tag in tags.items():
        own = _list_pages(root / name)
        if own and len(own & pages) * 2 > len(own):
            builder.add_language(name, tag)
    found = builder.build(language=tags.get(default, rules.language))
    if len(found.languages) < 2:
        return rules
    return replace(
        rules,
        language=found.language,
        languages=found.languages,
        default_language=found.default_language,
    )


def _add_suffixes(
    root: Path, rules: EditionRules, files: ConfigurationFiles
) -> EditionRules:
    """Return the rules with the suffixes of translations, as `fr` of `index.fr.md`.

    Two or more files have it, and most of them stand next to one without a suffix.
    """
    pages = _list_pages(root)
    translated: defaultdict[str, set[str]] = defaultdict(set)
    for page in pages:
        stem, _, suffix = page.rpartition(".")
        if read_folder_language(suffix):
            translated[suffix].add(stem)
    builder = EditionBuilder(root, root, files)
    for suffix, stems in sorted(translated.items()):
        if len(stems) > 1 and len(stems & pages) * 2 > len(stems):
            builder.add_suffix(suffix, read_folder_language(suffix))
    found = builder.build(language=rules.language)
    return replace(rules, suffixes=found.suffixes) if found.suffixes else rules


def _choose_folder(root: Path, tags: Mapping[str, str], stated: str) -> str:
    """Return the folder of the default language; empty for the root."""
    wanted = stated or "en"
    for name, tag in tags.items():
        if tag == wanted or tag.partition("-")[0] == wanted:
            return name
    text = _read_readme(root) if not stated else ""
    places = {name: _find_link(text, name) for name in tags}
    linked = {name: place for name, place in places.items() if place >= 0}
    return min(linked, key=linked.__getitem__, default="")


def _read_readme(root: Path) -> str:
    for name in _README:
        try:
            with open(root / name, encoding="utf-8", errors="replace") as file:
                return file.read(64 * 1024)
        except OSError:
            continue
    return ""


def _find_link(text: str, folder: str) -> int:
    """Return where a text links to a folder first; -1 if it does not."""
    found = re.search(rf"\]\((?:\./|/)?{re.escape(folder)}[/)]", text)
    return found.start() if found else -1


def _list_pages(folder: Path, without: Collection[str] = ()) -> set[str]:
    """Return the paths of a folder's pages, without their suffixes."""
    pages: set[str] = set()
    for number, (where, folders, names) in enumerate(os.walk(folder)):
        skipped = without if not number else ()
        folders[:] = sorted(
            name for name in folders if name[0] not in "._" and name not in skipped
        )
        inside = os.path.relpath(where, folder)
        for name in names:
            stem, suffix = os.path.splitext(name)
            if suffix in PAGE_SUFFIXES:
                pages.add(f"{inside}/{stem}")
        if len(pages) >= MAX_PAGES or number >= MAX_FOLDERS:
            break
    return pages


def _add_versions(
    root: Path, rules: EditionRules, names: Sequence[str], files: ConfigurationFiles
) -> EditionRules:
    """Return the rules with the folders that are listed or look like versions."""
    listed = [name for name in _read_versions_file(root, files) if name in names]
    numbered = [name for name in names if _read_version(name)]
    known = listed or sorted(numbered, key=_sort_key, reverse=True)
    if not listed and len(numbered) < 2:
        return rules
    known += [name for name in _MOVING if name in names and name not in known]
    builder = EditionBuilder(root, root, files)
    for name in known:
        if _list_pages(root / name):
            builder.add_version(name, name)
    versions = builder.build().versions
    if len(versions) < 2:
        return rules
    preferred = [] if listed else [name for name in _DEFAULTS if name in versions]
    default = next(iter((*preferred, *versions)))
    return replace(rules, version=default, versions=versions, default_version=default)


def _read_versions_file(root: Path, files: ConfigurationFiles) -> tuple[str, ...]:
    """Return the versions in `versions.json`, in either of its usual forms."""
    path = files.find(root, _VERSIONS_FILE)
    if path is None:
        return ()
    items = to_items(files.read_json(path))
    texts = (to_text(item) or to_text(find_part(item, "version")) for item in items)
    return tuple(dict.fromkeys(filter(None, texts)))


def _read_version(name: str) -> re.Match[str] | None:
    found = _VERSION.fullmatch(name.lower())
    return found if found and (found["lead"] or "." in found["numbers"]) else None


def _sort_key(name: str) -> tuple[list[int], bool, str]:
    """Return what orders versions, as 1.0-beta, 1.0, 1.9, 1.x, 2.0."""
    found = _read_version(name)
    assert found is not None
    parts = found["numbers"].split(".")
    numbers = [10**9 if part == "x" else int(part) for part in parts]
    return numbers, not found["rest"], name
