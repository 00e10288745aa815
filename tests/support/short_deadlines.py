"""Run a command of ours with shorter deadlines: `short_deadlines.py NAMES python -m …`.

It precedes the command as `env` and `unshare` do, and the deadlines of these names
(separated by commas) are `SECONDS`. The real ones are too long for each test.
"""

import sys
from typing import Final

from asdlc_kb.cli import main
from asdlc_kb.web.connections import monitored_stream

SECONDS: Final = 1.0


def prefix(*names: str) -> tuple[str, ...]:
    """Return the prefix of a command that makes these deadlines short."""
    return sys.executable, __file__, ",".join(names)


if __name__ == "__main__":
    for name in sys.argv[1].split(","):
        assert hasattr(monitored_stream, name)
        setattr(monitored_stream, name, SECONDS)
    sys.argv[:] = sys.argv[4:]
    main()
