"""Filters for the real paths that a project serves, after following symlinks.

A path is an artifact if it is in an artifact folder of one of the tools below and has a
suffix of that folder, or has the name of a guide or single-file rule. Tools with
folders that are not read yet are included: links between tools are common. Other hidden
files and folders, installed packages, and files named like keys or environments are
never artifacts. Only names are checked, so a refusal does not disclose whether the path
exists.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import partial
from typing import Final

from asdlc_kb.exceptions import PersonalFile, UnreadableFile
from asdlc_kb.files.folder_walk import count_names
from asdlc_kb.files.paths import NameFilter
from asdlc_kb.files.tree_names import INSTALLED
from asdlc_kb.project.instruction_places import PLACES
from asdlc_kb.project.locations import ArtifactFolder

_TEXTS: Final = (".md", ".mdc", ".markdown", ".txt")
_SPECS: Final = (*_TEXTS, ".json", ".yaml", ".yml")
_TOML: Final = (".toml",)
_ANY: Final = ("",)

_NAMES: Final = frozenset(
    {
        *("AGENT.md", "AGENTS.md", "agents.md", "AGENTS.override.md", "CLAUDE.md"),
        *("CLAUDE.local.md", "GEMINI.md", "copilot-instructions.md"),
        *(".cursorrules", ".windsurfrules", ".clinerules", ".roorules", ".rules"),
        *(".augment-guidelines", "global_rules.md"),
    }
)
"""Names of guides and single-file rules, in any folder."""

_PERSONAL: Final = frozenset(one.path.casefold() for one in PLACES if one.is_personal)
"""Names of files that belong to one person; a file system may ignore case."""

_TOPS: Final[Mapping[str, Sequence[str]]] = {
    "skills": _ANY,
    "specs": _SPECS,
    "openspec": _SPECS,
    "schemas": (".json",),
}
"""Artifact folders at the top of a project, with the suffixes of their files."""

_TOOLS: Final[Mapping[str, frozenset[str] | None]] = {
    ".agents": frozenset({"agents", "commands", "rules", "skills", "workflows"}),
    # No tool's own: repositories link the folders of several tools to it.
    ".ai": frozenset({"agents", "commands", "prompts", "rules", "skills", "workflows"}),
    ".augment": None,
    ".claude": frozenset({"agents", "commands", "rules", "skills"}),
    ".cline": frozenset({"rules", "skills", "workflows"}),
    ".clinerules": None,
    ".codex": frozenset({"agents", "prompts", "skills"}),
    ".continue": frozenset({"prompts", "rules"}),
    ".cursor": frozenset({"agents", "commands", "rules", "skills"}),
    ".devin": frozenset({"rules", "skills", "workflows"}),
    ".gemini": frozenset({"agents", "commands", "skills"}),
    ".github": frozenset({"agents", "chatmodes", "instructions", "prompts", "skills"}),
    ".junie": None,
    ".kiro": frozenset({"skills", "specs", "steering"}),
    ".opencode": frozenset({"agent", "agents", "command", "commands", "skills"}),
    ".roo": frozenset({"commands", "rules", "rules-*", "skills"}),
    ".trae": frozenset({"rules", "skills"}),
    ".windsurf": frozenset({"rules", "skills", "workflows"}),
}
"""Artifact folders of each tool, in its hidden folder at any depth of a project; None
if the hidden folder is one itself."""

_TOML_FOLDERS: Final = frozenset({(".codex", "agents"), (".gemini", "commands")})
"""Artifact folders with TOML files too."""

TOOL_FOLDERS: Final = tuple(_TOOLS)
"""The hidden folders of the tools."""

_SECRET_ENDINGS: Final = (
    *("age", "asc", "der", "gpg", "jks", "kdbx", "key", "keystore", "p12", "p8"),
    *("pem", "pfx", "ppk", "env", "envrc", "tfstate"),
)
"""Suffixes of keys, environments and infrastructure state, anywhere in a name."""

_SECRET_NAMES: Final = (
    r"\.env",
    r"(?:.*[._-])?id_(?:rsa|dsa|ecdsa|ed25519)(?![^\W\d_])(?!.*\.pub(?![^\W\d_]))",
    r"secring(?![^\W\d_])",
    r"(?:.*[._-])?service[._-]?account.*\.json(?![^\W\d_])",
    r".*\.git[\W\d_]*\Z",
)
"""Prefixes of names of keys, service accounts and Git repositories."""

# Backup copies have more behind the suffix (`key.pem~`, `key.pem.bak`,
# `prod.env.local`): a suffix counts wherever no letter follows.
_SECRET: Final = re.compile(
    rf"{'|'.join(_SECRET_NAMES)}|.*\.(?:{'|'.join(_SECRET_ENDINGS)})(?![^\W\d_])",
    re.IGNORECASE | re.DOTALL,
)

_CREDENTIALS: Final = re.compile(
    r"\.?(?P<of>.*[._-])?credentials[\W\d_]*"
    r"(?P<data>\.(?:csv|db|ini|json|toml|xml|ya?ml).*)?\Z",
    re.IGNORECASE | re.DOTALL,
)
"""Names of credentials as data."""

_REPOSITORY: Final = frozenset({"HEAD", "objects", "refs"})
"""Entries of every Git repository."""


def is_secret(name: str, *, is_folder: bool = False) -> bool:
    """Whether a file or folder is named like a key, an environment or a repository.

    A folder `git-credentials` is named after its subject, as skills are.
    """
    named = _CREDENTIALS.match(name.strip())
    if named is not None and not (is_folder and named["of"] and not named["data"]):
        return True
    return _SECRET.match(name.strip()) is not None


def is_personal(name: str) -> bool:
    """Whether a file is named like one that a person keeps out of the repository."""
    return name.casefold() in _PERSONAL


def is_tool_folder(name: str) -> bool:
    """Whether a hidden folder is one of a tool, which may have artifacts."""
    return name in _TOOLS


def is_repository(names: Iterable[str]) -> bool:
    """Whether a folder with these entries is a Git repository."""
    return _REPOSITORY.issubset(names)


def file_filter(
    place: ArtifactFolder, named: str, *, accepts_personal: bool = False
) -> NameFilter:
    """Return the filter for the real path of a file below an artifact folder's root.

    A file read as Markdown, JSON or YAML needs the suffix in its real path too. A text
    that a guide imports may be in any folder that is not private.
    """
    refuse_file = partial(_refuse_file, place, named)
    judge = check_private if place.holds_imports else refuse_file
    return judge if accepts_personal else withhold_personal(named, judge)


def withhold_personal(named: str, judge: NameFilter) -> NameFilter:
    """Return a filter that refuses files of one person, by either of their names.

    A link to such a file, and one in its place, is refused.
    """

    def refuse(real: str) -> UnreadableFile | None:
        if any(map(is_personal, (*named.split("/"), *real.split("/")))):
            reason = "the path points to a file of one person"
            return PersonalFile(reason, "it is served over stdio only")
        return judge(real)

    return refuse


def folder_filter(place: ArtifactFolder) -> NameFilter:
    """Return the filter for the real path of an artifact folder or its subfolder."""
    return partial(_refuse_folder, place)


def link_filter(
    place: ArtifactFolder, named: str, *, accepts_personal: bool = False
) -> NameFilter:
    """Return the filter for a link's target, applied before the target is opened."""
    refuse_file = file_filter(place, named, accepts_personal=accepts_personal)

    def refuse(real: str) -> UnreadableFile | None:
        return _refuse_folder(place, real) and refuse_file(real)

    return refuse


