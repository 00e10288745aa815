"""Questions with the document and the words that answer them."""

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from tomllib import loads
from typing import Final

import msgspec

FOLDER: Final = Path(__file__).parent / "questions"

_ESCAPED_CHARACTER: Final = re.compile(r"\\u([0-9a-f]{4})")
_ESCAPED_BLANK: Final = re.compile(r"\\+[nrt]")
_MARKUP: Final = re.compile(r"[*`_\\]")


class Subject(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What somebody wants to know, and how to recognize the answer."""

    document: str
    """Article (`category/slug`) or path of the page that answers."""
    question: str
    words: tuple[str, ...]
    """Texts that stand in the passage that answers, and in no other."""
    phrase: str = ""
    keyword: str = ""


class _File(msgspec.Struct, forbid_unknown_fields=True):
    subject: tuple[Subject, ...]


@cache
def read_subjects(name: str) -> Sequence[Subject]:
    """Return the subjects of a source."""
    text = (FOLDER / f"{name}.toml").read_text("utf-8")
    return msgspec.convert(loads(text), _File).subject


def has_words(text: str, words: Sequence[str]) -> bool:
    """Whether a text has all words, whatever its case, line ends, marks and escapes."""
    plain = _normalize(text)
    return all(_normalize(word) in plain for word in words)


def _normalize(text: str) -> str:
    text = _ESCAPED_CHARACTER.sub(lambda match: chr(int(match[1], 16)), text)
    text = _MARKUP.sub("", _ESCAPED_BLANK.sub(" ", text))
    return " ".join(text.split()).casefold()
