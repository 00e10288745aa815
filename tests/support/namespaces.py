"""Namespaces of Linux: a server with its own mounts and kernel limits.

They need no privileges, but some containers and other systems do not allow them: a test
that needs them is then skipped, with the reason.
"""

import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest

from support.processes import BOUND, Served

_UNSHARE = ("unshare", "--user", "--map-root-user", "--mount")
_LIMITS = Path("/proc/sys/user")
_FILE = "/proc/version"


def namespaced(limits: Mapping[str, int] | None = None) -> tuple[str, ...]:
    """Return the prefix of a command that gets its own namespaces.

    `limits` are those of `/proc/sys/user` for that command. Skips the test if
    namespaces are not available.
    """
    if missing := _try(_UNSHARE, "mount", "--bind", _FILE, _FILE):
        pytest.skip(f"no user and mount namespaces: {missing}")
    if not limits:
        return _UNSHARE
    sets = [f"echo {value} > {_LIMITS / name}" for name, value in limits.items()]
    limited = (*_UNSHARE, "sh", "-ec", "; ".join([*sets, 'exec "$@"']), "sh")
    if missing := _try(limited, "true"):
        pytest.skip(f"no limits of a user namespace: {missing}")
    return limited


class Mounts:
    """The mounts of a running server, changed from outside."""

    def __init__(self, served: Served) -> None:
        self.pid = served.running.process.pid

    def bind(self, source: Path, target: Path) -> None:
        """Mount a file or folder over another one."""
        self._run("mount", "--bind", source, target)

    def break_file(self, target: Path) -> None:
        """Mount a regular file over another one that can be opened but not read: EIO.

        It is the server's own memory, with nothing mapped at the address 0.
        """
        self.bind(Path(f"/proc/{self.pid}/mem"), target)

    def take_away(self, target: Path) -> None:
        """Undo the last mount over a path, though the server may have it open."""
        self._run("umount", "--lazy", target)

    def _run(self, *command: str | Path) -> None:
        enter = ("nsenter", f"--target={self.pid}", "--user", "--mount")
        done = subprocess.run(
            [*enter, "--preserve-credentials", *map(str, command)],
            capture_output=True,
            timeout=BOUND,
            check=False,
        )
        assert done.returncode == 0, done.stderr


@cache
def _try(prefix: tuple[str, ...], *command: str) -> str:
    """Return why a command with this prefix fails, or nothing."""
    if not sys.platform.startswith("linux"):
        return "they are Linux's"
    try:
        done = subprocess.run(
            [*prefix, *command], capture_output=True, timeout=BOUND, check=False
        )
    except OSError as error:
        return f"unshare: {error.strerror}"
    return done.stderr.decode(errors="replace").strip() if done.returncode else ""
