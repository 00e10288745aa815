"""Real files in the states that tests need, and clocks that tests set."""

import codecs
import gc
import os
import resource
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class Clock:
    """A clock that stands still until the test moves it."""

    def __init__(self, now: float = 0.0) -> None:
        self.now = now

    def __call__(self) -> float:
        """Return the time."""
        return self.now

    def pass_after(self, path: Path, seconds: float) -> None:
        """Set the time to `seconds` after the last change of a file."""
        self.now = os.stat(path).st_ctime_ns / 1e9 + seconds


def save_in_place(path: Path, text: str | bytes) -> Path:
    """Write a file in place, keeping its inode, as a careless editor does."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def save_over(path: Path, text: str | bytes) -> Path:
    """Write a new file and rename it over the old one, as a careful editor does."""
    temporary = path.parent / ".save-over.tmp"
    save_in_place(temporary, text)
    temporary.rename(path)
    return path


@contextmanager
def ordinary_user() -> Iterator[Path]:
    """Become a user without privileges; yield a folder that this user owns."""
    is_root = os.geteuid() == 0
    # Imported now: the ordinary user may be unable to read the module.
    codecs.lookup("utf-8-sig")
    with tempfile.TemporaryDirectory() as name:
        if is_root:
            os.chown(name, 65534, -1)
            os.seteuid(65534)
        try:
            yield Path(name).resolve()
        finally:
            if is_root:
                os.seteuid(0)


@contextmanager
def one_descriptor_left() -> Iterator[None]:
    """Let this process open one more file, and no second one."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    # What an earlier test left in a cycle would be closed meanwhile: one more is free.
    gc.collect()
    gc.disable()
    lowest = os.open("/", os.O_RDONLY)
    os.close(lowest)
    resource.setrlimit(resource.RLIMIT_NOFILE, (lowest + 1, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        gc.enable()


def count_inotify_instances() -> int:
    """Return the number of inotify instances of this process."""
    folder = "/proc/self/fd"
    # The descriptor of the listing is closed already.
    links = [f"{folder}/{name}" for name in os.listdir(folder)]
    return sum(
        "inotify" in os.readlink(link) for link in links if os.path.lexists(link)
    )
