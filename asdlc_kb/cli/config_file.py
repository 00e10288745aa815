"""The configuration file of a command: discovery, reading and restrictions.

A named file can set everything. A file discovered in the working directory can set what
`DISCOVERABLE` lists. Any other setting in it is an error rather than ignored: a server
that ignored an `auth_tokens_file` would answer every client.
"""

import logging
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import msgspec

from asdlc_kb.cli.check_result import CheckResult, Severity
from asdlc_kb.exceptions import SettingsError
from asdlc_kb.ops.auth.credentials import Exposure, find_exposure, require_private
from asdlc_kb.ops.logs.url_masking import mask_secrets
from asdlc_kb.settings import (
    CREDENTIALS,
    FILE_NAME,
    PREFIX,
    SECRETS,
    Settings,
)
from asdlc_kb.settings_descriptions import DESCRIPTIONS

_BRANDING_FILES: Final = ("logo", "custom_css")
DISCOVERABLE: Final = frozenset(
    {
        *("title", "tagline", "accent", "footer", "announcement", *_BRANDING_FILES),
        *("max_search_results", "snippet_length", "changelog"),
    }
)
"""Settings that a discovered configuration file may set (one not named by a flag).

The working directory may be a cloned repository. Its file may set names, the look of
the website with files of its folder, and the size of search results. All other settings
decide which clients reach the server, which files it reads and writes, or what models
are instructed to do.
"""

logger = logging.getLogger(__name__)

ConfigOrigin: TypeAlias = Literal["flag", "environment", "working directory", "default"]

MAX_FILE_BYTES: Final = 64 * 1024
"""Maximum size of a configuration file."""

_ESCAPED_PATH: Final = re.compile(rb'"[A-Za-z]:\\(?!\\)')
"""The beginning of a path of Windows in double quotes."""

_ORIGIN_TEXTS: Final[Mapping[ConfigOrigin, str]] = {
    "flag": "named by --config",
    "environment": f"named by {PREFIX}CONFIG",
    "working directory": "found in the working directory",
}

_ACCESS_SETTINGS: Final = frozenset(
    {
        *(*CREDENTIALS, "bus_url", "store", "trusted_proxy"),
        *("metrics_allow", "insights_allow"),
        *("auth_issuer", "auth_audience", "auth_scope", "allow_host", "allow_origin"),
    }
)
"""Settings that control access: other users must not write a file that has them."""


class Configuration(msgspec.Struct, frozen=True):
    """The configuration file that was read; none without a path."""

    path: Path | None = None
    origin: ConfigOrigin = "default"
    """The source of its path."""
    values: Mapping[str, Any] = msgspec.field(default_factory=dict)

    @property
    def is_secret(self) -> bool:
        """Whether it contains a password."""
        names = self.values.keys() & {"bus_url", "store"}
        addresses = (self.values[name] for name in names)
        return any(
            mask_secrets(part) != part
            for each in addresses
            if isinstance(each, str)
            for part in each.split(",")
        )

    def check_exposure(self) -> Exposure | None:
        """Return the access of other users, if the file has access settings."""
        if self.path is None or _ACCESS_SETTINGS.isdisjoint(self.values):
            return None
        return find_exposure(self.path, is_secret=self.is_secret)

    def require_private(self) -> None:
        """Raise OperationalError if other users can change it; log if they can read."""
        if (exposure := self.check_exposure()) is not None:
            require_private(exposure)

    def describe(self) -> str:
        """Return the file's path, the source of the path, and the settings in it."""
        if self.path is None:
            return "no configuration file was read"
        names = ", ".join(self.values) or "nothing"
        return f"{self.path.absolute()}, {_ORIGIN_TEXTS[self.origin]}: sets {names}"


def read_file(path: Path) -> Mapping[str, Any]:
    """Return the keys of a configuration file; raise SettingsError if it is wrong."""
    try:
        with path.open("rb") as file:
            text = file.read(MAX_FILE_BYTES + 1)
        if len(text) > MAX_FILE_BYTES:
            raise SettingsError(
                f"{path}: the file is larger than {MAX_FILE_BYTES:,} bytes"
            )
        import tomllib

        return tomllib.loads(text.decode("utf-8-sig"))
    except RecursionError:
        raise SettingsError(f"{path}: values are nested too deeply") from None
    except OSError as error:
        raise SettingsError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise SettingsError(
            f"{path}: it is not UTF-8 at byte {error.start:,}: save it as UTF-8"
        ) from None
    except ValueError as error:
        reason = str(error).replace("Illegal character '\\n'", "a text has no end")
        raise SettingsError(f"{path}: {reason}{_advise(text)}") from None


def _advise(text: bytes) -> str:
    """Return the advice for a broken file with a path of Windows."""
    if _ESCAPED_PATH.search(text) is None:
        return ""
    return '; "\\" begins an escape: write paths in single quotes'


def open_configuration(path: Path | None, origin: ConfigOrigin) -> Configuration:
    """Return the named file, or the one in the working directory.

    Raises SettingsError; also for a setting that a discovered file cannot set.
    """
    if path is not None:
        return Configuration(path, origin, read_file(path))
    path = Path(FILE_NAME)
    if not path.is_file():
        return Configuration()
    values = read_file(path)
    if refused := sorted(values.keys() & DESCRIPTIONS.keys() - DISCOVERABLE):
        raise SettingsError(
            f"{path} in the working directory cannot set {', '.join(refused)} unless "
            f"you name the file: --config {path}. To ignore the file: --config "
            "/dev/null"
        )
    for name in _BRANDING_FILES:
        _require_inside(path, name, values.get(name))
    return Configuration(path, "working directory", values)


def _require_inside(path: Path, name: str, value: object) -> None:
    """Raise SettingsError for a file outside the folder of a discovered file."""
    folder = path.absolute().parent.resolve()
    if isinstance(value, str) and not Path(value).resolve().is_relative_to(folder):
        raise SettingsError(
            f"{path} in the working directory cannot set {name} to {value}, which is "
            f"outside of its folder, unless you name the file: --config {path}"
        )


def warn_of_unread() -> None:
    """Log a warning if there is a configuration file in the working directory."""
    path = Path(FILE_NAME)
    if path.is_file():
        logger.warning(
            "configuration file of the working directory is not read",
            extra={"file": str(path.absolute()), "advice": f"--config {path}"},
        )


def check_configuration(
    settings: Settings, file: Configuration
) -> Iterator[CheckResult]:
    """Yield checks of the configuration file and of each file with credentials."""
    yield CheckResult("Settings", "ok", file.describe())
    if (exposure := file.check_exposure()) is not None:
        yield _describe_exposure("Settings", exposure)
    for name in CREDENTIALS:
        if (path := getattr(settings, name)) is not None:
            yield _check_credentials(name, Path(path))


def _check_credentials(name: str, path: Path) -> CheckResult:
    try:
        exposure = find_exposure(path, is_secret=name in SECRETS)
    except OSError as error:
        message = f"cannot read {path}: {error.strerror}"
        return CheckResult(name, "failure", message, "name an existing file")
    if exposure is not None:
        return _describe_exposure(name, exposure)
    return CheckResult(name, "ok", f"{path}: no other user can change it")


def _describe_exposure(subject: str, exposure: Exposure) -> CheckResult:
    message = f"{exposure.path}: {exposure.reason}"
    level: Severity = "failure" if exposure.can_change else "warning"
    return CheckResult(subject, level, message, exposure.advice)
