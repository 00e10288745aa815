"""Lists with one entry per real file.

Links give a file several paths: tools link each other's skill folders, and a CLAUDE.md
to an AGENTS.md. A scan has an entry for each path, because each may be requested and
each may apply to other files; a list merges them.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Protocol, TypeVar, cast

from asdlc_kb.project.artifact_file import FileIdentity
from asdlc_kb.project.name_lookup import Named


class Linkable(Named, Protocol):
    """An artifact whose file may have several paths."""

    @property
    def identity(self) -> FileIdentity:
        """The file with its content."""

    @property
    def content(self) -> str:
        """Its text."""


A = TypeVar("A", bound=Linkable)


def merge_links(artifacts: Iterable[A]) -> tuple[A, ...]:
    """Return the first entry of each file, with the other paths as `also_in`.

    Its tools are those of all entries.
    """
    groups: dict[tuple[FileIdentity, str], list[A]] = {}
    for artifact in artifacts:
        # The inode of a file that was replaced during the scan may be in use again.
        groups.setdefault((artifact.identity, artifact.content), []).append(artifact)
    return tuple(map(_merge, groups.values()))


def _merge(group: Sequence[A]) -> A:
    first = group[0]
    paths = dict.fromkeys(artifact.path for artifact in group)
    del paths[first.path]
    changes: dict[str, Any] = {"also_in": tuple(paths)} if paths else {}
    # Each tool that reads one of the paths reads the file.
    tools = dict.fromkeys(t for a in group for t in getattr(a, "tools", ()))
    if len(tools) > len(getattr(first, "tools", ())):
        changes["tools"] = tuple(tools)
    merged: A = replace(cast(Any, first), **changes) if changes else first
    return merged
