"""Texts that agents read without being asked to: guides, and what these import.

The files that the settings of a tool name as instructions are among them.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from asdlc_kb.project.agent_guides import AgentGuide, scan_guides
from asdlc_kb.project.artifact_file import FileIdentity
from asdlc_kb.project.guide_imports import read_configured, read_imports
from asdlc_kb.project.scanner import ProjectScanner


@dataclass(frozen=True, slots=True, kw_only=True)
class GuideText:
    """A guide or an imported text, named by its path."""

    path: str
    scope: str = ""
    """The folder it is for; empty for the whole project."""
    importer: str = ""
    """The path of the file that imports it."""
    content: str
    identity: FileIdentity = field(compare=False)
    also_in: tuple[str, ...] = ()
    """Other paths of the same file, in a list with one entry per file."""

    @property
    def name(self) -> str:
        """Its path."""
        return self.path


def scan_guide_texts(scanner: ProjectScanner) -> tuple[GuideText, ...]:
    """Return the guides, upper folders first, each followed by what it imports."""
    by_path: dict[str, GuideText] = {}
    for guide in scan_guides(scanner):
        text = GuideText(
            path=guide.path,
            scope=guide.scope,
            content=guide.content,
            identity=guide.identity,
        )
        by_path[guide.path] = text
        for imported in _read_imports(scanner, guide):
            by_path.setdefault(imported.path, imported)
    for path, found in read_configured(scanner):
        text = GuideText(path=path, content=found.text, identity=found.identity)
        by_path.setdefault(path, text)
    return tuple(by_path.values())


def get_guide_text(scanner: ProjectScanner, path: str) -> GuideText | None:
    """Return the text at a path, or None."""
    texts = scan_guide_texts(scanner)
    return next((text for text in texts if text.path == path), None)


def _read_imports(scanner: ProjectScanner, guide: AgentGuide) -> Iterator[GuideText]:
    for imported in read_imports(scanner, guide.origin, guide.imports):
        yield GuideText(
            path=imported.path,
            scope=guide.scope,
            importer=imported.importer,
            content=imported.text.text,
            identity=imported.text.identity,
        )
