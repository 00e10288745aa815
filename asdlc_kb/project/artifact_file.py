"""An artifact file of a project: its path, and safe opening and reading."""

import os
from collections.abc import Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Final, TypeAlias, TypeVar

from asdlc_kb.exceptions import FileTooLarge
from asdlc_kb.files.lease import is_open_for_writing
from asdlc_kb.files.paths import open_inside
from asdlc_kb.files.reader import (
    ChangedWhileRead,
    RawFile,
    read_file,
    read_unchanged,
)
from asdlc_kb.files.signature import Signature
from asdlc_kb.project.artifact_names import compose
from asdlc_kb.project.link_targets import file_filter
from asdlc_kb.project.locations import ArtifactFolder, Location, Platform

MAX_ASSET_BYTES: Final = 8 * 1024 * 1024
"""Bytes of a file served verbatim."""

T = TypeVar("T")

FileIdentity: TypeAlias = tuple[int, int]
"""Device and inode: equal for all paths of one file."""


@dataclass(frozen=True, slots=True)
class ArtifactFile:
    """A listed file, not yet opened."""

    place: ArtifactFolder
    path: str
    """Relative to the root of the place."""

    @property
    def shown(self) -> str:
        """Its display path."""
        return compose(self.place.show(self.path))

    @property
    def below(self) -> tuple[str, ...]:
        """Path components below the artifact folder."""
        names = compose(self.path).split("/")
        is_top = self.place.folder == "."
        return tuple(names[0 if is_top else self.place.folder.count("/") + 1 :])

    @property
    def stem(self) -> str:
        """Its name without the suffix of its folder, or without the last one."""
        for suffix in self.place.suffixes:
            if self.below[-1].endswith(suffix):
                return self.below[-1].removesuffix(suffix)
        return os.path.splitext(self.below[-1])[0]

    @property
    def plugin_name(self) -> str:
        """The name of its plugin; empty if it belongs to none."""
        return self.place.plugin.name if self.place.plugin else ""


@dataclass(frozen=True, slots=True)
class Text:
    """The text of a file, without invisible characters; lines end in LF."""

    text: str
    modified: float
    """Modification time in seconds since 1970."""
    identity: FileIdentity


@dataclass(frozen=True, slots=True, kw_only=True)
class Artifact:
    """Common fields of rules, commands, skills and agents."""

    name: str
    description: str
    """Empty without one."""
    path: str
    """Its display path."""
    location: Location
    platform: Platform
    content: str
    """Markdown below the frontmatter."""
    source: str
    """The whole file; of a TOML file, its text."""
    identity: FileIdentity = field(compare=False)
    scope: str = ""
    """The folder that it is for; empty for the whole project."""
    plugin: str = ""
    """The name of its plugin, if it belongs to one."""
    can_model_invoke: bool = True
    """Whether an agent may choose it; else only a person starts it, by its name."""
    also_in: tuple[str, ...] = ()
    """Other paths of the same file, in a list with one entry per file."""


def list_offered(artifacts: Iterable[T]) -> tuple[T, ...]:
    """Return the artifacts that an agent may choose, in their order."""
    return tuple(a for a in artifacts if getattr(a, "can_model_invoke", True))


def read_text(file: ArtifactFile, *, accepts_personal: bool = False) -> RawFile:
    """Read a text file."""
    judge = file_filter(file.place, file.path, accepts_personal=accepts_personal)
    root = file.place.root
    return read_file(root, file.path, judge=judge, is_finished=_is_finished)


def read_bytes(file: ArtifactFile, *, accepts_personal: bool = False) -> bytes:
    """Read any file."""
    with open_artifact(file, accepts_personal=accepts_personal) as descriptor:
        before = Signature.of(os.fstat(descriptor))
        if not _is_finished(descriptor, before):
            raise ChangedWhileRead(file.path)
        if before.size > MAX_ASSET_BYTES:
            advice = f"the maximum is {MAX_ASSET_BYTES:,} bytes"
            raise FileTooLarge(f"{before.size:,} bytes is too large", advice)
        return read_unchanged(descriptor, file.path, before)


def open_artifact(
    file: ArtifactFile, *, accepts_personal: bool = False
) -> AbstractContextManager[int]:
    """Open a file, provided its real path is an artifact of its kind.

    A file that belongs to one person is opened only if that is accepted.
    """
    judge = file_filter(file.place, file.path, accepts_personal=accepts_personal)
    return open_inside(file.place.root, file.path, judge)


def _is_finished(descriptor: int, _: Signature) -> bool:
    """Whether no process is known to have a file open for writing."""
    return not is_open_for_writing(descriptor)
