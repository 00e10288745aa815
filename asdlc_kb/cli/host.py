"""This machine, for those who are told of one."""

import os
import sys
from pathlib import Path

from asdlc_kb.connect.host_environment import HostEnvironment, System
from asdlc_kb.exceptions import OperationalError


def find_host_environment() -> HostEnvironment:
    """Return the machine, home and folder that the command runs on and in.

    Raises OperationalError without a home folder, or in a folder that was removed.
    """
    system: System = "macos" if sys.platform == "darwin" else "linux"
    try:
        return HostEnvironment(system, Path.home(), Path.cwd(), dict(os.environ))
    except (RuntimeError, OSError) as error:
        message = f"there is no home or no working directory: {error}"
        raise OperationalError(message) from None