def check_private(path: str) -> UnreadableFile | None:
    """Refuse a path of a project that is no instruction, whatever names it.

    Those are keys, environments, installed packages, and hidden files that are not in
    the folder of a tool.
    """
    return _refuse_private(path.split("/"))


def check_mention(path: str) -> UnreadableFile | None:
    """Refuse a path of a project if its existence is not disclosed.

    Those are keys, environments, installed packages, and hidden files other than
    artifacts.
    """
    *folders, name = path.split("/")
    private = _refuse_private([*folders, name])
    is_plain = not any(part.startswith(".") for part in (*folders, name))
    if private is not None or is_plain or name in _NAMES:
        return private
    is_artifact = name.endswith(tuple(_find_endings(folders) or ()))
    return None if is_artifact else _refuse_other()


def _refuse_file(place: ArtifactFolder, named: str, real: str) -> UnreadableFile | None:
    parts = _split_real_path(place, real)
    private = _refuse_private(parts)
    if private is not None:
        return private
    folders, name = parts[:-1], "".join(parts[-1:])
    if name in _NAMES:
        kind: str | None = "text"
    elif name.endswith(tuple(_find_endings(folders, place) or ())):
        kind = _find_kind(name)
    else:
        return _refuse_other()
    expected = _find_kind(named.rpartition("/")[2])
    return None if expected in (None, kind) else _refuse_other()


