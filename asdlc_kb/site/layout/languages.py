"""Languages of pages: tags for HTML, names, direction of writing."""

import re
from collections.abc import Mapping
from typing import Final

ENGLISH: Final = "en"
"""The language of the site's own words."""

_TAG: Final = re.compile(r"[a-z]{2,3}(?:-[a-z0-9]{2,8}){0,3}", re.IGNORECASE)

_RIGHT_TO_LEFT: Final = frozenset({"ar", "fa", "he", "ur"})

_NAMES: Final[Mapping[str, str]] = {
    "ar": "العربية",
    "az": "Azərbaycanca",
    "bn": "বাংলা",
    "cs": "Čeština",
    "da": "Dansk",
    "de": "Deutsch",
    "el": "Ελληνικά",
    "en": "English",
    "es": "Español",
    "fa": "فارسی",
    "fi": "Suomi",
    "fr": "Français",
    "he": "עברית",
    "hi": "हिन्दी",
    "hu": "Magyar",
    "id": "Bahasa Indonesia",
    "it": "Italiano",
    "ja": "日本語",
    "ko": "한국어",
    "nl": "Nederlands",
    "no": "Norsk",
    "pl": "Polski",
    "pt": "Português",
    "pt-br": "Português (Brasil)",
    "ro": "Română",
    "ru": "Русский",
    "sv": "Svenska",
    "th": "ไทย",
    "tr": "Türkçe",
    "uk": "Українська",
    "ur": "اردو",
    "vi": "Tiếng Việt",
    "zh": "中文",
    "zh-cn": "简体中文",
    "zh-hans": "简体中文",
    "zh-hant": "繁體中文",
    "zh-tw": "繁體中文",
}
"""Names of languages as their speakers write them."""


def read_tag(language: str) -> str:
    """Return a language as generators write it as a tag (BCP 47); empty if it is none.

    `pt_BR` is `pt-BR`.
    """
    tag = language.replace("_", "-")
    return tag if _TAG.fullmatch(tag) else ""


def name_language(language: str) -> str:
    """Return the name of a language in itself; the tag if it is not known."""
    return _NAMES.get(read_tag(language).lower(), language)


def is_right_to_left(tag: str) -> bool:
    """Whether a language is written from right to left."""
    return tag.lower().partition("-")[0] in _RIGHT_TO_LEFT
