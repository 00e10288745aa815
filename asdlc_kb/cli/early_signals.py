"""What signals do to a server that has only begun to start."""

import signal
import sys


def defer_signals() -> None:
    """Have SIGHUP wait for something to reload, and SIGTERM end the start in peace.

    By themselves both would kill, and tell whoever sent them of a failure. Once there
    is an event loop, or a parent of workers, it has handlers of its own for them.
    """
    signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGHUP,))
    signal.signal(signal.SIGTERM, _end)


def _end(number: int, frame: object) -> None:
    sys.exit(0)
