"""The requirements of the package, by extra, and the command that installs them.

The command never names this package: on an index, the name may be another project's.
"""

import shlex
import sys
from importlib.util import find_spec

from asdlc_kb.exceptions import OperationalError


def missing_extra(feature: str, extra: str, detail: str = "") -> OperationalError:
    """Return the error of a feature that needs an extra, whose `detail` is missing."""
    reason = f"{feature} needs the extra `{extra}`"
    if detail:
        reason += f" (missing {detail})"
    return OperationalError(reason, install_command(extra))


def install_command(extra: str = "", *, is_repair: bool = False) -> str:
    """Return the command that adds an extra to the environment of this interpreter.

    Without an extra, it installs what every installation has. Environments of uv have
    no pip.
    """
    if find_spec("pip") is None:
        words = ["uv", "pip", "install", "--python", sys.executable]
        repair = "--reinstall"
    else:
        words = [sys.executable, "-m", "pip", "install"]
        repair = "--force-reinstall"
    if is_repair:
        words.append(repair)
    return shlex.join([*words, *list_requirements(extra)])


def list_requirements(extra: str = "") -> list[str]:
    """Return the requirements of an extra, or those of every installation.

    There are none in a source tree that is not installed.
    """
    import importlib.metadata

    try:
        requirements = importlib.metadata.requires("asdlc-kb") or []
    except importlib.metadata.PackageNotFoundError:
        return []
    parts = (requirement.partition(";") for requirement in requirements)
    wanted = f'extra == "{extra}"'
    return [
        name.strip()
        for name, _, marker in parts
        if (wanted in marker if extra else "extra ==" not in marker)
    ]
