"""Lists with one entry per real file, and per text that several tools get as copies.

Links give a file several paths: tools link each other's skill folders, and a CLAUDE.md
to an AGENTS.md. Where links are not wanted, programs write copies. A scan has an entry
for each path, because each may be requested and each may apply to other files; a list
merges them.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace
from typing import Any, Final, Protocol, TypeVar, cast

from asdlc_kb.project.artifact_file import FileIdentity
from asdlc_kb.project.name_lookup import Named


class Linkable(Named, Protocol):
    """An artifact whose file may have several paths."""

    @property
    def also_in(self) -> tuple[str, ...]:
        """Its other paths, once merged."""

    @property
    def identity(self) -> FileIdentity:
        """The file with its content."""

    @property
    def content(self) -> str:
        """Its text."""


A = TypeVar("A", bound=Linkable)

_MEANING: Final = (
    *("name", "scope", "plugin", "location", "source"),
    *("activation", "globs", "can_model_invoke"),
)
"""The fields in which copies of an artifact are equal, as far as it has them."""


def merge_links(artifacts: Iterable[A]) -> tuple[A, ...]:
    """Return the first entry of each file, with the other paths as `also_in`.

    Its tools are those of all entries.
    """
    # The inode of a file that was replaced during the scan may be in use again.
    return _merge_equal(artifacts, lambda each: (each.identity, each.content))


def merge_copies(artifacts: Iterable[A], key: Callable[[A], Hashable]) -> tuple[A, ...]:
    """Merge the entries of each file, then those of files with equal texts and keys."""

    def identify(artifact: A) -> Hashable:
        is_copy = bool(artifact.content.strip())
        return (artifact.content, key(artifact)) if is_copy else artifact.path

    return _merge_equal(merge_links(artifacts), identify)


def merge_artifacts(artifacts: Iterable[A]) -> tuple[A, ...]:
    """Return a list in which the copies of an artifact for several tools are one entry.

    Their files are equal, and so is what their tools make of them.
    """
    return merge_copies(artifacts, _meaning)


def _meaning(artifact: Linkable) -> Hashable:
    return tuple(getattr(artifact, name, None) for name in _MEANING)


def _merge_equal(artifacts: Iterable[A], key: Callable[[A], Hashable]) -> tuple[A, ...]:
    groups: dict[Hashable, list[A]] = {}
    for artifact in artifacts:
        groups.setdefault(key(artifact), []).append(artifact)
    return tuple(map(_merge, groups.values()))


def _merge(group: Sequence[A]) -> A:
    first = group[0]
    paths = dict.fromkeys(p for a in group for p in (a.path, *a.also_in))
    del paths[first.path]
    changes: dict[str, Any] = {"also_in": tuple(paths)} if paths else {}
    # Each tool that reads one of the paths reads the file.
    tools = dict.fromkeys(t for a in group for t in getattr(a, "tools", ()))
    if len(tools) > len(getattr(first, "tools", ())):
        changes["tools"] = tuple(tools)
    merged: A = replace(cast(Any, first), **changes) if changes else first
    return merged
