"""Installation of other people's programs, by one of several test processes."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def installing(folder: Path) -> Iterator[bool]:
    """Yield whether a folder is still to be filled; the others wait meanwhile.

    It counts as filled once the block has ended without an error.
    """
    finished = folder / "finished"
    folder.parent.mkdir(parents=True, exist_ok=True)
    with folder.with_name(f"{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        is_missing = not finished.exists()
        yield is_missing
        if is_missing:
            finished.touch()
