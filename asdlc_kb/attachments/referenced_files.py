"""Attachments of the visible texts of one snapshot.

Only names to which a visible text refers are looked up on the disk. So a file that only
a hidden text refers to costs the same work as a missing one, and has the same result
(D-147).
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from threading import Lock
from typing import Final, NamedTuple, TypeAlias
from weakref import WeakKeyDictionary

from cachetools import LRUCache

from asdlc_kb.attachments.references import find_references
from asdlc_kb.attachments.store import AnyStore, Attachment, AttachmentStore
from asdlc_kb.files.signature import Signature

MAX_NAMES: Final = 50_000
"""Names of attachments of one snapshot; further ones are not served."""

MAX_TEXT_NAMES: Final = 500
"""Names of attachments shown in one text; further pictures are shown by their text."""

MAX_CACHED_TEXTS: Final = 20_000
"""Texts with references that are cached for the next snapshot."""

MAX_CACHED_PATHS: Final = 1_000_000
"""Texts without references of which that is cached, at 50 bytes each."""


class ReferringText(NamedTuple):
    """A visible text that may refer to attachments."""

    path: str
    """The path of its file, relative to the root."""
    key: Hashable
    """Differs if the text does."""
    read: Callable[[], Iterable[str]]
    """Returns the text in each of its forms."""

    @classmethod
    def of(cls, path: str, body: str) -> "ReferringText":
        """Return a text with one form."""
        # The hash has a secret seed, so a text cannot have that of another one.
        return cls(path, hash(body), lambda: (body,))


ListTexts: TypeAlias = Callable[[], Iterable[ReferringText]]


class ReferenceCache:
    """The names to which texts refer. Thread-safe."""

    def __init__(self, store: AnyStore) -> None:
        self._store = store
        self._names: LRUCache[tuple[str, Hashable], tuple[str, ...]] = LRUCache(
            MAX_CACHED_TEXTS
        )
        """By path and key of the text; those without names are in the other one."""
        self._nameless: dict[str, Hashable] = {}
        """The keys of texts without names, by path."""
        self._lock = Lock()

    def list_names(self, text: ReferringText) -> tuple[str, ...]:
        """Return the names to which a text can refer, in its order."""
        if self._nameless.get(text.path) == text.key:
            return ()
        key = text.path, text.key
        with self._lock:
            names = self._names.get(key)
        if names is None:
            names = _list_names(text, self._store)
            with self._lock:
                if names:
                    self._names[key] = names
                else:
                    if len(self._nameless) >= MAX_CACHED_PATHS:
                        self._nameless.clear()
                    self._nameless[text.path] = text.key
        return names


@dataclass(frozen=True)
class TextFiles:
    """The attachments of one text at one moment."""

    path: str
    """The path of the text's file."""
    store: AnyStore
    found: Mapping[str, Attachment | None]
    """By name; None where there is no file."""
    seen: Mapping[str, tuple[Signature | None, ...]]
    """What was at each name in each folder."""

    def list_names(self, href: str) -> Iterator[str]:
        """Yield the names that a reference of the text can stand for."""
        return self.store.list_names(href, self.path)

    def find(self, href: str) -> Attachment | None:
        """Return the attachment to which a reference of the text leads, or None."""
        for name in self.list_names(href):
            if (attachment := self.found.get(name)) is not None:
                return attachment
        return None

    def is_current(self) -> bool:
        """Whether the files are unchanged; costs one `stat` per name and folder."""
        return all(
            self.store.list_signatures(name) == signatures
            for name, signatures in self.seen.items()
        )

    @cached_property
    def key(self) -> str:
        """A text that differs if the files differ."""
        return repr(sorted(self.found.items())) if self.found else ""


class ReferencedFiles:
    """The attachments to which the visible texts of a snapshot refer. Thread-safe."""

    def __init__(
        self,
        store: AnyStore,
        list_texts: ListTexts,
        references: ReferenceCache | None = None,
    ) -> None:
        """Serve files of a store that a text of `list_texts` refers to."""
        self.store = store
        self._list_texts = list_texts
        self._references = references or ReferenceCache(store)
        self._names: Mapping[str, str] | None = None
        self._lock = Lock()

    @property
    def names(self) -> Mapping[str, str]:
        """The names of attachments, and the path of the first text that has each.

        A file need not exist. Computed by the first caller; blocks.
        """
        with self._lock:
            if self._names is None:
                self._names = dict(islice(self._read_names(), MAX_NAMES))
            return self._names

    @property
    def has_names(self) -> bool:
        """Whether `names` is computed, so that reading it does not block."""
        return self._names is not None

    def find(self, name: str) -> Attachment | None:
        """Return an attachment by its name; None if it is hidden or missing."""
        return self.store.find(name) if name in self.names else None

    def resolve(self, href: str, source: str) -> Attachment | None:
        """Return the attachment to which a reference in a text leads, or None."""
        for name in self.store.list_names(href, source):
            if (attachment := self.find(name)) is not None:
                return attachment
        return None

    def open_text(self, text: ReferringText) -> TextFiles:
        """Return the attachments of a visible text; blocks."""
        found: dict[str, Attachment | None] = {}
        seen: dict[str, tuple[Signature | None, ...]] = {}
        for name in self._references.list_names(text)[:MAX_TEXT_NAMES]:
            seen[name] = self.store.list_signatures(name)
            found[name] = self.store.find(name)
        return TextFiles(text.path, self.store, found, seen)

    def _read_names(self) -> Iterator[tuple[str, str]]:
        """Yield each name once, with the first text that has it."""
        yielded: set[str] = set()
        for text in self._list_texts():
            for name in self._references.list_names(text):
                if name not in yielded:
                    yielded.add(name)
                    yield name, text.path


class AttachmentLibrary:
    """The attachments of a library, for each of its snapshots. Thread-safe."""

    def __init__(self, store: AnyStore) -> None:
        self._store = store
        self._references = ReferenceCache(store)
        self._opened: WeakKeyDictionary[object, ReferencedFiles] = WeakKeyDictionary()
        """By what `open` gets; `list_texts` must not hold it."""
        self._lock = Lock()

    def open(self, content: object, list_texts: ListTexts) -> ReferencedFiles:
        """Return the attachments of the texts of some content; the same for the same.

        `list_texts` must not hold the content.
        """
        with self._lock:
            files = self._opened.get(content)
            if files is None:
                files = ReferencedFiles(self._store, list_texts, self._references)
                self._opened[content] = files
            return files


NO_FILES: Final = ReferencedFiles(AttachmentStore(()), tuple)
"""The attachments of a source that has none."""


def _list_names(text: ReferringText, store: AnyStore) -> tuple[str, ...]:
    names = (
        name
        for form in text.read()
        for href in find_references(form)
        for name in store.list_names(href, text.path)
    )
    return tuple(dict.fromkeys(names))
