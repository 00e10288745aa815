"""Resolution of the settings: flags, environment and file to one table.

Precedence: flag, environment, file, default.
"""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from asdlc_kb.exceptions import SettingsError
from asdlc_kb.settings import FILE_NAME, LISTS, PREFIX, Settings
from asdlc_kb.settings_descriptions import DESCRIPTIONS
from asdlc_kb.unicode.counts import count_removed
from asdlc_kb.unicode.invisible import strip_invisible

_FORMER_SINGLES: Final = frozenset({"docs", "dialect"})
"""Lists that a file may give as one text, too."""

_TEXTS: Final = (
    *("title", "tagline", "footer", "announcement"),
    *("instructions", "topics"),
)
"""Settings with a text that is shown to readers and models."""


def resolve_settings(
    flags: Mapping[str, Any],
    environ: Mapping[str, str],
    file: Mapping[str, Any],
    file_name: str = FILE_NAME,
) -> tuple[Settings, Mapping[str, str]]:
    """Return the settings, and the origin of each.

    `flags` has only the flags that were given. Raises SettingsError naming the setting.
    """
    from_environ = {
        name: _split_list(value) if name in LISTS else value
        for name in DESCRIPTIONS
        if (value := environ.get(PREFIX + name.upper())) is not None
    }
    values: dict[str, Any] = {}
    origins = dict.fromkeys(DESCRIPTIONS, "default")
    sources = ((file_name, file), ("environment", from_environ), ("flag", flags))
    for origin, given in sources:
        source = dict(given)
        for name in _FORMER_SINGLES & source.keys():
            if isinstance(source[name], str):
                source[name] = (source[name],)
        values.update(source)
        origins.update(dict.fromkeys(source, origin))
    _refuse_unknown(environ, file, file_name)
    try:
        settings = msgspec.convert(values, Settings, strict=False)
    except msgspec.ValidationError:
        from asdlc_kb.settings_errors import describe_invalid

        raise SettingsError(describe_invalid(values, origins)) from None
    for name in _TEXTS:
        text = getattr(settings, name) or ""
        if (removed := count_removed(text, strip_invisible(text))) is not None:
            raise SettingsError(
                f"invalid setting: {removed.message}, at character {removed.at + 1} of "
                f"`{name}` ({origins[name]}): remove the invisible characters"
            )
    return settings, origins


def _refuse_unknown(
    environ: Mapping[str, str], file: Mapping[str, Any], file_name: str
) -> None:
    """Raise SettingsError for a key of the file or a variable that is misspelt."""
    if unknown := file.keys() - DESCRIPTIONS.keys():
        from asdlc_kb.settings_errors import describe_unknown

        raise SettingsError(describe_unknown(sorted(unknown), file_name))
    variables = {PREFIX + name.upper() for name in (*DESCRIPTIONS, "config")}
    given = {name for name in environ if name.startswith(PREFIX)}
    if unknown := given - variables:
        from asdlc_kb.settings_errors import find_misspelt

        if message := find_misspelt(sorted(unknown)):
            raise SettingsError(message)


def _split_list(text: str) -> list[str]:
    """Return the items of a list in an environment variable (`a, b`)."""
    return [word.strip() for word in text.split(",") if word.strip()]
