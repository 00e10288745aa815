"""URIs of skills and their files: parsed leniently, formatted canonically.

`skill://{name}/{path}` belongs to the first project, `skill://~{project}/{name}/{path}`
to another: `~project` is no valid skill name. A path without a file is a folder.
"""

from dataclasses import dataclass
from typing import Final
from urllib.parse import quote, unquote_to_bytes

SCHEME: Final = "skill://"

MAX_URI_CHARS: Final = 4_096
"""Characters of a URI that is parsed."""

_MARK: Final = "~"


@dataclass(frozen=True, slots=True)
class SkillUri:
    """The URI of a file or folder of a skill."""

    project: str | None
    """None for the first one."""
    skill: str
    path: str = ""
    """Below the skill's folder; empty for that folder."""

    def __str__(self) -> str:
        """Return the canonical form."""
        parts = [self.skill, *(self.path.split("/") if self.path else ())]
        if self.project is not None:
            parts.insert(0, f"{_MARK}{self.project}")
        return SCHEME + "/".join(quote(part, safe="~") for part in parts)


def read_uri(uri: str) -> SkillUri | None:
    """Parse a URI, whether its file exists or not; return None for an invalid one."""
    if not uri.startswith(SCHEME) or len(uri) > MAX_URI_CHARS:
        return None
    try:
        parts = [_unquote(part) for part in uri.removeprefix(SCHEME).split("/")]
    except ValueError:
        return None
    project = parts.pop(0)[1:] if parts[0].startswith(_MARK) else None
    if not parts or not all(parts):
        return None
    return SkillUri(project, parts[0], "/".join(parts[1:]))


def _unquote(part: str) -> str:
    """Decode a path segment; raise ValueError for an invalid one."""
    text = unquote_to_bytes(part).decode()
    if "/" in text or "\0" in text:
        raise ValueError(part)
    return text
