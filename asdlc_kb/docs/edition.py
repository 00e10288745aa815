"""Editions of a documentation tree: its versions and languages (D-162)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import msgspec

from asdlc_kb.files.tree_names import list_folders
from asdlc_kb.markup.nested_lists import MenuItem


class Edition(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The tree, the version and the language of a page."""

    source: str = ""
    """The name of the tree; empty for the unnamed one."""
    version: str = ""
    """Empty if the tree has no versions."""
    language: str = ""
    """A language tag (BCP 47) as its generator writes it; empty if unknown."""
    is_default_version: bool = True
    """Whether it is the default one of its tree."""
    is_default_language: bool = True

    @property
    def is_default(self) -> bool:
        """Whether it is the default version in the default language of its tree."""
        return self.is_default_version and self.is_default_language

    @property
    def language_tag(self) -> str:
        """The language; English if unknown, as words are stemmed."""
        return self.language or "en"


DEFAULT: Final = Edition()
"""That of a tree without a name, versions and languages."""


def list_languages(editions: Sequence[Edition]) -> tuple[str, ...]:
    """Return the languages of editions in their order; none if all are unknown."""
    if not any(edition.language for edition in editions):
        return ()
    return tuple(dict.fromkeys(edition.language_tag for edition in editions))


@dataclass(frozen=True, slots=True)
class EditionFolder:
    """A folder with an edition of a tree, outside of the tree's root."""

    folder: Path
    prefix: str
    """Where its pages are in the tree, as `1.0` or `fr/1.0`."""
    version: str = ""
    language: str = ""
    navigation: tuple[MenuItem, ...] = ()
    """Its own, with addresses relative to `folder`; empty for that of the tree."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EditionRules:
    """How the pages of one tree are divided into editions; paths are from its root."""

    version: str = ""
    """Of the pages in no folder of a version."""
    language: str = ""
    """Of the pages in no folder of a language; empty if unknown."""
    versions: Mapping[str, str] = field(default_factory=dict)
    """Version by folder."""
    languages: Mapping[str, str] = field(default_factory=dict)
    """Language by folder."""
    suffixes: Mapping[str, str] = field(default_factory=dict)
    """Language by the end of a file's name: `fr` for `index.fr.md`."""
    default_version: str = ""
    default_language: str = ""
    folders: tuple[EditionFolder, ...] = ()
    """Those outside of the root."""

    def describe(self) -> str:
        """Return the numbers of versions and languages, where there are several.

        As in `3 versions (default 2.0), 2 languages (default en)`; otherwise empty.
        """
        versions = {self.version, *self.versions.values()}
        versions.update(each.version for each in self.folders)
        languages = {self.language, *self.languages.values(), *self.suffixes.values()}
        languages.update(each.language for each in self.folders)
        unknown = {""} if self.default_language else set()
        counted = (
            (versions - {""}, "versions", self.default_version),
            (languages - unknown, "languages", self.default_language),
        )
        return ", ".join(
            f"{len(names)} {kind} (default {default})"
            if default
            else f"{len(names)} {kind}"
            for names, kind, default in counted
            if len(names) > 1
        )


ONE_EDITION: Final = EditionRules()
"""Those of a tree without versions and languages."""


class EditionReader:
    """Reads the edition of a page from its path."""

    def __init__(self, rules: EditionRules) -> None:
        self._rules = rules
        self.is_single = not (rules.versions or rules.languages or rules.suffixes)
        """Whether all pages have one edition."""

    def read(self, path: str) -> Edition:
        """Return the edition of the page at a path; its tree has no name."""
        rules = self._rules
        version, language = rules.version, rules.language
        for folder in list_folders(path):
            version = rules.versions.get(folder, version)
            language = rules.languages.get(folder, language)
        if (suffix := self._find_suffix(path)) is not None:
            language = rules.suffixes[suffix]
        return Edition(
            version=version,
            language=language,
            is_default_version=version == rules.default_version,
            is_default_language=language == rules.default_language,
        )

    def name_page(self, path: str) -> str:
        """Return the path of a page without what states its edition."""
        rules = self._rules
        if (suffix := self._find_suffix(path)) is not None:
            stem, _, end = path.rpartition(".")
            path = f"{stem.removesuffix(f'.{suffix}')}.{end}"
        segments = path.split("/")
        stated = [
            number
            for number, folder in enumerate(list_folders(path))
            if folder in rules.versions or folder in rules.languages
        ]
        return "/".join(s for n, s in enumerate(segments) if n not in stated)

    def _find_suffix(self, path: str) -> str | None:
        if not self._rules.suffixes:
            return None
        parts = path.rpartition("/")[2].split(".")
        is_stated = len(parts) > 2 and parts[-2] in self._rules.suffixes
        return parts[-2] if is_stated else None
