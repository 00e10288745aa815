"""Context of the current request, added to each of its log lines.

The transport sets it, so that inner layers need not know the request. Tasks and threads
that a request starts inherit it (`contextvars`).
"""

import os
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import count
from types import MappingProxyType
from typing import Any, Final

_EMPTY: Final[Mapping[str, Any]] = MappingProxyType({})
_request: ContextVar[Mapping[str, Any]] = ContextVar("request", default=_EMPTY)

_prefix = secrets.token_hex(4)
_REQUESTS: Final = count(1)


def make_request_id() -> str:
    """Return a request id that is unique across processes."""
    return f"{_prefix}{next(_REQUESTS):08x}"


def _reset_prefix() -> None:
    """Give a forked process a new prefix for its request ids."""
    global _prefix
    _prefix = secrets.token_hex(4)


os.register_at_fork(after_in_child=_reset_prefix)


def begin_request(**fields: Any) -> None:
    """Add these fields to all further log lines of this task."""
    _request.set(_drop_absent(fields))


@contextmanager
def working_for(**fields: Any) -> Iterator[None]:
    """Add these fields to the log lines within the block."""
    token = _request.set(_drop_absent(fields))
    try:
        yield
    finally:
        _request.reset(token)


def describe_current() -> Mapping[str, Any]:
    """Return the fields of the current request; empty if there is none."""
    return _request.get()


def _drop_absent(fields: Mapping[str, Any]) -> Mapping[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}
