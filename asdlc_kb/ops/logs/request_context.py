"""The request that this task or thread works for, so that each of its lines names it.

What is deep inside logs what it knows; whose request it was is known at the door alone.
Tasks and threads that a request starts inherit it (`contextvars`).
"""

import os
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import count
from types import MappingProxyType
from typing import Any, Final

_NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})
_request: ContextVar[Mapping[str, Any]] = ContextVar("request", default=_NOTHING)

_process = secrets.token_hex(4)
_REQUESTS: Final = count(1)


def make_request_id() -> str:
    """Return an id that no other request of any process has."""
    return f"{_process}{next(_REQUESTS):08x}"


def _begin_anew() -> None:
    """Have the ids of a process that was forked be its own."""
    global _process
    _process = secrets.token_hex(4)


os.register_at_fork(after_in_child=_begin_anew)


def begin_request(**fields: Any) -> None:
    """Put these fields into each line that this task writes from now on."""
    _request.set(_drop_absent(fields))


@contextmanager
def working_for(**fields: Any) -> Iterator[None]:
    """Put these fields into each line that is written within."""
    token = _request.set(_drop_absent(fields))
    try:
        yield
    finally:
        _request.reset(token)


def describe_current() -> Mapping[str, Any]:
    """Return the fields of the request that is being answered, if there is one."""
    return _request.get()


def _drop_absent(fields: Mapping[str, Any]) -> Mapping[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}
