"""Instruction files of a user's home directory, which tools read in every project.

They are read only for that user: over stdio with the setting, and by the command line.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from asdlc_kb.project.artifact_file import ArtifactFile
from asdlc_kb.project.instruction_files import InstructionFile
from asdlc_kb.project.instruction_places import USER_PLACES, InstructionPlace
from asdlc_kb.project.locations import ArtifactFolder
from asdlc_kb.project.scanner import ProjectScanner

_BY_PATH: Final[Mapping[str, Sequence[InstructionPlace]]] = {
    path: tuple(place for place in USER_PLACES if place.path == path)
    for path in dict.fromkeys(place.path for place in USER_PLACES)
}


def list_user_instructions(scanner: ProjectScanner) -> Iterator[InstructionFile]:
    """Yield the files in the order of their places; none without a home directory."""
    home = scanner.home
    for path, places in _BY_PATH.items() if home else ():
        assert home is not None
        read = tuple(
            replace(place, unless=())
            for place in places
            if not any(_is_there(scanner, home, other) for other in place.unless)
        )
        if read:
            for file in _list_files(scanner, home, path, read[0]):
                yield InstructionFile(file, "", read)


def _list_files(
    scanner: ProjectScanner, home: Path, path: str, place: InstructionPlace
) -> Iterator[ArtifactFile]:
    if not place.is_folder:
        file = _locate(home, path, place)
        if scanner.read_signature(file) is not None:
            yield file
        return
    top, _, below = path.rstrip("/").partition("/")
    folder = ArtifactFolder(home / top, below, place.tool, "global", f"~/{top}/")
    yield from scanner.files(folder, place.suffixes)


def _is_there(scanner: ProjectScanner, home: Path, path: str) -> bool:
    file = _locate(home, path, USER_PLACES[0])
    return scanner.read_signature(file) is not None


def _locate(home: Path, path: str, place: InstructionPlace) -> ArtifactFile:
    """Return the file at a path below a home directory."""
    above, _, name = path.rpartition("/")
    folder = ArtifactFolder(home / above, ".", place.tool, "global", f"~/{above}/")
    return ArtifactFile(folder, name)
