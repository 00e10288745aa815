"""Values of the store, and the rules for names and paths in it."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Final, Literal, TypeAlias, TypeVar

Item = TypeVar("Item")
SourceKind: TypeAlias = Literal["articles", "docs"]

MAX_NAME_CHARACTERS: Final = 200
"""Characters of a source's name, which is part of each notification."""

MAX_PATH_BYTES: Final = 1_024
MAX_SEGMENT_BYTES: Final = 255
"""UTF-8 bytes of a path and of one name in it, as every file system takes them."""


@dataclass(frozen=True, slots=True)
class SourceRecord:
    """One source; the fields with defaults are filled in by the store."""

    name: str
    kind: SourceKind
    options: Mapping[str, str]
    owner: str
    """The team that may write it; empty if any may."""
    snapshot: int
    """Greater after each visible change: milliseconds since 1970 (D-247)."""
    file_count: int = 0
    byte_count: int = 0
    """Visible files and their bytes."""
    updated_at: float = 0.0
    """When the snapshot was written, in seconds since 1970."""


@dataclass(frozen=True, slots=True)
class FileRecord:
    """One file of a source."""

    path: str
    """Relative to the source's folder, with slashes."""
    digest: bytes
    """SHA-256."""
    size: int
    mtime_ns: int
    is_hidden: bool = False


@dataclass(frozen=True, slots=True)
class SnapshotChanges:
    """The visible difference between two snapshots of a source."""

    source: str
    number: int
    """The later snapshot."""
    is_whole: bool
    """Whether `files` are all visible files, and all others are to be deleted."""
    files: tuple[FileRecord, ...]
    """New and changed files."""
    removed: tuple[str, ...]
    """Paths that no longer exist for readers."""


@dataclass(frozen=True, slots=True)
class StoreStatus:
    """The state of the store from which content is served."""

    snapshots: Mapping[str, int | None]
    """The snapshot that is served of each source; None until one is published."""
    is_reachable: bool
    contact_age: float | None
    """Seconds since the last contact; None if there was none."""


def check_source_name(name: str) -> None:
    """Raise ValueError for a name that a source cannot have."""
    if not name or len(name) > MAX_NAME_CHARACTERS or not name.isprintable():
        raise ValueError(
            f"a source needs a name of 1 to {MAX_NAME_CHARACTERS} printable characters"
        )


def check_texts(texts: Iterable[str]) -> None:
    """Raise ValueError for an option or owner that PostgreSQL cannot store."""
    for text in texts:
        try:
            is_storable = b"\0" not in text.encode()
        except UnicodeEncodeError:
            is_storable = False
        if not is_storable:
            raise ValueError(f"{text!r} is not valid Unicode")


def check_path(path: str) -> None:
    """Raise ValueError for a path that is not that of a file below a folder."""
    try:
        data = path.encode()
    except UnicodeEncodeError:
        raise ValueError(f"the path {path!r} is not valid Unicode") from None
    segments = data.split(b"/")
    if b"\0" in data or not {b"", b".", b".."}.isdisjoint(segments):
        raise ValueError(f"the path {path!r} is not relative to its folder")
    if len(data) > MAX_PATH_BYTES or max(map(len, segments)) > MAX_SEGMENT_BYTES:
        raise ValueError(f"the path {path[:100]!r}… is too long")


def check_conflicts(paths: Collection[str]) -> None:
    """Raise ValueError if a path is that of a file and of a folder."""
    for folder in {path.rpartition("/")[0] for path in paths}:
        while folder:
            if folder in paths:
                raise ValueError(f"{folder!r} is both a file and a folder")
            folder = folder.rpartition("/")[0]


def split_into_batches(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """Yield the items in lists of at most this size."""
    remaining = iter(items)
    while batch := list(islice(remaining, size)):
        yield batch
