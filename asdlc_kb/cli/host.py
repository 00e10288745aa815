"""The host environment of the command."""

import os
import sys
from pathlib import Path

from asdlc_kb.connect.host_environment import HostEnvironment, System
from asdlc_kb.exceptions import OperationalError


def find_host_environment() -> HostEnvironment:
    """Return system, home folder, working directory and environment.

    Raises OperationalError without a home folder or in a removed directory.
    """
    system: System = "macos" if sys.platform == "darwin" else "linux"
    try:
        return HostEnvironment(system, Path.home(), Path.cwd(), dict(os.environ))
    except (RuntimeError, OSError) as error:
        message = f"cannot find the home or working directory: {error}"
        raise OperationalError(message) from None
