"""Specifications: folders with a main file, at any depth of the folders in `PLACES`.

Of those in `specs`, two styles are distinguished: those with a Blueprint and a
Contract, and Spec Kit's feature specifications. The other files in a specification's
folder, and in its subfolders without a main file, belong to it.
"""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final, Literal, NamedTuple, TypeAlias

from asdlc_kb.frontmatter.lenient import read_lenient
from asdlc_kb.markup.blocks import read_heading
from asdlc_kb.project.artifact_file import ArtifactFile, FileIdentity, Text
from asdlc_kb.project.locations import ArtifactFolder
from asdlc_kb.project.markdown_lines import find_title, read_prose
from asdlc_kb.project.name_lookup import find_named
from asdlc_kb.project.scanner import ProjectScanner

FOLDER: Final = "specs"
SPEC_FILE: Final = "spec.md"


class SpecPlace(NamedTuple):
    """A folder of specifications."""

    folder: str
    main_names: tuple[str, ...] = (SPEC_FILE,)
    """Names of the main file; of several the first."""
    omits: str = ""
    """The folder in it that holds finished work."""


PLACES: Final = (
    SpecPlace(FOLDER),
    # https://kiro.dev/docs/specs/
    SpecPlace(".kiro/specs", ("requirements.md", "bugfix.md", "design.md")),
    # https://github.com/Fission-AI/OpenSpec
    SpecPlace("openspec/specs"),
    SpecPlace("openspec/changes", ("proposal.md",), "archive"),
)

Style: TypeAlias = Literal["asdlc", "spec-kit", "other"]

_ENDINGS: Final = (".md", ".json", ".yaml", ".yml")
_SPEC_KIT: Final = "feature specification:"
_STATUS: Final = re.compile(r"[>\-*\s]*\*\*Status:?\*\*:?[ \t]*(.+)", re.IGNORECASE)
_HEAD_LINES: Final = 30
"""Lines searched for the status."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpecContent:
    """A specification with its text."""

    domain: str
    """The folder, relative to that of its place."""
    path: str
    has_blueprint: bool
    has_contract: bool
    last_modified: str | None = None
    """In ISO 8601 and UTC."""
    style: Style = "other"
    title: str | None = None
    status: str | None = None
    """Verbatim from the text."""
    documents: tuple[str, ...] = ()
    """Paths of its other files, relative to the project."""
    content: str
    """Markdown below the frontmatter."""
    source: str
    """The whole file."""
    identity: FileIdentity = field(compare=False)
    also_in: tuple[str, ...] = ()
    """Other paths of the same file, in a list with one entry per file."""

    @property
    def name(self) -> str:
        """The domain, as the artifact's name."""
        return self.domain


def scan_specs(scanner: ProjectScanner) -> tuple[SpecContent, ...]:
    """Return the specifications by path."""
    listed = list_spec_files(scanner)
    return tuple(
        _read(file, text, [document.shown for document in listed[file]])
        for file, text in scanner.texts(listed)
    )


def list_spec_files(scanner: ProjectScanner) -> dict[ArtifactFile, list[ArtifactFile]]:
    """Return the main file of each specification with its documents."""
    listed: dict[ArtifactFile, list[ArtifactFile]] = {}
    for place in PLACES:
        folder = ArtifactFolder(scanner.project.root, place.folder, "agents")
        files = [
            file
            for file in scanner.files(folder, _ENDINGS)
            if len(file.below) > 1 and file.below[0] != place.omits
        ]
        by_folder: dict[str, ArtifactFile] = {}
        for name in place.main_names:
            for file in files:
                if file.below[-1].lower() == name:
                    by_folder.setdefault(_folder_of(file), file)
        documents = _assign(files, by_folder)
        listed |= {by_folder[path]: documents[path] for path in sorted(by_folder)}
    return listed


def get_spec(scanner: ProjectScanner, domain: str) -> SpecContent | None:
    """Return the specification with a domain or path, or None.

    A domain without its parent folders, or without Spec Kit's number, matches if it
    is unambiguous.
    """
    specs = scan_specs(scanner)
    named = find_named(specs, domain)
    if named is None and domain:
        folded = domain.casefold()
        matches = [spec for spec in specs if folded in _short_names(spec.domain)]
        named = matches[0] if len(matches) == 1 else None
    return named


def _short_names(domain: str) -> tuple[str, str]:
    last = domain.rpartition("/")[2].casefold()
    return last, re.sub(r"^\d+-", "", last)


def _assign(
    files: Sequence[ArtifactFile], by_folder: dict[str, ArtifactFile]
) -> defaultdict[str, list[ArtifactFile]]:
    """Return the other files of each specification, by its folder."""
    documents: defaultdict[str, list[ArtifactFile]] = defaultdict(list)
    for file in files:
        folder = _folder_of(file)
        while folder and folder not in by_folder:
            folder = folder.rpartition("/")[0]
        if folder and by_folder[folder] is not file:
            documents[folder].append(file)
    return documents


def _folder_of(file: ArtifactFile) -> str:
    return file.path.rpartition("/")[0]


def _read(file: ArtifactFile, text: Text, documents: Sequence[str]) -> SpecContent:
    header = read_lenient(text.text)
    lines = [line for _, line in read_prose(header.body)]
    headings = [heading for line in lines if (heading := read_heading(line))]
    titles = [words.lower() for level, words in headings if level == 2]
    has_blueprint = any(title.startswith("blueprint") for title in titles)
    has_contract = any(title.startswith("contract") for title in titles)
    title = header.text("title") or find_title(header.body)
    return SpecContent(
        domain="/".join(file.below[:-1]),
        path=file.shown,
        has_blueprint=has_blueprint,
        has_contract=has_contract,
        last_modified=_format_time(text.modified),
        style=_style(has_blueprint or has_contract, lines, title),
        title=title,
        status=header.text("status") or _find_status(lines),
        documents=tuple(documents),
        content=header.body,
        source=text.text,
        identity=text.identity,
    )


def _style(is_asdlc: bool, lines: Sequence[str], title: str | None) -> Style:
    if is_asdlc:
        return "asdlc"
    is_titled = (title or "").lower().startswith(_SPEC_KIT)
    names_branch = any("**Feature Branch**" in line for line in lines[:_HEAD_LINES])
    return "spec-kit" if is_titled or names_branch else "other"


def _find_status(lines: Sequence[str]) -> str | None:
    for line in lines[:_HEAD_LINES]:
        if matched := _STATUS.match(line):
            return matched[1].strip()
    return None


def _format_time(seconds: float) -> str | None:
    try:
        return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
    except (OverflowError, ValueError):
        return None
