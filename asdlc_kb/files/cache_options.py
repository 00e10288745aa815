"""Parameters of a content cache that do not depend on the kind of content."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Final, TypeAlias, TypedDict

MISSING_GRACE: Final = 60.0
"""Seconds for which the content of a missing root is still served."""

MirrorLock: TypeAlias = Callable[[], AbstractContextManager[None]]
"""Waits until no snapshot is being written to a mirror, and keeps it so; blocks."""


class CacheOptions(TypedDict, total=False):
    """Parameters of a cache, as `ContentCache` describes them."""

    missing_grace: float
    max_files: int
    uses_kernel_state: bool
    mirror: MirrorLock | None
    parsed_cache_path: Path | None
    clock: Callable[[], float]
