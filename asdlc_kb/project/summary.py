"""Reduction of an artifact to its list entry, without its text."""

from dataclasses import fields
from typing import Any, TypeVar

B = TypeVar("B")


def summarize(kind: type[B], full: B) -> B:
    """Return an artifact's fields as an instance of its base class."""
    names = [field.name for field in fields(kind)]  # type: ignore[arg-type]
    values: dict[str, Any] = {name: getattr(full, name) for name in names}
    return kind(**values)
