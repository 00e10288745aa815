"""Tuning of the C library, and of Python's garbage collector."""

import ctypes
import gc
import weakref

import pytest

from asdlc_kb.ops.process import allocator


def test_glibc_is_asked_for_few_pools_and_to_give_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """By the numbers of malloc.h."""
    asked: list[tuple[str, tuple[int, ...]]] = []

    class Library:
        """Replaces the C library."""

        def mallopt(self, *given: int) -> None:
            asked.append(("mallopt", given))

        def malloc_trim(self, *given: int) -> None:
            asked.append(("malloc_trim", given))

    monkeypatch.setattr(ctypes, "CDLL", lambda name: Library())
    allocator._libc_function.cache_clear()
    allocator.limit_malloc_arenas()
    allocator.trim_malloc()
    allocator._libc_function.cache_clear()
    assert asked == [
        ("mallopt", (-8, 2)),
        ("mallopt", (-3, 1_048_576)),
        ("malloc_trim", (0,)),
    ]


def test_another_c_library_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """It has no such functions, and no need of them."""
    monkeypatch.setattr(ctypes, "CDLL", lambda name: object())
    allocator._libc_function.cache_clear()
    allocator.limit_malloc_arenas()
    allocator.trim_malloc()
    allocator._libc_function.cache_clear()


def test_the_real_one_takes_it() -> None:
    """Whichever it is here."""
    allocator.limit_malloc_arenas()
    allocator.trim_malloc()


class Knot:
    """An object that refers to itself."""

    def __init__(self) -> None:
        self.itself = self


def test_what_is_kept_is_not_looked_at_until_all_is_settled() -> None:
    """Scanning long-lived objects costs requests time; replaced ones are collected."""
    with allocator.gc_frozen():
        assert not gc.isenabled()
        knot = Knot()
    assert gc.isenabled()
    gone = weakref.ref(knot)
    del knot
    gc.collect()
    assert gone() is not None
    allocator.refreeze_gc()
    assert gone() is None


def test_a_failure_leaves_the_collector_on() -> None:
    """A folder that cannot be loaded does not disable collection."""
    with pytest.raises(ZeroDivisionError), allocator.gc_frozen():
        raise ZeroDivisionError
    assert gc.isenabled()
