"""The documents of an index on disk: a manifest's rows, most of them in another file.

The manifest is written with each change. So that an edit of one of many documents
writes one row, the manifest has only the rows that differ from those of a file, which
is replaced after many edits. A removed document stays in neither (D-189).
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from sys import intern
from typing import Final

import msgspec

from asdlc_kb.search.index.index_snapshot import Entries, IndexedDocument, IndexSnapshot
from asdlc_kb.search.index.manifest import DOCUMENTS, Row, digest_bytes

MAX_ROWS: Final = 1_000
"""Rows in the manifest; if there are more, the file is replaced."""

LINE_ROWS: Final = 256
"""Rows in a line of the file: those that are decoded together."""

_encode: Final = msgspec.json.Encoder().encode


class SavedDocuments:
    """The file with most rows, and which documents differ from it."""

    def __init__(self, file: str = "", changed: Iterable[str] = ()) -> None:
        """Continue with a file, by its path below the folder of the index.

        Without one, all rows are in the manifest.
        """
        self.file = file
        self._changed = set(changed)

    def record(self, keys: Iterable[str]) -> None:
        """Record documents that may have been added, changed or removed."""
        self._changed.update(keys)

    def write(self, folder: Path, snapshot: IndexSnapshot) -> Mapping[str, Row]:
        """Return the rows of the manifest; first replace the file if that is due.

        `folder` takes the file. Raises OSError.
        """
        slots = snapshot.slots
        if len(slots) <= MAX_ROWS:
            self._replace(folder, None)
            return _make_rows(snapshot, slots)
        is_full = len(self._changed) > MAX_ROWS
        if not self.file or is_full or not self._changed <= slots.keys():
            self._replace(folder, b"\n".join(_encode_lines(snapshot)))
        return _make_rows(snapshot, self._changed)

    def _replace(self, folder: Path, data: bytes | None) -> None:
        before = folder.parent / self.file if self.file else None
        self.file, after = "", None
        if data is not None:
            after = folder / f"{digest_bytes(data)}{DOCUMENTS}"
            after.write_bytes(data)
            self.file, self._changed = f"{folder.name}/{after.name}", set()
        if before is not None and before != after:
            before.unlink(missing_ok=True)


def read_entries(
    rows: Iterable[tuple[str, Row]], known: Mapping[str, bytes]
) -> Entries:
    """Return the documents of rows by slot.

    Keys and digests that are equal to those of `known` are the same objects.
    """
    keys = dict(zip(known, known, strict=True))
    entries: dict[int, IndexedDocument] = {}
    for key, (slot, text, language) in rows:
        digest = bytes.fromhex(text)
        if (own := known.get(key)) == digest:
            digest = own
        key = keys.get(key, key)
        entries[slot] = IndexedDocument(key, digest, intern(language))
    return entries


def _encode_lines(snapshot: IndexSnapshot) -> Iterator[bytes]:
    """Yield all rows, as lines of some."""
    remaining = iter(snapshot.slots)
    while keys := tuple(islice(remaining, LINE_ROWS)):
        yield _encode(_make_rows(snapshot, keys))


def _make_rows(snapshot: IndexSnapshot, keys: Iterable[str]) -> dict[str, Row]:
    rows: dict[str, Row] = {}
    for key in keys:
        slot = snapshot.slots[key]
        entry = snapshot.entries[slot]
        rows[key] = slot, entry.digest.hex(), entry.language
    return rows