def _refuse_folder(place: ArtifactFolder, real: str) -> UnreadableFile | None:
    parts = _split_real_path(place, real)
    is_artifacts = _find_endings(parts, place) is not None
    return _refuse_private(parts, is_folder=True) or (
        None if is_artifacts else _refuse_other()
    )


def _refuse_private(
    parts: Sequence[str], *, is_folder: bool = False
) -> UnreadableFile | None:
    """Refuse keys, environments, installed packages, and other hidden names."""
    file = None if is_folder else len(parts) - 1
    if any(is_secret(part, is_folder=n != file) for n, part in enumerate(parts)):
        reason = "the path points to a file named like a key or .env file"
        return UnreadableFile(reason, "keep it out of artifacts")
    hidden = [part for part in parts if part.startswith(".")]
    if hidden and (hidden[0] not in {*_TOOLS, *_NAMES} or len(hidden) > 1):
        reason = "the link points to a hidden file or folder that is not an artifact"
        return UnreadableFile(reason, "copy the file instead")
    if not INSTALLED.isdisjoint(parts):
        reason = "the link points to installed packages"
        return UnreadableFile(reason, "copy the file instead")
    return None


def _refuse_other() -> UnreadableFile:
    reason = "the link does not point to an artifact of this kind"
    return UnreadableFile(reason, "move the file to an artifact folder or copy it")


def _find_endings(
    folders: Sequence[str], place: ArtifactFolder | None = None
) -> Sequence[str] | None:
    """Return the file suffixes of an artifact folder; None for any other folder.

    The folders of a plugin are known only to the place that belongs to it.
    """
    tool = next((folder for folder in folders if folder in _TOOLS), None)
    if tool is None:
        endings = _TOPS.get("".join(folders[:1]))
        return endings or _find_plugin_endings(place, folders)
    kinds = _TOOLS[tool]
    kind = "".join(folders[folders.index(tool) + 1 :][:1])
    if kinds is None:
        return _ANY if kind == "skills" else _TEXTS
    if not any(fnmatchcase(kind, pattern) for pattern in kinds):
        return None
    if (tool, kind) in _TOML_FOLDERS:
        return (*_TEXTS, *_TOML)
    return _TOPS.get(kind, _TEXTS)


def _find_plugin_endings(
    place: ArtifactFolder | None, folders: Sequence[str]
) -> Sequence[str] | None:
    """Return the file suffixes of a folder if it is in that of a plugin."""
    if place is None or place.plugin is None:
        return None
    depth = count_names(place.plugin.folder)
    own = place.folder.split("/")[: depth + 1]
    if list(folders[: depth + 1]) != own:
        return None
    return _ANY if own[-1] == "skills" else _TEXTS


def _find_kind(name: str) -> str | None:
    """Return how a file of this name is parsed; None if it is served verbatim."""
    lowered = name.lower()
    if name in _NAMES or lowered.endswith(_TEXTS):
        return "text"
    ending = lowered.rpartition(".")[2]
    kinds = {"json": "JSON", "toml": "TOML", "yaml": "YAML", "yml": "YAML"}
    return kinds.get(ending)


def _split_real_path(place: ArtifactFolder, path: str) -> list[str]:
    """Split a real path; in a home directory, the tool's folder comes first."""
    names = [] if path == "." else path.split("/")
    return [place.root.name, *names] if place.location == "global" else names
