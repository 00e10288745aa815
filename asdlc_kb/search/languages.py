"""Languages of documents: stemmers by tag, and endings without their accents.

Words are indexed without accents, so that they are found however they are typed. Some
stemmers know an ending only with its accents: `restore_ending` puts these back before
the stemmer reads a word, from the letters alone, so both spellings have one stem.
"""

import re
from collections.abc import Mapping
from typing import Final

ENGLISH: Final = "english"
"""Stemmer of documents in English, of an unknown language, or of one without any."""

STEMMERS: Final = {
    "ar": "arabic",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": ENGLISH,
    "es": "spanish",
    "fi": "finnish",
    "fr": "french",
    "hu": "hungarian",
    "it": "italian",
    "nb": "norwegian",
    "nl": "dutch",
    "nn": "norwegian",
    "no": "norwegian",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sv": "swedish",
    "ta": "tamil",
    "tr": "turkish",
}
"""The stemmers of the engine by primary language subtag (BCP 47)."""

_SUBTAG: Final = re.compile(r"[A-Za-z]+")

_ENDINGS: Final[Mapping[str, Mapping[str, str]]] = {
    "french": {"ee": "ée", "ees": "ées", "eent": "éent", "eer": "éer"},
    "portuguese": {
        "cao": "ção",
        "coes": "ções",
        "ancia": "ância",
        "ancias": "âncias",
        "encia": "ência",
        "encias": "ências",
        "avel": "ável",
        "aveis": "áveis",
        "ivel": "ível",
        "iveis": "íveis",
        "ra": "rá",
        "rao": "rão",
    },
    "spanish": {
        "ia": "ía",
        "ias": "ías",
        "ian": "ían",
        "iamos": "íamos",
        "ra": "rá",
        "ras": "rás",
        "ran": "rán",
    },
}
"""Endings without accents, and with those that the stemmer expects."""

_MAX_ENDING_CHARS: Final = 6
_MIN_START_CHARS: Final = 2
"""Characters of a word before a restored ending."""

_BACK_VOWELS: Final = frozenset("a\u0131ou")
_VOWELS: Final = frozenset("aeiou\u0131öü")


def find_stemmer(tag: str) -> str:
    """Return the stemmer of a language tag; English for an unknown language."""
    match = _SUBTAG.match(tag)
    return STEMMERS.get(match[0].lower(), ENGLISH) if match else ENGLISH


def restore_ending(word: str, stemmer: str) -> str:
    """Return a word with the accents of its ending, as far as a stemmer needs them."""
    if stemmer == "turkish":
        return _restore_vowels(word)
    endings = _ENDINGS.get(stemmer, {})
    for length in range(min(_MAX_ENDING_CHARS, len(word) - _MIN_START_CHARS), 1, -1):
        if ending := endings.get(word[-length:]):
            return word[:-length] + ending
    return word


def _restore_vowels(word: str) -> str:
    """Return a Turkish word with the dots of its vowels by vowel harmony.

    After a back vowel, an i has no dot; after a front vowel, a u has dots.
    """
    letters: list[str] = []
    before = ""
    for letter in word:
        restored = letter
        if letter == "i" and before in _BACK_VOWELS:
            restored = "\u0131"
        elif letter == "u" and before and before not in _BACK_VOWELS:
            restored = "ü"
        before = restored if restored in _VOWELS else before
        letters.append(restored)
    return "".join(letters)
