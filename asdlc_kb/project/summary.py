"""An artifact without its text, as lists have it."""

from dataclasses import fields
from typing import Any, TypeVar

B = TypeVar("B")


def summarize(kind: type[B], full: B) -> B:
    """Return the part of an artifact that a plainer class of its has."""
    names = [field.name for field in fields(kind)]  # type: ignore[arg-type]
    values: dict[str, Any] = {name: getattr(full, name) for name in names}
    return kind(**values)
