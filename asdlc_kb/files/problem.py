"""What is wrong with content, as a value: kept, counted and shown, never raised."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One fault in one file. Lines and columns count from 1."""

    path: str
    """Relative to the content root, with slashes."""
    line: int
    column: int
    code: str
    message: str
    """What is wrong and what to do about it, without the file's own text."""

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}: {self.code} {self.message}"
