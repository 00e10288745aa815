"""Signal handling during the start of a server."""

import signal
import sys


def defer_signals() -> None:
    """Block SIGHUP until there is something to reload; exit with 0 on SIGTERM.

    By default both kill the process with a failure status. The event loop or the
    supervisor installs its handlers later.
    """
    signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGHUP,))
    signal.signal(signal.SIGTERM, _end)


def _end(number: int, frame: object) -> None:
    sys.exit(0)
