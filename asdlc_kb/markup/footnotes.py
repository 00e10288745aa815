"""Footnotes of a text, and their anchors in the forms of other generators.

The website numbers footnotes by their first reference: `fn1`, and `fnref1` for that
reference. Python-Markdown and kramdown name them by label (`fn:label`), GitHub too
(`user-content-fn-label`).
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from asdlc_kb.markup.grammar import MAX_LABEL
from asdlc_kb.markup.link_scanner import cut_code

_MARK: Final = re.compile(rf"(^[ \t>]*+)?\[\^([^ \n\]]{{1,{MAX_LABEL}}}+)\](:)?", re.M)
_FORMS: Final = ("{kind}:{label}", "{kind}-{label}", "user-content-{kind}-{label}")


class Footnote(NamedTuple):
    """A note that a text refers to and defines."""

    number: int
    """Its place in the order of the first references, from 1."""
    label: str


def find_footnotes(text: str) -> tuple[Footnote, ...]:
    """Return the footnotes of a text in the order of their numbers."""
    if "[^" not in text:
        return ()
    defined: set[str] = set()
    referenced: dict[str, None] = {}
    for label, is_definition in find_marks(text):
        if is_definition:
            defined.add(label)
        else:
            referenced[label] = None
    labels = (label for label in referenced if label in defined)
    return tuple(Footnote(*found) for found in enumerate(labels, 1))


def find_marks(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the label of each reference or definition, and whether it defines it."""
    for found in _MARK.finditer(cut_code(text)):
        yield found[2], found[1] is not None and found[3] is not None


def find_anchors(text: str) -> dict[str, tuple[str, Footnote]]:
    """Return the anchor on the website and its footnote by every form of the anchor."""
    notes = find_footnotes(text)
    anchors: dict[str, tuple[str, Footnote]] = {}
    for kind in ("fn", "fnref"):
        for note in notes:
            anchor = f"{kind}{note.number}"
            for form in _FORMS:
                written = form.format(kind=kind, label=note.label)
                anchors[written] = anchor, note
            anchors[anchor] = anchor, note
    return anchors
