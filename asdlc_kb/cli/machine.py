"""This machine, for those who are told of one."""

import os
import sys
from pathlib import Path

from asdlc_kb.connect.machine import Machine, System


def this_machine() -> Machine:
    """Return the machine, home and folder that the command runs on and in."""
    system: System = "macos" if sys.platform == "darwin" else "linux"
    return Machine(system, Path.home(), Path.cwd(), dict(os.environ))
