"""The files of a source that a server of its folder needs (D-259).

Those of a documentation tree have the places that they have below one folder: that of
its repository, or else the lowest one with everything that was read. So its generator
is recognized there as here. Hidden files are marked; what states the visibility of
other pages is stored without the hidden text (D-260).
"""

import os
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Final

from asdlc_kb.app.doc_trees import read_stated
from asdlc_kb.app.sources import ARTICLES, ConfiguredSources
from asdlc_kb.articles.article import Unreadable
from asdlc_kb.articles.library import ArticleLibrary
from asdlc_kb.attachments.referenced_files import ReferencedFiles
from asdlc_kb.docs.collection import DocCollection, DocTree
from asdlc_kb.docs.curated.curated_index import CuratedIndexFile
from asdlc_kb.docs.generators.configuration import TreeConfiguration
from asdlc_kb.docs.generators.discovery import MAX_LEVELS_ABOVE
from asdlc_kb.docs.generators.static_folders import find_static_folders
from asdlc_kb.docs.library import DocLibrary
from asdlc_kb.docs.pages.folder_rules import write_folder_rule
from asdlc_kb.docs.pages.page import (
    DocPage,
    FolderRule,
    Navigation,
    PageContent,
)
from asdlc_kb.docs.pages.page_frontmatter import read_fragment
from asdlc_kb.exceptions import UnreadableFile
from asdlc_kb.files.clean_text import clean_text
from asdlc_kb.files.paths import open_inside
from asdlc_kb.files.reader import (
    ChangedWhileRead,
    digest_content,
    read_unchanged,
)
from asdlc_kb.files.signature import Signature
from asdlc_kb.ingestion.source_names import list_trees
from asdlc_kb.settings import Settings
from asdlc_kb.store.values import FileRecord, SourceRecord, check_path

_MARK: Final = "asdlc-kb"
"""The name of a file that only makes its folder exist."""
_MARK_TEXT: Final = b"This folder exists so that asdlc-kb reads the pages as before.\n"

_GONE: Final = (FileNotFoundError, NotADirectoryError)


@dataclass(frozen=True, slots=True)
class _ReadFile:
    """What was in a file at one moment."""

    signature: Signature
    digest: bytes
    parsed_digest: bytes
    """That of the content cache."""


KnownFiles = dict[Path, _ReadFile]
"""Files that were read before."""


