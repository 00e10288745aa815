"""Pagination of lists that may change between two requests.

A cursor holds the sort key of the last item sent, not an index: items added or removed
elsewhere cause neither repeated nor skipped items. It is opaque to clients, and valid
for one list only: another one would silently lose its first items
(docs/specification/<version>/server/utilities/pagination).
"""

import base64
import binascii
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from typing import Any, Final, Generic, TypeVar

import msgspec
import orjson

from asdlc_kb.mcp.protocol.errors import InvalidParams, clip

T = TypeVar("T")

PAGE_SIZE: Final = 100
"""Items on a page."""

_MAX_CURSOR_CHARS: Final = 2_000


class Listed(msgspec.Struct, Generic[T], frozen=True):
    """An item and its sort key, a string; the list is sorted by it."""

    place: str
    item: T


class ListPage(msgspec.Struct, Generic[T], frozen=True):
    """Items of a page, and the cursor of the next one if there is one."""

    items: tuple[T, ...]
    next_cursor: str | None

    def to_result(self, key: str) -> dict[str, Any]:
        """Return the result of a list method: the items by `key`, and the cursor."""
        cursor = {} if self.next_cursor is None else {"nextCursor": self.next_cursor}
        return {key: self.items, **cursor}


def number_items(items: Iterable[T]) -> tuple[Listed[T], ...]:
    """Return the items of a constant list with their positions as sort keys."""
    return tuple(Listed(f"{place:06}", item) for place, item in enumerate(items))


def paginate(
    name: str,
    lists: Sequence[Sequence[Listed[T]]],
    cursor: object,
    size: int = PAGE_SIZE,
) -> ListPage[T]:
    """Return the page after `cursor` of several lists, concatenated to one of a name.

    Raises InvalidParams for a cursor that this function did not return for this name.
    """
    tag = blake2b(name.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
    part, place = (0, "") if cursor is None else _decode(cursor, tag, len(lists))
    rest: list[tuple[int, Listed[T]]] = []
    for index in range(part, len(lists)):
        listed = lists[index]
        after = place if index == part else ""
        start = bisect_right(listed, after, key=lambda entry: entry.place)
        rest.extend((index, entry) for entry in listed[start : start + size + 1])
        if len(rest) > size:
            break
    page = rest[:size]
    more = len(rest) > size
    return ListPage(
        items=tuple(entry.item for _, entry in page),
        next_cursor=_encode(tag, page[-1][0], page[-1][1].place) if more else None,
    )


def _encode(tag: str, part: int, place: str) -> str:
    return base64.urlsafe_b64encode(orjson.dumps([tag, part, place])).decode("ascii")


def _decode(cursor: object, tag: str, parts: int) -> tuple[int, str]:
    if isinstance(cursor, str) and len(cursor) <= _MAX_CURSOR_CHARS:
        try:
            value = orjson.loads(base64.b64decode(cursor, b"-_", validate=True))
        except (binascii.Error, ValueError):
            value = None
        match value:
            case [str(of), int(part), str(place)] if (
                of == tag and type(part) is int and 0 <= part < parts
            ):
                return part, place
    data = {"cursor": clip(cursor)} if isinstance(cursor, str) else {}
    raise InvalidParams(data={**data, "reason": "not a cursor of this list"})
