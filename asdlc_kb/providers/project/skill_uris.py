"""The URIs of skills and their files: written in one way, read in any.

`skill://{name}/{path}` is of the first project, `skill://~{project}/{name}/{path}` of a
further one: no skill can be called `~project`. A path without a file is of a folder.
"""

from dataclasses import dataclass
from typing import Final
from urllib.parse import quote, unquote_to_bytes

SCHEME: Final = "skill://"

MAX_URI_CHARS: Final = 4_096
"""Characters of a URI that is looked at."""

_MARK: Final = "~"


@dataclass(frozen=True, slots=True)
class SkillUri:
    """Where a file or folder of a skill is."""

    project: str | None
    """None for the first one."""
    skill: str
    path: str = ""
    """Below the skill's folder; empty for that folder."""

    def __str__(self) -> str:
        """Return the one spelling that lists and events have."""
        parts = [self.skill, *(self.path.split("/") if self.path else ())]
        if self.project is not None:
            parts.insert(0, f"{_MARK}{self.project}")
        return SCHEME + "/".join(quote(part, safe="~") for part in parts)


def read_uri(uri: str) -> SkillUri | None:
    """Return what a URI names, existing or not; None if it can be none of a skill."""
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
    """Return a part of a path as it is meant; raise ValueError if it is none."""
    text = unquote_to_bytes(part).decode()
    if "/" in text or "\0" in text:
        raise ValueError(part)
    return text
