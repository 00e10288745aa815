"""Labels in a text of MyST: names by which any page can link to a place in it."""

import re
from collections.abc import Iterator
from typing import Final

from asdlc_kb.markup.dialects.myst_directives import (
    FENCED,
    find_text_lines,
    read_directive,
)

LABEL: Final = re.compile(r"\((?P<label>[^()\n]{1,200})\)=[ \t]*\Z")
"""The line above a heading or another block."""

OPTIONS: Final = ("name", "label")
"""Options of directives that are labels."""

_MAX_OPTIONS: Final = 20
"""Lines of options that are read."""


def find_labels(text: str) -> Iterator[str]:
    """Yield the labels outside code, in lower case; takes linear time."""
    lines = text.split("\n")
    for at in find_text_lines(lines):
        bare = lines[at].strip()
        if label := LABEL.match(bare):
            yield label["label"].lower()
        elif first := FENCED.match(bare):
            head = lines[at + 1 : at + 1 + _MAX_OPTIONS]
            if name := read_directive(first, head).options.get(*OPTIONS):
                yield name.lower()
