"""Names of frontmatter fields that are misspelt ones of the format.

Codes:

- KB025 a field that the format does not have is written almost like one that it has
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from asdlc_kb.articles.aliases import FIELD as ALIASES
from asdlc_kb.frontmatter.nodes import Value
from asdlc_kb.search.edit_distance import count_edits

FIELDS: Final = frozenset(
    "title description tags lastUpdated status maturity author publishedDate "
    "relatedIds supersededBy references".split()
)
"""The fields of the format; aliases are in the metadata."""

REQUIRED: Final = frozenset({"title", "description", "lastUpdated", "status"})

MAX_SHORT_CHARS: Final = 8
"""Characters of a name that may differ by one edit; longer ones by two."""

_MARKS = re.compile(r"[\s_-]+")


def find_misspelt(fields: Mapping[str, Value]) -> Mapping[str, Value]:
    """Return the values of misspelt fields by the names that they should have."""
    similar = ((find_similar(written), value) for written, value in fields.items())
    return {name: value for name, value in similar if name and name not in fields}


@lru_cache(maxsize=1_000)
def find_similar(written: str) -> str | None:
    """Return the field that a name misspells; None for a field of the format."""
    if written in _FOLDED.values() or len(written) > 2 * MAX_SHORT_CHARS:
        return None
    folded = _MARKS.sub("", written).casefold()
    for known, name in _FOLDED.items():
        edits = 1 if len(known) <= MAX_SHORT_CHARS else 2
        is_singular = f"{folded}es" == known
        if is_singular or count_edits(folded, known, edits) <= edits:
            return name
    return None


_FOLDED: Final = {name.casefold(): name for name in sorted({*FIELDS, ALIASES})}
