"""A bound of the CPU time that a block may take."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

MAX_SECONDS = 2.0
"""Several times what 100,000 characters take; in quadratic time they take minutes."""


@contextmanager
def bounded_cpu_time() -> Iterator[None]:
    """Fail if the block takes longer; other processes do not count."""
    begin = time.process_time()
    yield
    assert time.process_time() - begin < MAX_SECONDS
