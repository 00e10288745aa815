"""Access to the parts of configuration data, whatever its format.

A part that is absent or of another type is empty.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from asdlc_kb.docs.generators.javascript import (
    COMPUTED,
    Alternatives,
    Data,
    FunctionCall,
)

MAX_TEXT_CHARS: Final = 300
"""Characters of a text in a menu; a longer one is cut."""

_TRUE: Final = frozenset({"true", "yes", "on"})


def to_text(value: object) -> str:
    """Return a text on one line; empty for anything else.

    It is without NUL, which no path may have.
    """
    if isinstance(value, str):
        return " ".join(value.replace("\0", " ").split())[:MAX_TEXT_CHARS]
    return ""


def to_items(value: object) -> Sequence[Data]:
    """Return the items of a list; a text is a list of one."""
    if isinstance(value, str):
        return [value] if value else ()
    return value if isinstance(value, list) else ()


def to_texts(value: object) -> tuple[str, ...]:
    """Return the texts of a list, or the one text."""
    return tuple(item for item in to_items(value) if isinstance(item, str) and item)


def is_computed(value: object) -> bool:
    """Whether a value is not data: computed, or a call without an object."""
    return (
        value == COMPUTED
        or isinstance(value, Alternatives)
        or (isinstance(value, FunctionCall) and find_object(value) is None)
    )


def find_object(value: object) -> Mapping[str, Data] | None:
    """Return a mapping; a call of a function stands for its last object argument."""
    while isinstance(value, FunctionCall):
        found = [
            each for each in value.arguments if isinstance(each, dict | FunctionCall)
        ]
        value = found[-1] if found else None
    return value if isinstance(value, dict) else None


def to_fields(value: object) -> Mapping[str, Data]:
    """Return a mapping as `find_object` does; empty if there is none."""
    return find_object(value) or {}


def find_part(value: object, *keys: str) -> Data:
    """Return the value at a path of keys; None if there is none."""
    for key in keys:
        value = to_fields(value).get(key)
    return value  # type: ignore[return-value]  # the parts of data are data


def to_number(value: object) -> float | None:
    """Return a number, also one written as text; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if abs(number) < 1e15 else None


def is_true(value: object) -> bool:
    """Whether a value is true, also as YAML writes it."""
    if isinstance(value, str):
        return value.strip().casefold() in _TRUE
    return value is True