@dataclass(slots=True)
class SourceFiles:
    """The files of one source at one moment."""

    record: SourceRecord
    top: Path
    """The folder of all paths."""
    known: KnownFiles
    records: dict[str, FileRecord] = field(default_factory=dict)
    """By path."""
    made: dict[str, bytes] = field(default_factory=dict)
    """Contents that are not those of the file."""
    omitted: list[str] = field(default_factory=list)
    """Paths outside of the folder."""
    unreadable: dict[str, bool] = field(default_factory=dict)
    """Paths of files that cannot be read; those with True stay as they are stored."""
    used: set[Path] = field(default_factory=set)
    """The files of `known` that are needed again."""

    @property
    def kept(self) -> set[str]:
        """Paths of files that stay as they are stored."""
        return {path for path, is_kept in self.unreadable.items() if is_kept}

    def read(self, path: str) -> bytes:
        """Return the content of a file; blocks. Raises ChangedWhileRead."""
        if path in self.made:
            return self.made[path]
        try:
            _, data = _read_bytes(self.top, path)
        except (UnreadableFile, OSError) as error:
            raise ChangedWhileRead(path) from error
        if sha256(data).digest() != self.records[path].digest:
            raise ChangedWhileRead(path)
        return data

    def add(self, path: Path, *, is_hidden: bool = False, digest: bytes = b"") -> None:
        """Add a file unless its path is known; `digest` is that of its parsed version.

        Raises ChangedWhileRead if it is another one now.
        """
        name = self._name(path)
        if name is None or name in self.records or name in self.unreadable:
            return
        try:
            found = self._look_up(path, name)
        except UnreadableFile:
            if digest and path in self.known:
                raise ChangedWhileRead(name) from None
            self.omitted.append(name)
            return
        except OSError:
            self.unreadable[name] = not is_hidden
            return
        if digest and found.parsed_digest != digest:
            raise ChangedWhileRead(name)
        signature = found.signature
        self.records[name] = FileRecord(
            name, found.digest, signature.size, signature.mtime_ns, is_hidden
        )

    def add_unreadable(self, path: Path, *, is_hidden: bool) -> None:
        """Add a page that was not parsed; one that is shown stays as it is stored.

        A hidden one does not: readers may have a version of before it was hidden.
        """
        if (name := self._name(path)) is not None:
            self.unreadable[name] = not is_hidden

    def add_included(self, path: Path) -> None:
        """Add a file that a visible page includes.

        A page that is hidden by other files only is visible then, as its text is.
        """
        self.add(path)
        name = self._name(path)
        if name is not None and (record := self.records.get(name)) is not None:
            if record.is_hidden and self._has_visible_text(name):
                self.records[name] = replace(record, is_hidden=False)

    def _has_visible_text(self, name: str) -> bool:
        text = self.read(name).decode("utf-8", "replace")
        return read_fragment(name, clean_text(name, text).text).body is not None

    def add_made(self, path: Path, content: bytes) -> None:
        """Add a file with a content that is not on the disk."""
        name = self._name(path)
        if name is not None:
            self.made[name] = content
            digest = sha256(content).digest()
            self.records[name] = FileRecord(name, digest, len(content), 0)

    def _name(self, path: Path) -> str | None:
        name = os.path.relpath(os.path.abspath(path), self.top)
        if name.startswith(os.pardir):
            name = os.path.relpath(os.path.realpath(path), os.path.realpath(self.top))
        try:
            check_path(name)
        except ValueError:
            self.omitted.append(str(path))
            return None
        if name.startswith(os.pardir):
            self.omitted.append(str(path))
            return None
        return name

    def _look_up(self, path: Path, name: str) -> _ReadFile:
        known = self.known.get(path)
        self.used.add(path)
        try:
            signature = Signature.of(os.stat(path))
        except _GONE as error:
            raise ChangedWhileRead(name) from error
        if known is None or known.signature != signature:
            signature, data = _read_bytes(self.top, name)
            known = _ReadFile(signature, sha256(data).digest(), digest_content(data))
            self.known[path] = known
        return known


def _read_bytes(top: Path, name: str) -> tuple[Signature, bytes]:
    """Return a file as it is now.

    Raises UnreadableFile if it is outside, OSError if it cannot be read, and
    ChangedWhileRead.
    """
    try:
        with open_inside(top, name) as descriptor:
            before = Signature.of(os.fstat(descriptor))
            return before, read_unchanged(descriptor, name, before)
    except _GONE as error:
        raise ChangedWhileRead(name) from error


def _read_parsed(root: Path, path: str, digest: bytes) -> bytes:
    """Return the content that was parsed, by its digest; raise ChangedWhileRead."""
    try:
        _, data = _read_bytes(root, path)
    except (UnreadableFile, OSError) as error:
        raise ChangedWhileRead(path) from error
    if digest_content(data) != digest:
        raise ChangedWhileRead(path)
    return data


def find_files(
    settings: Settings, sources: ConfiguredSources, name: str, known: KnownFiles
) -> SourceFiles:
    """Return the files of a loaded source; blocks.

    `known` are those that the last call for this source read. Raises ChangedWhileRead
    if one of the files changed after it was loaded.
    """
    if name == ARTICLES and sources.articles is not None:
        files = _find_article_files(sources.articles, known)
    else:
        files = _find_doc_files(settings, name, list_trees(sources, name), known)
    for path in known.keys() - files.used:
        del known[path]
    return files


def _find_article_files(library: ArticleLibrary, known: KnownFiles) -> SourceFiles:
    catalog, root = library.catalog, Path(os.path.abspath(library.root))
    options = {"label": _label(root)}
    files = SourceFiles(SourceRecord(ARTICLES, "articles", options, "", 0), root, known)
    for path, entry in catalog.snapshot.entries.items():
        is_shown = path.removesuffix(".md") in catalog.by_id
        is_shown |= isinstance(entry.value, Unreadable)
        if entry.digest:
            files.add(root / path, is_hidden=not is_shown, digest=entry.digest)
        else:
            files.add_unreadable(root / path, is_hidden=not is_shown)
    _add_attachments(files, library.open_files(catalog))
    _add_attachments(files, library.open_files(library.with_hidden()), is_hidden=True)
    return files


