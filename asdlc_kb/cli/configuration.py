"""The configuration file of a command: which one is read, and what it may set.

A file that is named may set everything. One that is found in the working directory may
set what `FOUND` lists; any other setting in it is refused, not ignored: without its
`auth_tokens_file`, say, a server would start that answers everybody.
"""

import logging
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from asdlc_kb.cli.finding import Finding, Level
from asdlc_kb.exceptions import SettingsError
from asdlc_kb.ops.credentials import Exposure, examine, refuse_exposed
from asdlc_kb.settings import (
    CREDENTIALS,
    DESCRIPTIONS,
    FILE_NAME,
    FOUND,
    PREFIX,
    SECRETS,
    Settings,
    conceal,
)

logger = logging.getLogger(__name__)

Origin: TypeAlias = Literal["flag", "environment", "working directory", "default"]

MAX_FILE_BYTES: Final = 64 * 1024
"""Bytes of a configuration file."""

_HOW: Final[Mapping[Origin, str]] = {
    "flag": "named by --config",
    "environment": f"named by {PREFIX}CONFIG",
    "working directory": "found in the working directory",
}

_DECIDES: Final = frozenset({*CREDENTIALS, "redis_url"})
"""Settings that make a file one that other users must not be able to write."""


@dataclass(frozen=True, slots=True)
class Configuration:
    """A configuration file that was read, or that there is none."""

    path: Path | None = None
    origin: Origin = "default"
    """What named it; the working directory if it was found there."""
    values: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_secret(self) -> bool:
        """Whether a password is in it."""
        address = self.values.get("redis_url", "")
        return isinstance(address, str) and conceal(address) != address

    def examine(self) -> Exposure | None:
        """Return how other users get at it, where that matters."""
        if self.path is None or _DECIDES.isdisjoint(self.values):
            return None
        return examine(self.path, is_secret=self.is_secret)

    def refuse_exposed(self) -> None:
        """Raise HostError if other users can change who is let in; log who reads."""
        if (exposure := self.examine()) is not None:
            refuse_exposed(exposure)

    def describe(self) -> str:
        """Return which file was read and why, and what it sets."""
        if self.path is None:
            return "none was read"
        names = ", ".join(self.values) or "nothing"
        return f"{self.path.absolute()}, {_HOW[self.origin]}: it sets {names}"


def read_file(path: Path) -> Mapping[str, Any]:
    """Return the keys of a configuration file; raise SettingsError if it is wrong."""
    try:
        with path.open("rb") as file:
            text = file.read(MAX_FILE_BYTES + 1)
        if len(text) > MAX_FILE_BYTES:
            raise SettingsError(f"{path}: it is larger than {MAX_FILE_BYTES:,} bytes")
        return tomllib.loads(text.decode())
    except RecursionError:
        raise SettingsError(f"{path}: its values are nested too deeply") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise SettingsError(f"{path}: {error}") from None


def open_configuration(path: Path | None, origin: Origin) -> Configuration:
    """Return the file that is named, or the one of the working directory.

    Raises SettingsError, for a key too that only a file which is named may set.
    """
    if path is not None:
        return Configuration(path, origin, read_file(path))
    found = Path(FILE_NAME)
    if not found.is_file():
        return Configuration()
    values = read_file(found)
    if refused := sorted(values.keys() & DESCRIPTIONS.keys() - FOUND):
        raise SettingsError(
            f"{found}: a file that is only found in the working directory cannot set "
            f"{', '.join(refused)}. If it is yours, name it: --config {found}. To go "
            "without it: --config /dev/null"
        )
    return Configuration(found, "working directory", values)


def warn_of_unread() -> None:
    """Log that a file of the working directory is not read, if there is one."""
    found = Path(FILE_NAME)
    if found.is_file():
        logger.warning(
            "configuration file of the working directory is not read",
            extra={"file": str(found.absolute()), "advice": f"--config {found}"},
        )


def examine_configuration(settings: Settings, file: Configuration) -> Iterator[Finding]:
    """Yield which file was read, and who can change or read what credentials are in."""
    yield Finding("Settings", "ok", file.describe())
    if (exposure := file.examine()) is not None:
        yield _describe_exposure("Settings", exposure)
    for name in CREDENTIALS:
        if (path := getattr(settings, name)) is not None:
            yield _examine_credentials(name, Path(path))


def _examine_credentials(name: str, path: Path) -> Finding:
    try:
        exposure = examine(path, is_secret=name in SECRETS)
    except OSError as error:
        said = f"cannot read {path}: {error.strerror}"
        return Finding(name, "failure", said, "name a file that is there")
    if exposure is not None:
        return _describe_exposure(name, exposure)
    return Finding(name, "ok", f"{path}: no other user can change it")


def _describe_exposure(subject: str, exposure: Exposure) -> Finding:
    said = f"{exposure.path}: {exposure.reason}"
    level: Level = "failure" if exposure.can_change else "warning"
    return Finding(subject, level, said, exposure.advice)
