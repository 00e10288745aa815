"""Artifact lookup by name or path.

An exact name comes first, so that `mcp` never means `single-mcp-server`; then an exact
path, then the name after that of its plugin or the folder that has the name, then the
name in any case, then the end of a path. A substring of a name never
matches: a request for a missing artifact finds nothing. A name can also be written as
the artifact's URI, with another suffix, or as its title.
"""

import os
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final, Protocol, TypeVar
from urllib.parse import unquote

from asdlc_kb.project.artifact_names import compose
from asdlc_kb.unicode.near_names import NearNames
from asdlc_kb.unicode.written_paths import fold_title

_ARTIFACT_URI = re.compile(r"ace://[a-z-]+/([^?#]+)(?:\?project=([^#]+))?")
_SKILL_URI = re.compile(r"skill://(?:~([^/]+)/)?([^/]+)(?:/SKILL\.md)?/?")
_SUFFIXES: Final = (".md", ".mdc", ".json")


class Named(Protocol):
    """An artifact with a name and a path."""

    @property
    def name(self) -> str:
        """The artifact's name."""

    @property
    def path(self) -> str:
        """The artifact's display path."""


N = TypeVar("N", bound=Named)


def describe(artifact: Named) -> str:
    """Return the description of an artifact, or else its title, on one line."""
    described = getattr(artifact, "description", "") or getattr(artifact, "title", "")
    return " ".join((described or "").split())


def find_named(artifacts: Iterable[N], wanted: str) -> N | None:
    """Return the first artifact that matches by the strictest test, or None."""
    candidates = list(artifacts)
    wanted = compose(wanted)
    folded = wanted.casefold()
    tests: tuple[Callable[[N], bool], ...] = (
        lambda a: a.name == wanted,
        lambda a: a.path == wanted,
        lambda a: _qualify(a) == wanted or _ends_with(_folder(a), wanted),
        lambda a: folded in (a.name.casefold(), _stem(a.path).casefold()),
        lambda a: _ends_with(a.path.casefold(), folded),
    )
    for test in tests:
        for artifact in candidates:
            if wanted and test(artifact):
                return artifact
    return None


@dataclass(frozen=True, slots=True)
class WrittenName:
    """The names that a name as models write it can stand for, in lookup order."""

    names: tuple[str, ...]
    project: str | None = None
    """The project in a URI."""


def read_written_name(written: str) -> WrittenName:
    """Read a name, path or URI (`ace://rules/x`, `skill://x/SKILL.md`)."""
    text = written.strip()
    names = [written, text]
    project: str | None = None
    if match := _ARTIFACT_URI.fullmatch(text):
        name, project = match[1], match[2]
        names.append(unquote(name))
    elif match := _SKILL_URI.fullmatch(text):
        project, name = match[1], match[2]
        names.append(unquote(name))
    bare = names[-1].removeprefix("./").lstrip("/")
    suffix = next((s for s in _SUFFIXES if bare.lower().endswith(s)), "")
    names += (bare, bare[: len(bare) - len(suffix)])
    unique = tuple(name for name in dict.fromkeys(names) if name)
    return WrittenName(unique, unquote(project) if project else None)


def find_titled(artifacts: Iterable[N], title: str) -> N | None:
    """Return the only artifact with a title, in any case, or None."""
    folded = fold_title(title)
    found = [a for a in artifacts if folded and fold_title(_title(a)) == folded]
    return found[0] if len({artifact.name for artifact in found}) == 1 else None


def find_near(artifacts: Iterable[Named], wanted: str) -> tuple[str, ...]:
    """Return the names of the artifacts most similar to a name."""
    spellings = (
        (spelling, artifact.name)
        for artifact in artifacts
        for spelling in (artifact.name, _stem(artifact.path), _title(artifact))
    )
    return NearNames(spellings).find(wanted)


def _qualify(artifact: Named) -> str:
    """Return the name after that of its plugin, if any, as in Claude Code."""
    plugin = getattr(artifact, "plugin", "")
    return f"{plugin}:{artifact.name}" if plugin else artifact.name


def _folder(artifact: Named) -> str:
    """Return the folder that the artifact is named after, or an empty path."""
    folder = os.path.dirname(artifact.path)
    return folder if os.path.basename(folder) == artifact.name else ""


def _title(artifact: Named) -> str:
    return getattr(artifact, "title", None) or ""


def _stem(path: str) -> str:
    return os.path.splitext(os.path.basename(path))[0]


def _ends_with(path: str, wanted: str) -> bool:
    """Whether a path ends with whole names, with or without the last suffix."""
    bare = os.path.splitext(path)[0]
    return f"/{path}".endswith(f"/{wanted}") or f"/{bare}".endswith(f"/{wanted}")
