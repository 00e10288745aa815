"""Directives in instructions: sentences that demand or forbid one thing.

"Always use tabs" demands `tabs`, "Don't use tabs" forbids it. Only sentences without a
condition count: those in a nested list, below a line that ends in a colon, or below a
heading that limits or negates them ("For tests", "Bad") are left out, and so is a
thing that one text both demands and forbids.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from asdlc_kb.markup.blocks import read_heading
from asdlc_kb.markup.plain_text import to_plain_text
from asdlc_kb.project.markdown_lines import ITEM, read_prose

MAX_CHARS: Final = 64 * 1024
"""Characters of a text that are read."""

MAX_DIRECTIVES: Final = 500
"""Directives read from one text."""

MAX_SUBJECT_CHARS: Final = 120
"""Characters of the thing that a directive is about; of a longer one it is too unlikely
that two texts mean the same."""

_USE: Final = r"(?:use|using|to use|the use of)"
_DEMAND: Final = re.compile(
    rf"(?:(?:you )?(?:must|should) )?(?:(?:always|prefer) (?:{_USE} )?|use )(.+)"
)
_FORBIDDANCE: Final = re.compile(
    r"(?:you )?(?:(?:must |should )?never|do not|don't|(?:must|should) not|mustn't"
    rf"|shouldn't|avoid) (?:ever )?(?:{_USE} )?(.+)"
)
_BEGINNING: Final = re.compile(
    r"[\W_]*+(?:always|avoid|do|mustn|must|never|prefer|should|use|you)", re.IGNORECASE
)
"""The beginning of every directive, marks included: faster than reading it whole."""

_LIMITING: Final = re.compile(
    r"\b(?:anti|avoid|bad|before|except|exceptions?|examples?|for|forbidden|if|in|instead"
    r"|legacy|never|no|not|on|only|out|prohibited|tests?|testing|unless|vs|when|while"
    r"|without|wrong)\b|n't"
)
"""Words of a heading that limits or negates the directives below it."""
_VAGUE: Final = re.compile(
    r"\b(?:it|its|this|that|these|those|them|they|such|one|ones|same|here|there|above"
    r"|below|following|if|unless|when|only|except|but)\b"
)
"""Words of a subject that depends on other text."""

_SENTENCE_END: Final = re.compile(r"(?<=[.!?])\s+")
_BOLD: Final = re.compile(r"(?:\*\*|__)([^*_]+)(?:\*\*|__):?")
_OTHERS: Final = (">", "|", "<")
"""Beginnings of quotes, tables and HTML."""
_ENDS: Final = " \t.!?,;:\"'"


def read_directives(text: str) -> Mapping[str, bool]:
    """Return the things that a text demands (True) or forbids (False)."""
    found: dict[str, bool] = {}
    ambiguous: set[str] = set()
    for subject, is_demanded in _find(text[:MAX_CHARS]):
        if found.setdefault(subject, is_demanded) != is_demanded:
            ambiguous.add(subject)
        if len(found) == MAX_DIRECTIVES:
            break
    return {s: found[s] for s in found if s not in ambiguous}


def read_directive(sentence: str) -> tuple[str, bool] | None:
    """Return what a sentence is about, and whether it demands or forbids it; or None.

    Case, marks of Markdown and the verb "use" do not count.
    """
    if not _BEGINNING.match(sentence) or "~~" in sentence:
        return None
    words = to_plain_text(sentence).replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
    words = " ".join(words.lower().split()).strip(_ENDS)
    forbidden = _FORBIDDANCE.fullmatch(words)
    matched = forbidden or _DEMAND.fullmatch(words)
    subject = matched[1].strip(_ENDS) if matched else ""
    if not subject or len(subject) > MAX_SUBJECT_CHARS or _VAGUE.search(subject):
        return None
    return subject, forbidden is None


def _find(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the directives of a text; of a block, those at its beginning."""
    for block in _split_blocks(text):
        for sentence in _SENTENCE_END.split(block):
            directive = read_directive(sentence)
            if directive is None:
                break
            yield directive


def _split_blocks(text: str) -> Iterator[str]:
    """Yield the paragraphs and list items without a condition above them."""
    is_limited = is_led = ends_in_colon = False
    margin: int | None = None
    for block in _join_lines(text):
        title = _read_title(block)
        item = ITEM.match(block)
        if title is not None:
            is_limited = _LIMITING.search(title.lower()) is not None
            ends_in_colon, margin = False, None
            continue
        if item is None:
            is_led, margin = ends_in_colon, None
        elif margin is None:
            is_led, margin = ends_in_colon, len(item[1])
        ends_in_colon = block.rstrip("*_ \t").endswith(":")
        is_nested = item is not None and margin is not None and len(item[1]) > margin
        if not (is_limited or is_led or is_nested):
            yield item[2] if item else block


def _join_lines(text: str) -> Iterator[str]:
    """Yield headings, paragraphs and list items, each as one line with its indent."""
    lines: list[str] = []
    for _, line in (*read_prose(text), (0, "")):
        is_heading = read_heading(line) is not None
        begins = is_heading or ITEM.match(line) is not None
        if lines and (begins or not line.strip()):
            yield " ".join(lines)
            lines = []
        if is_heading:
            yield line
        elif line.strip() and not line.lstrip().startswith(_OTHERS):
            lines.append(line.strip() if lines else line.rstrip().expandtabs(4))


def _read_title(block: str) -> str | None:
    """Return the text of a heading, or of a paragraph that is one in bold; or None."""
    heading = read_heading(block)
    if heading is not None:
        return heading[1]
    bold = _BOLD.fullmatch(block.strip())
    return bold[1] if bold else None
