"""Lazy values: parts of parsed files that stay on disk until they are needed.

A text is long and rarely read, so it is in memory only until the parsed cache has it.
"""

from typing import Any, Generic, Protocol, TypeVar, cast

import msgspec

V = TypeVar("V")


class TextReader(Protocol):
    """Where lazy values are stored."""

    def read(self, place: bytes, path: str, digest: bytes) -> Any:
        """Return the value at a place, of a file with this path and digest."""


class StoredPlace(msgspec.Struct, frozen=True, gc=False):
    """The place of a value in a parsed cache.

    Each file has one, so they are left out of garbage collection.
    """

    reader: TextReader
    place: bytes


class LazyValue(Generic[V]):
    """A value in memory, or in a parsed cache from which each `get` reads it."""

    __slots__ = ("_content", "_digest", "_path")

    def __init__(self, content: V | StoredPlace) -> None:
        self._content = content
        self._path = ""
        self._digest = b""

    def get(self) -> V:
        """Return the value.

        Raises UnreadableFile if the parsed cache was damaged and the file
        has changed since.
        """
        content = self._content
        if type(content) is StoredPlace:
            value = content.reader.read(content.place, self._path, self._digest)
            return cast(V, value)
        return cast(V, content)

    def bind(self, path: str, digest: bytes) -> None:
        """Set the file to read the value from if the parsed cache is damaged."""
        self._path, self._digest = path, digest

    def move(self, place: StoredPlace, path: str, digest: bytes) -> None:
        """Replace the value by its place on disk; safe while others read it."""
        self.bind(path, digest)
        self._content = place

    def recall(self) -> None:
        """Hold the value in memory again; raises UnreadableFile as `get`."""
        self._content = self.get()

    @property
    def stored_place(self) -> StoredPlace | None:
        """The place of the value in a parsed cache; None if it is in memory."""
        content = self._content
        return content if type(content) is StoredPlace else None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LazyValue):
            return NotImplemented
        return self is other or bool(self.get() == other.get())

    def __hash__(self) -> int:
        return hash(self.get())

    def __repr__(self) -> str:
        content = self._content
        shown = "stored" if type(content) is StoredPlace else repr(content)
        return f"LazyValue({shown})"
