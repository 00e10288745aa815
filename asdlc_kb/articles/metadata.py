"""Frontmatter fields that the server does not know, as JSON values (D-144).

Codes:

- KB018 a field is left out: there are too many, or it is too long or too deep
"""

import json
from collections.abc import Collection
from typing import Final, TypeAlias

from asdlc_kb.files.clean_text import FieldCleaner
from asdlc_kb.files.problem import Problem
from asdlc_kb.frontmatter.nodes import Scalar, Sequence, Value
from asdlc_kb.unicode.invisible import strip_invisible

JsonValue: TypeAlias = "str | list[JsonValue] | dict[str, JsonValue] | None"
"""Values are texts as written: `1.10` is "1.10"."""

MAX_FIELDS: Final = 50

MAX_JSON_CHARS: Final = 4_000
"""Characters of all fields together as JSON."""

MAX_LEVELS: Final = 4
"""Levels of lists and mappings in a field."""


def read_metadata(
    cleaner: FieldCleaner, known: Collection[str]
) -> dict[str, JsonValue]:
    """Return the fields that are not known, by name, within the limits.

    Texts are without invisible characters. A field beyond a limit is left out and
    reported.
    """
    metadata: dict[str, JsonValue] = {}
    left = MAX_JSON_CHARS - len("{}")
    for name, value in cleaner.fields.items.items():
        if name in known:
            continue
        if len(metadata) < MAX_FIELDS and _count_levels(value) <= MAX_LEVELS:
            field = {strip_invisible(name): _to_json(cleaner, value)}
            size = len(json.dumps(field, ensure_ascii=False))
            if size <= left:
                metadata.update(field)
                left -= size
                continue
        message = (
            f"a field is left out: at most {MAX_FIELDS} fields that are not in the "
            f"format, {MAX_JSON_CHARS:,} characters and {MAX_LEVELS} levels are kept"
        )
        cleaner.problems.append(
            Problem(cleaner.path, value.line, value.column, "KB018", message)
        )
    return metadata


def _to_json(cleaner: FieldCleaner, value: Value) -> JsonValue:
    if isinstance(value, Scalar):
        return None if value.is_null else cleaner.clean(value)
    if isinstance(value, Sequence):
        return [_to_json(cleaner, item) for item in value.items]
    return {
        strip_invisible(name): _to_json(cleaner, item)
        for name, item in value.items.items()
    }


def _count_levels(value: Value) -> int:
    """Return the levels of lists and mappings; a text has none."""
    if isinstance(value, Scalar):
        return 0
    items = value.items if isinstance(value, Sequence) else value.items.values()
    return 1 + max(map(_count_levels, items), default=0)
