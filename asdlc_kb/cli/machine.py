"""This machine, for those who are told of one."""

import os
import sys
from pathlib import Path

from asdlc_kb.connect.machine import Machine, System
from asdlc_kb.exceptions import HostError


def this_machine() -> Machine:
    """Return the machine, home and folder that the command runs on and in.

    Raises HostError for somebody without a home, or in a folder that was removed.
    """
    system: System = "macos" if sys.platform == "darwin" else "linux"
    try:
        return Machine(system, Path.home(), Path.cwd(), dict(os.environ))
    except (RuntimeError, OSError) as error:
        message = f"there is no home or no working directory: {error}"
        raise HostError(message) from None
