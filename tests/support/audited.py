"""Run a command of ours with an audit hook: `audited.py FILE python -m asdlc_kb …`.

It precedes the command as `env` does. Each file that Python opens, and each program or
connection that it starts, is written to FILE as a line of JSON: the event and its
subject.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any, Final

REACHING: Final = frozenset(
    {
        *("os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn"),
        *("os.startfile", "os.system", "pty.spawn", "subprocess.Popen"),
        *("socket.connect", "socket.getaddrinfo", "socket.gethostbyname"),
        *("socket.sendto", "socket.sendmsg", "urllib.Request"),
        "pickle.find_class",
    }
)
"""Calls that start a program, open a connection, or run data."""


def prefix(file: Path) -> tuple[str, ...]:
    """Return the prefix of a command that is to be audited."""
    return sys.executable, __file__, str(file)


def _watch(file: str) -> None:
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC)

    def note(event: str, about: tuple[Any, ...]) -> None:
        if event == "open":
            path, _, flags = about
            named = os.fsdecode(path) if isinstance(path, (str, bytes)) else None
            row: list[object] = [event, named, flags]
        elif event == "socket.sendmsg" and about[1] is None:
            # Without an address: to the peer of a connection that it accepted.
            return
        elif event in REACHING:
            row = [event, repr(about)[:200], 0]
        else:
            return
        os.write(descriptor, json.dumps(row).encode() + b"\n")

    sys.addaudithook(note)


if __name__ == "__main__":
    from asdlc_kb.cli import main

    _watch(sys.argv[1])
    sys.argv[:] = sys.argv[4:]
    main()
