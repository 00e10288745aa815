"""Instructions of one tool that are converted: its rules and its guides.

Generated files and blocks are left out, and files that belong to one person.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from asdlc_kb.files.folder_walk import join_below
from asdlc_kb.files.problem import Problem
from asdlc_kb.project.agent_guides import scan_guides
from asdlc_kb.project.instruction_places import GUIDES, PLACES_BY_PATH
from asdlc_kb.project.locations import Platform
from asdlc_kb.project.real_files import merge_links
from asdlc_kb.project.rules import RuleContent, scan_rules
from asdlc_kb.project.scanner import ProjectScanner
from asdlc_kb.project.sync.headers import RuleFields
from asdlc_kb.project.sync.marks import find_mark, remove_blocks
from asdlc_kb.project.sync.targets import SOURCE_GUIDES, SyncTool

_FOLDER_RULE: Final = "RULE"
"""The stem of a rule file named after its folder."""

_UNREAD: Final = frozenset({"KB001", "KB004"})
"""Codes of files that are not read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceRule(RuleFields):
    """An instruction to convert, with the name of its file."""

    path: str
    scope: str
    """The folder it is about; empty for the whole project."""
    body: str
    tools: tuple[Platform, ...] = ()
    """The tools that read its file themselves."""
    bare_matches_anywhere: bool = False
    is_gitignore: bool = False
    excluded_agent: str = ""
    has_imports: bool = False
    same_as: str = ""
    """The path of a guide that its file links to or names."""


def list_sources(scanner: ProjectScanner, tool: SyncTool) -> Iterator[SourceRule]:
    """Yield the rules of a tool, then its guides, each file once."""
    rules = (rule for rule in scan_rules(scanner) if rule.platform == tool.name)
    for rule in merge_links(rules):
        if find_mark(rule.source) is None:
            yield _convert_rule(rule)
    named = SOURCE_GUIDES.get(tool.name)
    guides = (guide for guide in scan_guides(scanner) if guide.name == named)
    for guide in merge_links(guides):
        yield SourceRule(
            name=_join_name(guide.path, guide.scope, ""),
            path=guide.path,
            scope=guide.scope,
            activation="always",
            body=remove_blocks(guide.content).strip("\n"),
            tools=guide.tools,
            has_imports=bool(guide.imports),
            same_as=guide.same_as or "",
        )


def list_unread(scanner: ProjectScanner, tool: SyncTool) -> Iterator[Problem]:
    """Yield why files of a tool were not read by `list_sources`, if any."""
    owners = (places[0] for places in PLACES_BY_PATH.values())
    own = [one for one in owners if one.tool == tool.name and one.path not in GUIDES]
    folders = [place.path for place in own if place.is_folder]
    files = [place.path for place in own if not place.is_folder]
    files += [SOURCE_GUIDES[tool.name]] if tool.name in SOURCE_GUIDES else []
    for problem in scanner.sorted_problems:
        path = f"/{problem.path}/"
        is_source = any(f"/{folder}" in path for folder in folders) or any(
            path.endswith(f"/{name}/") for name in files
        )
        if is_source and problem.code in _UNREAD:
            yield problem


def _convert_rule(rule: RuleContent) -> SourceRule:
    folder = next(
        (
            place.path
            for places in PLACES_BY_PATH.values()
            for place in places[:1]
            if place.is_folder and place.tool == rule.platform
            if rule.path.startswith(join_below(rule.scope, place.path))
        ),
        "",
    )
    return SourceRule(
        name=_join_name(rule.path, rule.scope, folder)
        if folder
        else _join_name(rule.path.rpartition("/")[2], "", ""),
        path=rule.path,
        scope=rule.scope,
        activation=rule.activation,
        globs=rule.globs or (),
        description=rule.description,
        body=remove_blocks(rule.content).strip("\n"),
        tools=rule.tools,
        bare_matches_anywhere=rule.bare_matches_anywhere,
        is_gitignore=rule.is_gitignore,
        excluded_agent=rule.excluded_agent,
    )


def _join_name(path: str, scope: str, folder: str) -> str:
    """Return the name of a file below a folder, with its subfolders."""
    below = path.removeprefix(join_below(scope, folder)).lstrip("/")
    parts = below.split("/")
    name = parts.pop()
    stem = name.removesuffix(".instructions.md")
    stem = stem.rpartition(".")[0] if stem == name and "." in name[1:] else stem
    if stem != _FOLDER_RULE or not parts:
        parts.append(stem)
    joined = "-".join(part.strip(".") for part in parts)
    return joined if folder else joined.lower()
