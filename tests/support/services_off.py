"""Services of Linux, switched off: inotify, read leases, further processes.

As a program, `python services_off.py NAME,NAME python -m asdlc_kb ...` runs a server
without them. The switches are at the calls of the kernel, so that everything above
takes the paths of a system that lacks the service.
"""

import errno
import fcntl
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NoReturn

import pytest

from asdlc_kb.files import folder_events, inotify

PROGRAM: Final = Path(__file__)


def _refuse(*arguments: object, **options: object) -> NoReturn:
    raise OSError(errno.EAGAIN, "switched off")


def _switch_off_inotify(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(folder_events, "_HAS_INOTIFY", False)
    patch.setattr(inotify.Inotify, "__init__", _refuse)


def _switch_off_leases(patch: pytest.MonkeyPatch) -> None:
    call = fcntl.fcntl

    def answer(descriptor: Any, command: int, argument: Any = 0) -> Any:
        if command == fcntl.F_SETLEASE:
            raise OSError(errno.EINVAL, "switched off")
        return call(descriptor, command, argument)

    patch.setattr(fcntl, "fcntl", answer)


def _switch_off_processes(patch: pytest.MonkeyPatch) -> None:
    patch.setattr("os.fork", _refuse)
    patch.setattr(subprocess.Popen, "__init__", _refuse)


SWITCHES: Final[Mapping[str, Any]] = {
    "inotify": _switch_off_inotify,
    "leases": _switch_off_leases,
    "processes": _switch_off_processes,
}


def run_without(names: str, command: Sequence[str]) -> None:
    """Run the command line in this process without some services."""
    from asdlc_kb.cli import main

    _interpreter, _option, _module, *arguments = command
    with pytest.MonkeyPatch.context() as patch:
        for name in names.split(","):
            SWITCHES[name](patch)
        main(arguments)


if __name__ == "__main__":
    run_without(sys.argv[1], sys.argv[2:])
