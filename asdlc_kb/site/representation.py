"""A representation as it is sent: address, media type and bytes."""

from collections.abc import Hashable
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from math import ceil
from typing import Any, Final, Protocol

from asdlc_kb.attachments.store import Attachment

HTML: Final = "text/html; charset=utf-8"
MARKDOWN: Final = "text/markdown; charset=utf-8"
TEXT: Final = "text/plain; charset=utf-8"
XML: Final = "application/xml; charset=utf-8"
ATOM: Final = "application/atom+xml; charset=utf-8"
JSON: Final = "application/json; charset=utf-8"
CSS: Final = "text/css; charset=utf-8"
SVG: Final = "image/svg+xml"
SCRIPT: Final = "text/javascript; charset=utf-8"

CHARACTERS_OF_A_TOKEN: Final = 4
"""Approximation for English; code and other scripts have fewer."""


class ReadFiles(Protocol):
    """Files as they were when they were read."""

    def is_current(self) -> bool:
        """Whether they are unchanged; costs a `stat` for each."""


@dataclass(frozen=True)
class Representation:
    """One representation of a resource at one address."""

    path: str
    """The address from the root of the site, percent-encoded."""
    type: str
    """The Content-Type."""
    body: bytes
    status: int = 200
    alternate: str = ""
    """Address of the Markdown, or of the HTML if this is the Markdown."""
    document: str = ""
    """The URI of the visible article or page that this is, for the access log."""
    is_lasting: bool = False
    """Whether the content of this address never changes."""
    is_open: bool = False
    """Whether scripts of any other origin may read it."""
    links: tuple[str, ...] = field(default=())
    """Values of the Link header."""
    rules: str = ""
    """The public address of the page's speculation rules; empty for none."""
    awaited: "Future[Any] | None" = field(default=None, compare=False)
    """Pending rendering of a text on this page; the page changes when it is done."""
    files: ReadFiles | None = field(default=None, compare=False)
    """Files other than that of its text, as attachments; the page changes when they
    do."""
    coding: str = ""
    """The content coding of the body; empty if it is plain."""
    plain_tokens: int | None = field(default=None, compare=False)
    """The tokens of the plain text, if the body is compressed."""
    heads: dict[Hashable, Any] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    """Header blocks of responses, which a transport caches with the page."""

    @cached_property
    def etag(self) -> str:
        """The quoted digest of the bytes (a strong ETag)."""
        return f'"{blake2b(self.body, digest_size=16).hexdigest()}"'

    @cached_property
    def tokens(self) -> int:
        """Approximate number of language-model tokens of the plain text."""
        if self.plain_tokens is not None:
            return self.plain_tokens
        return ceil(len(self.body.decode(errors="replace")) / CHARACTERS_OF_A_TOKEN)


@dataclass(frozen=True, slots=True)
class ServedFile:
    """An attachment at its address; its bytes are read when they are sent."""

    path: str
    """The address from the root of the site, percent-encoded."""
    attachment: Attachment

    @property
    def type(self) -> str:
        """The Content-Type."""
        return self.attachment.type.media_type


@dataclass(frozen=True, slots=True)
class Moved:
    """A redirect to another address."""

    path: str
