"""Attachments on the disk: lookup by name in the served folders, and bounded reading.

Files are opened as everywhere (`files.paths`): regular files only, links only to files
that may be served themselves, inside the same folder.
"""

import os
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import Final, TypeAlias

from cachetools import LRUCache

from asdlc_kb.attachments.file_types import AttachmentKind, FileType, find_type
from asdlc_kb.attachments.picture_size import PictureSize, read_size
from asdlc_kb.attachments.references import is_attachment_name, list_names
from asdlc_kb.exceptions import AttachmentGone, UnreadableFile
from asdlc_kb.files.dependencies import sign_file
from asdlc_kb.files.listing import COPY_ADVICE
from asdlc_kb.files.paths import open_inside
from asdlc_kb.files.signature import Signature
from asdlc_kb.files.tree_names import check_tree_folder

MAX_CACHED_SIZES: Final = 10_000
"""Pictures with cached width and height."""

CHUNK_BYTES: Final = 256 * 1024
"""Bytes read at once."""

PathFilter: TypeAlias = Callable[[str], bool]
"""Whether a file is left out, by its path below a folder."""

MakeFilter: TypeAlias = Callable[[Path], PathFilter]
"""Return the filter for a folder."""


def _leave_out_nothing(path: str) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Attachment:
    """A version of a file that may be served."""

    name: str
    """What addresses call it: its path below the folder, with a prefix before."""
    path: str
    """Below the folder, with slashes."""
    type: FileType
    folder: Path
    signature: Signature

    @property
    def size(self) -> int:
        """Bytes of the file."""
        return self.signature.size

    @property
    def etag(self) -> str:
        """The quoted digest of name, size and times (a strong ETag)."""
        version = repr((self.name, self.signature)).encode()
        return f'"{blake2b(version, digest_size=16).hexdigest()}"'

    def read(self, start: int = 0, end: int | None = None) -> Generator[bytes]:
        """Yield the bytes of this version from `start` to `end`, in bounded parts.

        The file is open while the iterator is. Raises AttachmentGone if it is another
        version, or cannot be read.
        """
        end = self.size if end is None else end
        with self.open() as descriptor:
            while start < end:
                part = os.pread(descriptor, min(end - start, CHUNK_BYTES), start)
                if not part:
                    raise AttachmentGone(self.name)
                yield part
                start += len(part)

    @contextmanager
    def open(self) -> Iterator[int]:
        """Open this version; yield its descriptor. Raises AttachmentGone."""
        try:
            with _open(self.folder, self.path, self.type) as descriptor:
                if Signature.of(os.fstat(descriptor)) != self.signature:
                    raise AttachmentGone(self.name)
                yield descriptor
        except (OSError, UnreadableFile) as error:
            raise AttachmentGone(self.name) from error


