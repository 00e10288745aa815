"""A page as it leaves: where it is, what it is, its bytes."""

from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from math import ceil
from typing import Any, Final

HTML: Final = "text/html; charset=utf-8"
MARKDOWN: Final = "text/markdown; charset=utf-8"
TEXT: Final = "text/plain; charset=utf-8"
XML: Final = "application/xml; charset=utf-8"
ATOM: Final = "application/atom+xml; charset=utf-8"
JSON: Final = "application/json; charset=utf-8"
CSS: Final = "text/css; charset=utf-8"
SCRIPT: Final = "text/javascript; charset=utf-8"

CHARACTERS_OF_A_TOKEN: Final = 4
"""Of plain English, about; code and other scripts have fewer."""


@dataclass(frozen=True)
class Representation:
    """One representation of something at one address."""

    path: str
    """Where it is, from the root of the site; as the address bar shows it."""
    type: str
    """The Content-Type."""
    body: bytes
    status: int = 200
    alternate: str = ""
    """Where the same is as Markdown, or as HTML if this is the Markdown."""
    is_lasting: bool = False
    """Whether what is at this address never changes."""
    is_open: bool = False
    """Whether scripts of any other site may read it."""
    links: tuple[str, ...] = field(default=())
    """What the Link header says."""
    awaited: "Future[Any] | None" = field(default=None, compare=False)
    """Work whose end changes this page: it shows a text that is being rendered."""

    @cached_property
    def etag(self) -> str:
        """The digest of the bytes, quoted: equal bytes have equal tags."""
        return f'"{blake2b(self.body, digest_size=16).hexdigest()}"'

    @cached_property
    def tokens(self) -> int:
        """About how many tokens of a language model the bytes are."""
        return ceil(len(self.body.decode(errors="replace")) / CHARACTERS_OF_A_TOKEN)


@dataclass(frozen=True, slots=True)
class Moved:
    """What is asked for is somewhere else."""

    path: str
