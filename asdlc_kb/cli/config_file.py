"""The configuration file of a command: which one is read, and what it may set.

A named file may set everything. A file found in the working directory may set what
`FOUND` lists. Any other setting in it is refused rather than ignored: a server that
ignored an `auth_tokens_file` would answer every client.
"""

import logging
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from asdlc_kb.cli.check_result import CheckResult, Severity
from asdlc_kb.exceptions import SettingsError
from asdlc_kb.ops.auth.credentials import Exposure, find_exposure, require_private
from asdlc_kb.settings import (
    CREDENTIALS,
    DESCRIPTIONS,
    FILE_NAME,
    FOUND,
    PREFIX,
    SECRETS,
    Settings,
    mask_secrets,
)

logger = logging.getLogger(__name__)

ConfigOrigin: TypeAlias = Literal["flag", "environment", "working directory", "default"]

MAX_FILE_BYTES: Final = 64 * 1024
"""Bytes of a configuration file."""

_HOW: Final[Mapping[ConfigOrigin, str]] = {
    "flag": "named by --config",
    "environment": f"named by {PREFIX}CONFIG",
    "working directory": "found in the working directory",
}

_DECIDES: Final = frozenset(
    {
        *(*CREDENTIALS, "redis_url", "trusted_proxy", "metrics_allow"),
        *("auth_issuer", "auth_audience", "auth_scope", "allow_host", "allow_origin"),
    }
)
"""Settings that decide which clients get in: other users must not write such a file."""


@dataclass(frozen=True, slots=True)
class Configuration:
    """A configuration file that was read; without a path, none was."""

    path: Path | None = None
    origin: ConfigOrigin = "default"
    """The source of its path."""
    values: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_secret(self) -> bool:
        """Whether it contains a password."""
        address = self.values.get("redis_url", "")
        return isinstance(address, str) and mask_secrets(address) != address

    def examine(self) -> Exposure | None:
        """Return the access of other users, if the file decides who gets in."""
        if self.path is None or _DECIDES.isdisjoint(self.values):
            return None
        return find_exposure(self.path, is_secret=self.is_secret)

    def refuse_exposed(self) -> None:
        """Raise HostError if other users can change it; log that all can read it."""
        if (exposure := self.examine()) is not None:
            require_private(exposure)

    def describe(self) -> str:
        """Return the file's path, the source of the path, and the settings in it."""
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
    except (ValueError, OSError) as error:
        raise SettingsError(f"{path}: {error}") from None


def open_configuration(path: Path | None, origin: ConfigOrigin) -> Configuration:
    """Return the named file, or the one in the working directory.

    Raises SettingsError; also for a setting in a found file that needs a named one.
    """
    if path is not None:
        return Configuration(path, origin, read_file(path))
    found = Path(FILE_NAME)
    if not found.is_file():
        return Configuration()
    values = read_file(found)
    if refused := sorted(values.keys() & DESCRIPTIONS.keys() - FOUND):
        raise SettingsError(
            f"{found} in the working directory cannot set {', '.join(refused)} unless "
            f"you name the file: --config {found}. To ignore the file: --config "
            "/dev/null"
        )
    return Configuration(found, "working directory", values)


def warn_of_unread() -> None:
    """Log a configuration file in the working directory, which is not read."""
    found = Path(FILE_NAME)
    if found.is_file():
        logger.warning(
            "configuration file of the working directory is not read",
            extra={"file": str(found.absolute()), "advice": f"--config {found}"},
        )


def check_configuration(
    settings: Settings, file: Configuration
) -> Iterator[CheckResult]:
    """Yield the configuration file that was read, and each file with credentials."""
    yield CheckResult("Settings", "ok", file.describe())
    if (exposure := file.examine()) is not None:
        yield _describe_exposure("Settings", exposure)
    for name in CREDENTIALS:
        if (path := getattr(settings, name)) is not None:
            yield _examine_credentials(name, Path(path))


def _examine_credentials(name: str, path: Path) -> CheckResult:
    try:
        exposure = find_exposure(path, is_secret=name in SECRETS)
    except OSError as error:
        said = f"cannot read {path}: {error.strerror}"
        return CheckResult(name, "failure", said, "name a file that is there")
    if exposure is not None:
        return _describe_exposure(name, exposure)
    return CheckResult(name, "ok", f"{path}: no other user can change it")


def _describe_exposure(subject: str, exposure: Exposure) -> CheckResult:
    said = f"{exposure.path}: {exposure.reason}"
    level: Severity = "failure" if exposure.can_change else "warning"
    return CheckResult(subject, level, said, exposure.advice)
