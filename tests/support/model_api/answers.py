"""What a careful model takes out of the answers of our tools."""

import re
from collections.abc import Sequence
from typing import Final

from support.model_api.conversation import Result

_CURSOR: Final = re.compile(r'[Cc]ursor "([^"]+)"')
_ROW: Final = re.compile(r"^\d+\. (\S+) \(score: [\d.]+\)$", re.MULTILINE)
_SENTENCE: Final = re.compile(r"(?<=[.:;!?])\s+|\n\s*(?:[-*|]|\n)\s*")
_WORD: Final = re.compile(r"\w{4,}")
_HEADING: Final = re.compile(r"^   .* \(#([^)]+)\)$", re.MULTILINE)


def find_cursor(result: Result) -> str | None:
    """Return the cursor that the second text names, None without one."""
    notes = " ".join(result.texts[1:])
    match = _CURSOR.search(notes)
    return None if match is None else match[1]


def split_rows(text: str) -> Sequence[tuple[str, str, str]]:
    """Return path, anchor and passage of each row of `search_docs`."""
    _, *pieces = _ROW.split(text)
    rows = []
    for path, passage in zip(pieces[::2], pieces[1::2], strict=True):
        heading = _HEADING.search(passage)
        anchor = "" if heading is None else heading[1]
        rows.append((path, anchor, _HEADING.sub("", passage, count=1)))
    return rows


def choose_sentence(question: str, text: str) -> str:
    """Return the sentence, or item of a list, with most words of a question."""
    asked = set(_WORD.findall(question.lower()))
    return max(
        _SENTENCE.split(text),
        key=lambda sentence: len(asked.intersection(_WORD.findall(sentence.lower()))),
    ).strip()


def flatten(text: str) -> str:
    """Return a text with single blanks between its words."""
    return " ".join(text.split())
