"""The memory of the process: kept small, and what stays in it not gone over again.

glibc gives each thread a pool of its own and keeps what was freed in it. A thread that
indexes a page now and then makes such pools grow to several times of what is in use.
Python's garbage collector goes over all that it knows again and again; what is loaded
and kept it need not know.
"""

import ctypes
import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, Final

_M_ARENA_MAX: Final = -8
_M_MMAP_THRESHOLD: Final = -3
"""The numbers of settings in glibc's malloc.h."""

_POOLS: Final = 2

_LARGE: Final = 1 << 20
"""Bytes from which a block is none of a pool's, and goes back when it is freed. Unset,
glibc takes the first large block that is freed, as one of who indexes, for the measure
of what belongs into a pool, and the pool is kept by the small ones beside it."""


def limit_malloc_arenas() -> None:
    """Have all threads share a few pools of small blocks; only on glibc."""
    if (mallopt := _find("mallopt")) is not None:
        mallopt(_M_ARENA_MAX, _POOLS)
        mallopt(_M_MMAP_THRESHOLD, _LARGE)


def trim_malloc() -> None:
    """Return memory that was freed to the system; elsewhere than on glibc nothing.

    A collection first empties the lists of objects that Python keeps to use again.
    """
    gc.collect()
    if (malloc_trim := _find("malloc_trim")) is not None:
        malloc_trim(0)


@contextmanager
def gc_frozen() -> Iterator[None]:
    """Have the garbage collector never look at what is made within."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def refreeze_gc() -> None:
    """Let go of what is used no more, though it was never to be looked at."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()


@cache
def _find(name: str) -> Callable[..., Any] | None:
    try:
        found: Callable[..., Any] = getattr(ctypes.CDLL(None), name)
    except (OSError, AttributeError, TypeError):
        return None
    return found
