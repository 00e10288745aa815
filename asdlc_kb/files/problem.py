"""Problems of content as values: stored, counted and shown, never raised."""

import msgspec


class Problem(msgspec.Struct, frozen=True, order=True, array_like=True, gc=False):
    """A fault in a file. Lines and columns count from 1."""

    path: str
    """Relative to the content root, with slashes."""
    line: int
    column: int
    code: str
    message: str
    """The fault and its fix, without any text of the file."""

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}: {self.code} {self.message}"
