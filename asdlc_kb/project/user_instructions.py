"""Instruction files of a user's home directory, which tools read in every project.

They are read only for that user: over stdio with the setting, and by the command line.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from asdlc_kb.project.artifact_file import ArtifactFile
from asdlc_kb.project.instruction_files import InstructionFile
from asdlc_kb.project.instruction_places import USER_PLACES_BY_PATH, InstructionPlace
from asdlc_kb.project.locations import ArtifactFolder, Platform, locate_in_home
from asdlc_kb.project.scanner import ProjectScanner


def list_user_instructions(scanner: ProjectScanner) -> Iterator[InstructionFile]:
    """Yield the files in the order of their places; none without a home directory."""
    home = scanner.home
    if home is None:
        return
    for places in USER_PLACES_BY_PATH.values():
        read = tuple(
            replace(place, unless=())
            for place in places
            if not any(
                _exists(scanner, _locate(home, other, place.tool))
                for other in place.unless
            )
        )
        if read:
            for file in _list_files(scanner, home, read[0]):
                yield InstructionFile(file, "", read)


def _list_files(
    scanner: ProjectScanner, home: Path, place: InstructionPlace
) -> Iterator[ArtifactFile]:
    if place.is_folder:
        folder = locate_in_home(home, place.path.rstrip("/"), place.tool)
        yield from scanner.files(folder, place.suffixes)
    elif _exists(scanner, file := _locate(home, place.path, place.tool)):
        yield file


def _exists(scanner: ProjectScanner, file: ArtifactFile) -> bool:
    return scanner.read_signature(file) is not None


def _locate(home: Path, path: str, tool: Platform) -> ArtifactFile:
    """Return the file at a path below a home directory."""
    above, _, name = path.rpartition("/")
    folder = ArtifactFolder(home / above, ".", tool, "global", f"~/{above}/")
    return ArtifactFile(folder, name)
