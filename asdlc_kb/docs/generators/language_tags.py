"""Language tags (BCP 47, RFC 5646) as configurations and folders write them."""

import re
from typing import Final

MAX_TAG_CHARS: Final = 35
"""Characters of a tag, as RFC 5646 (4.4.1) recommends to allow."""

_TAG: Final = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,6}")

_FOLDER: Final = re.compile(
    r"([a-z]{2})(?:[-_](?:hans|hant|latn|cyrl))?(?:[-_](?:[a-z]{2}|[0-9]{3}))?",
    re.IGNORECASE,
)
_FOLDER_LANGUAGES: Final = frozenset(
    {
        *("ar", "az", "be", "bg", "bn", "ca", "cs", "da", "de", "el", "en", "es"),
        *("et", "eu", "fa", "fi", "fr", "ga", "gl", "he", "hi", "hr", "hu"),
        *("hy", "id", "is", "it", "ja", "ka", "kk", "km", "ko", "lt", "lv", "mn"),
        *("ms", "nb", "nl", "no", "pl", "pt", "ro", "ru", "sk", "sl", "sq", "sr"),
        *("sv", "sw", "ta", "te", "th", "tr", "uk", "ur", "uz", "vi", "zh"),
    }
)
"""Languages that a folder without a configuration may be named after (ISO 639-1)."""


def read_language_tag(text: str) -> str:
    """Return a tag in its usual case, as `zh-Hans-CN`; empty for anything else.

    An underscore counts as a hyphen.
    """
    text = text.strip().replace("_", "-")
    if len(text) > MAX_TAG_CHARS or not _TAG.fullmatch(text):
        return ""
    language, *subtags = text.split("-")
    return "-".join((language.lower(), *map(_format_subtag, subtags)))


def read_folder_language(name: str) -> str:
    """Return the tag of a folder that is named after a common language, or empty."""
    found = _FOLDER.fullmatch(name)
    if found is None or found[1].lower() not in _FOLDER_LANGUAGES:
        return ""
    return read_language_tag(name)


def _format_subtag(subtag: str) -> str:
    if len(subtag) == 4 and subtag.isalpha():
        return subtag.title()
    return subtag.upper() if len(subtag) == 2 else subtag.lower()