def _add_attachments(
    files: SourceFiles, referenced: ReferencedFiles, *, is_hidden: bool = False
) -> None:
    for name in referenced.names:
        if (attachment := referenced.store.find(name)) is not None:
            path = attachment.folder / attachment.path
            files.add(path, is_hidden=is_hidden)


def _find_doc_files(
    settings: Settings, name: str, trees: list[DocTree], known: KnownFiles
) -> SourceFiles:
    folder = Path(os.path.abspath(trees[0].folder or trees[0].library.root))
    configurations = [tree.library.configuration for tree in trees]
    top = _find_top(folder, configurations)
    options = {
        "tree": trees[0].mount.source,
        "folder": os.path.relpath(folder, top),
        "label": _label(top),
        **read_stated(settings, trees[0].mount.source),
    }
    stated = {key: value for key, value in options.items() if value not in ("", ".")}
    files = SourceFiles(SourceRecord(name, "docs", stated, "", 0), top, known)
    for tree in trees:
        _add_pages(files, tree.library)
    for configuration in configurations:
        _add_configuration(files, configuration)
    main = trees[0].library
    index = CuratedIndexFile(main.root, main.configuration).read()
    for path, signature in index.dependencies:
        if signature is not None:
            files.add(Path(path))
            break
    collection = DocCollection(trees)
    _add_attachments(files, collection.open_files(collection.catalog))
    return files


def _add_pages(files: SourceFiles, library: DocLibrary) -> None:
    """Add the pages of a tree, and what they include."""
    catalog, root = library.catalog, Path(os.path.abspath(library.root))
    included: dict[str, None] = {}
    for path, entry in catalog.snapshot.entries.items():
        is_shown = path in catalog.by_path or isinstance(entry.value, Navigation)
        if not entry.digest:
            files.add_unreadable(root / path, is_hidden=not is_shown)
        elif not is_shown and _has_rule(entry.value):
            text = _read_parsed(root, path, entry.digest).decode("utf-8", "replace")
            files.add_made(root / path, write_folder_rule(path, text))
        else:
            files.add(root / path, is_hidden=not is_shown, digest=entry.digest)
        if is_shown:
            included.update((path, None) for path, found in entry.dependencies if found)
    for path in included:
        if os.path.isfile(path):
            files.add_included(Path(path))


def _has_rule(value: PageContent | None) -> bool:
    """Whether a page states something for other pages."""
    if isinstance(value, DocPage):
        return value.is_index and bool(value.placement.cascades)
    return isinstance(value, FolderRule)


def _add_configuration(files: SourceFiles, configuration: TreeConfiguration) -> None:
    for path in configuration.files:
        if path.is_dir():
            files.add_made(path / _MARK, _MARK_TEXT)
        elif path.is_file():
            files.add(path)
    if configuration.repository is not None:
        # A folder without commits: git does not take it for a repository.
        files.add_made(configuration.repository / ".git" / _MARK, _MARK_TEXT)


def _find_top(folder: Path, configurations: Iterable[TreeConfiguration]) -> Path:
    """Return the folder of the repository, or the lowest one with what is read."""
    used = [folder]
    for each in configurations:
        if each.repository is not None:
            return each.repository
        used += (each.root, *each.include_folders, *find_static_folders(each))
        used += (path.parent for path in each.files)
        used += (path for _, path in each.include_mounts)
    highest = [folder, *folder.parents][: MAX_LEVELS_ABOVE + 1][-1]
    inside = [path for path in used if path.is_relative_to(highest)]
    return Path(os.path.commonpath(inside))


def _label(folder: Path) -> str:
    """Return the last two names of a folder: titles may come from them."""
    label = "/".join(folder.parts[1:][-2:])
    # A name may be no UTF-8, and PostgreSQL stores nothing else.
    return os.fsencode(label).decode("utf-8", "replace")
