"""The table of methods: their versions, mirrored parameters and caching hints.

A method without a row for a version does not exist in it. Source:
docs/specification/<version>/server and .../basic; an extension has its own
specification, and its methods exist if the server declares it.
"""

from typing import Final, Literal

import msgspec

from asdlc_kb.mcp.protocol.versions import HANDSHAKE, STATELESS

CachedAs = Literal["discovery", "list", "resource"]

SKILLS: Final = "io.modelcontextprotocol/skills"
"""The skills extension (SEP-2640)."""

_EXTENDED: Final = HANDSHAKE[-1:] + STATELESS
"""The versions that have extensions."""


class Method(msgspec.Struct, frozen=True):
    """One row: a method and its properties."""

    name: str
    versions: tuple[str, ...] = HANDSHAKE + STATELESS
    mirrored: str | None = None
    """The parameter that the Mcp-Name header mirrors (2026-07-28)."""
    cached: CachedAs | None = None
    """The kind of caching hint in its results (2026-07-28)."""
    extension: str | None = None
    """The extension that defines it; None for the protocol itself."""


_ROWS: Final = (
    Method("initialize", HANDSHAKE),
    Method("ping", HANDSHAKE),
    Method("resources/subscribe", HANDSHAKE),
    Method("resources/unsubscribe", HANDSHAKE),
    Method("server/discover", STATELESS, cached="discovery"),
    Method("subscriptions/listen", STATELESS),
    Method("tools/list", cached="list"),
    Method("tools/call", mirrored="name"),
    Method("resources/list", cached="resource"),
    Method("resources/templates/list", cached="list"),
    Method("resources/read", mirrored="uri", cached="resource"),
    Method("prompts/list", cached="list"),
    Method("prompts/get", mirrored="name"),
    Method("completion/complete"),
    Method("skills/list", _EXTENDED, cached="resource", extension=SKILLS),
    Method("skills/get", _EXTENDED, cached="resource", extension=SKILLS),
    Method("resources/directory/read", _EXTENDED, extension=SKILLS),
)

METHODS: Final = {row.name: row for row in _ROWS}
"""All supported methods by name."""


def find_method(name: str, version: str) -> Method | None:
    """Return the method's row, or None where `version` does not have it."""
    row = METHODS.get(name)
    return row if row is not None and version in row.versions else None
