"""Signal handling of commands, and during the start of a server."""

import signal
import sys


def defer_signals() -> None:
    """Block SIGHUP until there is something to reload; exit with 0 on SIGTERM.

    By default both kill the process with a failure status. The event loop or the
    supervisor installs its handlers later.
    """
    signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGHUP,))
    signal.signal(signal.SIGTERM, _end)


def exit_on_sigterm() -> None:
    """Exit with 143 on SIGTERM, also as the first process of a container.

    The kernel ignores it there without a handler.
    """
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))


def _end(number: int, frame: object) -> None:
    sys.exit(0)
