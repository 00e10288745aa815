"""Builder of the editions that a configuration states; every name is checked."""

import os
import re
from pathlib import Path
from typing import Final

from asdlc_kb.docs.edition import EditionFolder, EditionRules
from asdlc_kb.docs.generators.configuration_files import ConfigurationFiles
from asdlc_kb.docs.generators.language_tags import read_language_tag
from asdlc_kb.markup.nested_lists import MenuItem

MAX_EDITIONS: Final = 200
"""Folders and suffixes of the editions of one tree."""

MAX_NAME_CHARS: Final = 40
"""Characters of the name of a version or folder."""

_PLAIN: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def is_plain_name(text: str) -> bool:
    """Whether a name may stand in addresses and answers: it has no markup or space."""
    return len(text) <= MAX_NAME_CHARS and _PLAIN.fullmatch(text) is not None


def build_language(text: str) -> EditionRules:
    """Return the rules of a tree in one language; unknown if it is no language."""
    tag = read_language_tag(text)
    return EditionRules(language=tag, default_language=tag)


class EditionBuilder:
    """Collects the editions of one tree (D-168).

    A name with other characters than letters, digits, `.`, `-` and `_` and a folder
    outside of the repository are left out with a note at the configuration's file.
    """

    def __init__(self, root: Path, source: Path, files: ConfigurationFiles) -> None:
        """Begin with a tree's root and the file that states its editions."""
        self._root = Path(os.path.abspath(root))
        self._source = source
        self._files = files
        self._versions: dict[str, str] = {}
        self._languages: dict[str, str] = {}
        self._suffixes: dict[str, str] = {}
        self._folders: dict[str, EditionFolder] = {}
        self._real_folders = [_find_real(root)]

    def read_version(self, text: str) -> str:
        """Return the name of a version; empty with a note if it cannot be one."""
        if text and not is_plain_name(text):
            self._note("a version", text)
            return ""
        return text

    def read_language(self, *texts: str) -> str:
        """Return the first language tag; empty with a note if there is none."""
        found = next((tag for each in texts if (tag := read_language_tag(each))), "")
        if not found and any(texts):
            self._note("a language", next(filter(None, texts)))
        return found

    def add_version(self, folder: str, version: str) -> None:
        """Add a folder of the root with a version; a missing one is no edition."""
        if version and (name := self._check_inside(folder)):
            self._versions[name] = version

    def add_language(self, folder: str, language: str) -> None:
        """Add a folder of the root with a language; a missing one is no edition."""
        if language and (name := self._check_inside(folder)):
            self._languages[name] = language

    def add_suffix(self, suffix: str, language: str) -> None:
        """Add the end of the names of a language's files."""
        if language and is_plain_name(suffix) and self._has_room():
            self._suffixes[suffix] = language

    def add_folder(
        self,
        folder: Path,
        prefix: str,
        *,
        version: str = "",
        language: str = "",
        navigation: tuple[MenuItem, ...] = (),
    ) -> None:
        """Add a folder, which may be inside of the root; a missing one is no edition.

        Without a version it has that of the root; likewise its language.
        """
        folder = Path(os.path.abspath(folder))
        if folder == self._root or not folder.is_dir():
            return
        if self._root in folder.parents:
            inside = folder.relative_to(self._root).as_posix()
            self.add_version(inside, version)
            self.add_language(inside, language)
        elif self._can_mount(folder, prefix):
            self._folders[prefix] = EditionFolder(
                folder, prefix, version, language, navigation
            )
            self._real_folders.append(_find_real(folder))

    def build(
        self,
        *,
        version: str = "",
        language: str = "",
        default_version: str = "",
        default_language: str = "",
    ) -> EditionRules:
        """Return the rules: those of the pages in no folder, and the default edition.

        The default is the version and language of these pages unless stated. Where no
        other language is stated, theirs is that of all pages.
        """
        stated = {*self._languages.values(), *self._suffixes.values()}
        stated.update(each.language for each in self._folders.values())
        is_single = stated <= {language}
        return EditionRules(
            version=version,
            language=language,
            versions=self._versions,
            languages={} if is_single else self._languages,
            suffixes={} if is_single else self._suffixes,
            default_version=default_version or version,
            default_language=default_language or language,
            folders=tuple(self._folders.values()),
        )

    def _check_inside(self, folder: str) -> str:
        """Return the path of a folder of the root; empty if there is none."""
        name = folder.strip("/")
        path = self._root / name
        if not name or not all(map(is_plain_name, name.split("/"))):
            return ""
        is_used = path.is_dir() and self._files.is_below(path)
        return name if is_used and self._has_room() else ""

    def _can_mount(self, folder: Path, prefix: str) -> bool:
        """Whether a folder outside of the root can be part of the tree."""
        if not all(map(is_plain_name, prefix.split("/"))):
            self._note("a folder", prefix)
        elif not self._files.is_below(folder) or _is_hidden(folder, self._source):
            self._files.note(folder, "not served: it is outside of the repository")
        elif self._has_known_pages(folder):
            self._files.note(folder, "not served: other pages of the tree are in it")
        elif self._is_taken(prefix):
            self._files.note(folder, f"not served: {prefix} is another folder's path")
        else:
            return self._has_room()
        return False

    def _has_known_pages(self, folder: Path) -> bool:
        real = _find_real(folder)
        return any(
            real.startswith(other) or other.startswith(real)
            for other in self._real_folders
        )

    def _is_taken(self, prefix: str) -> bool:
        """Whether another folder of the tree has or may have pages at a prefix."""
        places = [self._root / prefix]
        for known, each in self._folders.items():
            if f"{prefix}/".startswith(f"{known}/"):
                places.append(each.folder / prefix[len(known) :].lstrip("/"))
        return any(map(os.path.lexists, places))

    def _has_room(self) -> bool:
        known = len(self._versions) + len(self._languages) + len(self._suffixes)
        if known + len(self._folders) < MAX_EDITIONS:
            return True
        limit = f"more than {MAX_EDITIONS} editions: the rest is left out"
        self._files.note(self._source, limit)
        return False

    def _note(self, kind: str, text: str) -> None:
        name = ascii(text[:MAX_NAME_CHARS])
        self._files.note(self._source, f"not used as the name of {kind}: {name}")


def _is_hidden(folder: Path, source: Path) -> bool:
    """Whether a folder is in a hidden one, other than those above the source."""
    name = os.path.relpath(folder, source.parent)
    return any(part[0] == "." and part != os.pardir for part in name.split(os.sep))


def _find_real(folder: Path) -> str:
    """Return the real path of a folder, with a slash at its end."""
    return os.path.join(os.path.realpath(folder), "")
