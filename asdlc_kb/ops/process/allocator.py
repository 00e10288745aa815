"""Memory tuning of the process: malloc arenas and the garbage collector.

glibc gives each thread an arena and keeps memory freed in it. A thread that indexes a
page now and then makes arenas grow to several times the memory in use. Python's garbage
collector traverses all tracked objects again and again; loaded content that stays can
be frozen.
"""

import ctypes
import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, Final

_M_ARENA_MAX: Final = -8
_M_MMAP_THRESHOLD: Final = -3
"""Parameters of `mallopt` in glibc's malloc.h."""

_MAX_ARENAS: Final = 2

_MMAP_THRESHOLD_BYTES: Final = 1 << 20
"""Bytes of blocks that are outside of arenas and returned to the system when freed.
Unset, glibc raises this threshold to the first large block that is freed, such as one
of indexing, and small blocks then keep the arena alive."""


def limit_malloc_arenas() -> None:
    """Make all threads share a few arenas for small blocks; only on glibc."""
    if (mallopt := _libc_function("mallopt")) is not None:
        mallopt(_M_ARENA_MAX, _MAX_ARENAS)
        mallopt(_M_MMAP_THRESHOLD, _MMAP_THRESHOLD_BYTES)


def trim_malloc() -> None:
    """Return freed memory to the system; only on glibc.

    A collection first empties Python's free lists.
    """
    gc.collect()
    if (malloc_trim := _libc_function("malloc_trim")) is not None:
        malloc_trim(0)


@contextmanager
def gc_frozen() -> Iterator[None]:
    """Exclude objects created in the block from garbage collection."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def refreeze_gc() -> None:
    """Collect frozen objects that are unused now, and freeze the rest again."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()


@cache
def _libc_function(name: str) -> Callable[..., Any] | None:
    try:
        function: Callable[..., Any] = getattr(ctypes.CDLL(None), name)
    except (OSError, AttributeError, TypeError):
        return None
    return function
