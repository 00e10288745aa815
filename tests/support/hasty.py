"""Run a command of ours with shorter deadlines: `hasty.py NAMES python -m asdlc_kb …`.

It stands before the command as `env` and `unshare` do, and the deadlines of these names
(commas between them) are `SECONDS`. Nobody would wait for the real ones in each test.
"""

import sys
from typing import Final

from asdlc_kb.cli import main
from asdlc_kb.web.connections import connection_manager

SECONDS: Final = 1.0


def prefix(*names: str) -> tuple[str, ...]:
    """Return what stands before a command to make these deadlines short."""
    return sys.executable, __file__, ",".join(names)


if __name__ == "__main__":
    for name in sys.argv[1].split(","):
        assert hasattr(connection_manager, name)
        setattr(connection_manager, name, SECONDS)
    sys.argv[:] = sys.argv[4:]
    main()
