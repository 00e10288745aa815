"""The command line: arguments in, exit code out.

Exit codes: 0 success, 1 findings, 2 usage, 3 operational error, 130 interrupted.
"""

import os
import signal

_is_default = signal.getsignal(signal.SIGINT) is signal.default_int_handler
if _is_default:
    # While modules are imported, nothing else would catch an interrupt.
    signal.signal(signal.SIGINT, lambda number, frame: os._exit(130))

from asdlc_kb.cli.main import main  # noqa: E402

if _is_default:
    signal.signal(signal.SIGINT, signal.default_int_handler)

__all__ = ["main"]
