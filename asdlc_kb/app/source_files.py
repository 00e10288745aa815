"""The files of a source that a server of its folder needs (D-255).

Those of a documentation tree have the places that they have below one folder: that of
its repository, or else the lowest one with everything that was read. So its generator
is recognized there as here. Hidden files are marked; what states the visibility of
other pages is stored without the hidden text (D-256).
"""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from hashlib import blake2b, sha256
from pathlib import Path
from typing import Final

from asdlc_kb.app.doc_trees import RESERVED_NAMES, read_stated
from asdlc_kb.app.sources import ARTICLES, ConfiguredSources
from asdlc_kb.articles.article import Unreadable
from asdlc_kb.articles.library import ArticleLibrary
from asdlc_kb.attachments.referenced_files import ReferencedFiles
from asdlc_kb.docs.collection import UNNAMED, DocCollection, DocTree
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
from asdlc_kb.exceptions import SettingsError, UnreadableFile
from asdlc_kb.files.clean_text import clean_text
from asdlc_kb.files.paths import open_inside
from asdlc_kb.files.reader import ChangedWhileRead
from asdlc_kb.files.signature import Signature
from asdlc_kb.settings import Settings
from asdlc_kb.settings_patterns import read_named
from asdlc_kb.store.values import FileRecord, SourceKind, SourceRecord, check_path

_MARK: Final = "asdlc-kb"
"""The name of a file that only makes its folder exist."""
_MARK_TEXT: Final = b"This folder exists so that asdlc-kb reads the pages as before.\n"


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

    def read(self, path: str) -> bytes:
        """Return the content of a file; blocks. Raises ChangedWhileRead."""
        if path in self.made:
            return self.made[path]
        _, data = _read_bytes(self.top, path)
        if sha256(data).digest() != self.records[path].digest:
            raise ChangedWhileRead(path)
        return data

    def add(self, path: Path, *, is_hidden: bool = False, digest: bytes = b"") -> None:
        """Add a file unless its path is known; `digest` is that of its parsed version.

        Raises ChangedWhileRead if it is another one now.
        """
        name = self._name(path)
        if name is None or name in self.records:
            return
        try:
            found = self._look_up(path, name)
        except UnreadableFile:
            self.omitted.append(name)
            return
        if digest and found.parsed_digest != digest:
            raise ChangedWhileRead(name)
        signature = found.signature
        self.records[name] = FileRecord(
            name, found.digest, signature.size, signature.mtime_ns, is_hidden
        )

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
        try:
            signature = Signature.of(os.stat(path))
        except OSError as error:
            raise ChangedWhileRead(name) from error
        if known is None or known.signature != signature:
            signature, data = _read_bytes(self.top, name)
            digest = blake2b(data, digest_size=16).digest()
            known = _ReadFile(signature, sha256(data).digest(), digest)
            self.known[path] = known
        return known


def _read_bytes(top: Path, name: str) -> tuple[Signature, bytes]:
    """Return a file as it is now; raise UnreadableFile, ChangedWhileRead."""
    try:
        with open_inside(top, name) as descriptor:
            before = Signature.of(os.fstat(descriptor))
            with open(descriptor, "rb", closefd=False) as file:
                data = file.read()
            if Signature.of(os.fstat(descriptor)) != before:
                raise ChangedWhileRead(name)
            return before, data
    except OSError as error:
        raise ChangedWhileRead(name) from error


def list_sources(sources: ConfiguredSources) -> Mapping[str, SourceKind]:
    """Return the names and kinds of the sources that are stored.

    Raises SettingsError for a tree with a name that sources without one have.
    """
    names = dict.fromkeys(tree.mount.source for tree in sources.trees)
    for name in names:
        if name.casefold() == ARTICLES:
            raise SettingsError(
                f"--docs {name}=…: the store has the articles as the source "
                f"'{ARTICLES}': choose another name"
            )
        if name.casefold() == UNNAMED and "" in names:
            raise SettingsError(
                f"--docs {name}=…: the store has the tree without a name as the "
                f"source '{UNNAMED}': name that tree too"
            )
    articles: dict[str, SourceKind] = (
        {} if sources.articles is None else {ARTICLES: "articles"}
    )
    return {**articles, **{name or UNNAMED: "docs" for name in names}}


def make_record(name: str, owner: str) -> SourceRecord:
    """Return a source without files, as `find_files` names and describes it.

    Raises SettingsError for a name that no source gets.
    """
    if name == ARTICLES:
        return SourceRecord(ARTICLES, "articles", {}, owner, 0)
    is_taken = name.casefold() in RESERVED_NAMES | {ARTICLES}
    if not name or is_taken or read_named(f"{name}=.").name != name:
        raise SettingsError(
            f"no source can have the name '{name}': name one as in '--docs NAME=DIR'"
        )
    return SourceRecord(
        name, "docs", {} if name == UNNAMED else {"tree": name}, owner, 0
    )


def list_libraries(
    sources: ConfiguredSources, name: str
) -> tuple[ArticleLibrary | DocLibrary, ...]:
    """Return the libraries of a source."""
    if name == ARTICLES and sources.articles is not None:
        return (sources.articles,)
    return tuple(tree.library for tree in _list_trees(sources, name))


def _list_trees(sources: ConfiguredSources, name: str) -> list[DocTree]:
    """Return a tree and its editions outside of its root."""
    has_unnamed = any(not tree.mount.source for tree in sources.trees)
    tree_name = "" if name == UNNAMED and has_unnamed else name
    return [tree for tree in sources.trees if tree.mount.source == tree_name]


def find_files(
    settings: Settings, sources: ConfiguredSources, name: str, known: KnownFiles
) -> SourceFiles:
    """Return the files of a loaded source; blocks.

    Raises ChangedWhileRead if one of them changed after it was loaded.
    """
    if name == ARTICLES and sources.articles is not None:
        return _find_article_files(sources.articles, known)
    return _find_doc_files(settings, name, _list_trees(sources, name), known)


def _find_article_files(library: ArticleLibrary, known: KnownFiles) -> SourceFiles:
    catalog, root = library.catalog, Path(os.path.abspath(library.root))
    options = {"label": _label(root)}
    files = SourceFiles(SourceRecord(ARTICLES, "articles", options, "", 0), root, known)
    for path, entry in catalog.snapshot.entries.items():
        is_shown = path.removesuffix(".md") in catalog.by_id
        is_shown |= isinstance(entry.value, Unreadable)
        if entry.digest:
            files.add(root / path, is_hidden=not is_shown, digest=entry.digest)
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
        if not is_shown and _has_rule(entry.value):
            text = _read_bytes(root, path)[1].decode("utf-8", "replace")
            files.add_made(root / path, write_folder_rule(path, text))
        elif entry.digest:
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
    highest = [folder, *folder.parents][: MAX_LEVELS_ABOVE + 1][-1]
    inside = [path for path in used if path.is_relative_to(highest)]
    return Path(os.path.commonpath(inside))


def _label(folder: Path) -> str:
    """Return the last two names of a folder: titles may come from them."""
    return "/".join(folder.parts[1:][-2:])
