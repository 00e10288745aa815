"""Context of the current request, added to each of its log lines.

The transport sets it, so that inner layers need not know the request. Tasks and threads
that a request starts inherit it (`contextvars`).
"""

import logging
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType
from typing import Any, Final

_EMPTY: Final[Mapping[str, Any]] = MappingProxyType({})
_request: ContextVar[Mapping[str, Any]] = ContextVar("request", default=_EMPTY)

_STANDARD: Final = frozenset(logging.makeLogRecord({}).__dict__) | {"message"}
"""What every record has."""


_ID_BYTES: Final = 8


_unused_ids: Final[list[str]] = []
# A forked process must not give the same ones.
os.register_at_fork(after_in_child=_unused_ids.clear)


def make_request_id() -> str:
    """Return a new random id; many are made at once.

    Clients receive them: numbers would show how many requests others send.
    """
    try:
        return _unused_ids.pop()
    except IndexError:
        _unused_ids.extend(os.urandom(1024).hex(" ", _ID_BYTES).split())
        return _unused_ids.pop()


def begin_request(**fields: Any) -> None:
    """Add these fields to all further log lines of this task."""
    _request.set(drop_absent(fields))


@contextmanager
def working_for(**fields: Any) -> Iterator[None]:
    """Add these fields to the log lines within the block."""
    token = _request.set(drop_absent(fields))
    try:
        yield
    finally:
        _request.reset(token)


def describe_current() -> Mapping[str, Any]:
    """Return the fields of the current request; empty if there is none."""
    return _request.get()


def list_fields(record: logging.LogRecord) -> dict[str, Any]:
    """Return the fields of a log line: the record's `extra`, then the request's."""
    fields = {
        name: value
        for name, value in record.__dict__.items()
        if name not in _STANDARD and value is not None
    }
    for name, value in describe_current().items():
        fields.setdefault(name, value)
    return fields


def drop_absent(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields that are not None."""
    return {name: value for name, value in fields.items() if value is not None}