class AttachmentStore:
    """The folders in which attachments are looked up. Thread-safe; blocks."""

    def __init__(
        self,
        folders: Sequence[Path],
        prefix: str = "",
        name_folders: Sequence[str] = (),
        make_filter: MakeFilter = lambda folder: _leave_out_nothing,
        localize: Callable[[str], str] = lambda href: href,
    ) -> None:
        """Look up names in each of `folders`, the first one first.

        The first one is that of the texts, the others are static folders. `prefix` is
        before each name and each path of a text. `name_folders` are those of files that
        texts call by their name only. What the filter of a folder matches is not
        served, nor are links to it. `localize` returns a reference to the published
        site of the texts as one from their root, and any other as it is.
        """
        self.folders = tuple(folders)
        self._filters = tuple(map(make_filter, self.folders))
        self.prefix = prefix
        self._name_folders = name_folders
        self._localize = localize
        self.static_folders: tuple[str, ...] = tuple(
            relative
            for folder in self.folders[1:]
            if (relative := os.path.relpath(folder, self.folders[0])).startswith(".")
            and relative != os.curdir
        )
        """Static folders outside that of the texts or hidden in it, relative to it."""
        self._sizes: LRUCache[tuple[Path, str, Signature], PictureSize | None] = (
            LRUCache(MAX_CACHED_SIZES)
        )
        self._lock = Lock()

    def list_names(self, href: str, source: str) -> Iterator[str]:
        """Yield the names that a reference in the text at `source` can stand for."""
        below = source.removeprefix(self.prefix)
        href = self._localize(href)
        for name in list_names(href, below, self.static_folders, self._name_folders):
            yield f"{self.prefix}{name}"

    def find(self, name: str) -> Attachment | None:
        """Return the file with a name; None if it is missing or not served."""
        path = name.removeprefix(self.prefix)
        type = find_type(path)
        is_here = name.startswith(self.prefix) and is_attachment_name(path)
        if type is None or not is_here:
            return None
        for folder, leaves_out in zip(self.folders, self._filters, strict=True):
            if leaves_out(path):
                continue
            try:
                with _open(folder, path, type, leaves_out) as descriptor:
                    signature = Signature.of(os.fstat(descriptor))
            except (OSError, UnreadableFile):
                continue
            if signature.size <= type.max_bytes:
                return Attachment(name, path, type, folder, signature)
        return None

    def list_signatures(self, name: str) -> tuple[Signature | None, ...]:
        """Return what is at a name in each folder now, by one `stat` each."""
        path = name.removeprefix(self.prefix)
        return tuple(sign_file(f"{folder}/{path}") for folder in self.folders)

    def measure(self, attachment: Attachment) -> PictureSize | None:
        """Return the size of a picture; None if it is unknown."""
        if attachment.type.kind is not AttachmentKind.PICTURE:
            return None
        key = attachment.folder, attachment.name, attachment.signature
        with self._lock:
            if key in self._sizes:
                return self._sizes[key]
        size = _measure(attachment)
        with self._lock:
            self._sizes[key] = size
        return size


class AttachmentStores:
    """Several stores as one; each has the names with its prefix."""

    def __init__(self, stores: Sequence[AttachmentStore]) -> None:
        self._stores = sorted(stores, key=lambda store: -len(store.prefix))

    def list_names(self, href: str, source: str) -> Iterator[str]:
        """Yield the names that a reference in the text at `source` can stand for."""
        for store in self._choose(source):
            yield from store.list_names(href, source)

    def find(self, name: str) -> Attachment | None:
        """Return the file with a name; None if it is missing or not served."""
        found = (store.find(name) for store in self._choose(name))
        return next(found, None)

    def list_signatures(self, name: str) -> tuple[Signature | None, ...]:
        """Return what is at a name in each folder now, by one `stat` each."""
        found = (store.list_signatures(name) for store in self._choose(name))
        return next(found, ())

    def measure(self, attachment: Attachment) -> PictureSize | None:
        """Return the size of a picture; None if it is unknown."""
        measured = (
            store.measure(attachment) for store in self._choose(attachment.name)
        )
        return next(measured, None)

    def _choose(self, name: str) -> Iterator[AttachmentStore]:
        """Yield the store whose prefix a name has, if there is one."""
        fitting = (store for store in self._stores if name.startswith(store.prefix))
        yield from islice(fitting, 1)


AnyStore: TypeAlias = AttachmentStore | AttachmentStores


@contextmanager
def _open(
    folder: Path, name: str, type: FileType, leaves_out: PathFilter = _leave_out_nothing
) -> Iterator[int]:
    """Open a file at a real path that may be served with that type."""
    judge = partial(_refuse, type, leaves_out)
    with open_inside(folder, name, judge) as descriptor:
        yield descriptor


def _refuse(type: FileType, leaves_out: PathFilter, path: str) -> UnreadableFile | None:
    """Return why a real path is not served as a file of a type."""
    refusal = check_tree_folder(path)
    if refusal is None and leaves_out(path):
        return UnreadableFile("the link points to a file that is left out", COPY_ADVICE)
    if refusal is None and find_type(path) != type:
        return UnreadableFile("the link points to a file of another type", COPY_ADVICE)
    return refusal


def _measure(attachment: Attachment) -> PictureSize | None:
    try:
        with attachment.open() as descriptor:
            return read_size(lambda offset, count: os.pread(descriptor, count, offset))
    except AttachmentGone:
        return None
