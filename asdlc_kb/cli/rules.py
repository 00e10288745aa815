"""The command `rules`: the instructions of coding tools that apply to a file."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Final

import click

from asdlc_kb.app.sources import find_home
from asdlc_kb.cli import terminal
from asdlc_kb.cli.project_folder import open_project
from asdlc_kb.cli.rules_sync import sync
from asdlc_kb.cli.sources import as_json
from asdlc_kb.cli.terminal import Line, ParentCommand, Span
from asdlc_kb.exceptions import OperationalError, PathNotFound
from asdlc_kb.project.applicability import ApplicableRule, rules_for_path
from asdlc_kb.project.instruction_places import (
    PLACES,
    TOOLS,
    USER_PLACES,
    Documentation,
    InstructionPlace,
    find_documentation,
)
from asdlc_kb.project.locations import Platform
from asdlc_kb.project.registry import Project
from asdlc_kb.project.scanner import ProjectScanner

_INDENT: Final = "    "


class RulesCommand(ParentCommand):
    """`rules PATH`, and `rules sync`."""

    commands: ClassVar[Mapping[str, click.Command]] = {"sync": sync}


@click.command(
    cls=RulesCommand,
    epilog="asdlc-kb rules sync writes the instructions of one tool for others.",
)
@click.argument(
    "path",
    required=False,
    type=click.Path(),
    metavar="PATH",
    help="File to be changed; it need not exist",
)
@click.option(
    "--project",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Project of the file; by default the repository around it",
)
@click.option(
    "--tool",
    type=click.Choice(TOOLS),
    metavar="TOOL",
    help=f"Only what this tool reads: {', '.join(TOOLS)}",
)
@click.option(
    "--sources", is_flag=True, help="Show which documentation says so, and of when"
)
@click.option(
    "--places", is_flag=True, help="List where each tool reads instructions, and exit"
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    help="Output format (default: text)",
)
@as_json
def rules(
    path: str | None,
    project: Path | None,
    tool: Platform | None,
    sources: bool,
    places: bool,
    form: str | None,
    as_json: bool,
) -> None:
    """Show which instructions apply to a file, nearest first.

    Instructions are the rules and guides of all coding tools. A file named sync is
    ./sync.
    """
    if as_json and form == "text":
        raise click.UsageError("--json and --format text cannot be used together")
    as_json = as_json or form == "json"
    if places:
        listed = _list_places(tool)
        rows = [_place_row(place) for place in listed]
        terminal.report(rows, _write_places(listed), as_json=as_json)
        return
    if path is None:
        raise click.UsageError("name a file: asdlc-kb rules PATH")
    opened = open_project(project, Path(path).parent)
    located = _locate(opened, path)
    scanner = ProjectScanner(opened, find_home())
    found = rules_for_path(scanner, located, tool)
    terminal.report(
        [_row(rule) for rule in found],
        _write(located, found, has_sources=sources),
        as_json=as_json,
    )
    for problem in scanner.sorted_problems:
        terminal.warn(f"{problem.path}: {problem.message}")


def _list_places(tool: Platform | None) -> Sequence[InstructionPlace]:
    """Return the places of a tool, or of all tools; of each, the user's last."""
    of_user = [
        replace(
            place,
            path=f"~/{place.path}",
            unless=tuple(f"~/{path}" for path in place.unless),
        )
        for place in USER_PLACES
    ]
    listed = [p for p in (*PLACES, *of_user) if tool in (None, p.tool)]
    return sorted(listed, key=lambda place: TOOLS.index(place.tool))


def _locate(project: Project, path: str) -> str:
    """Return a path relative to the project.

    A relative one is relative to the working directory, if that is in the project.
    """
    try:
        return project.locate(os.path.abspath(path), accepts_absolute=True)
    except PathNotFound:
        if os.path.isabs(path):
            raise _outside_error(project, path) from None
    try:
        return project.locate(path)
    except PathNotFound:
        raise _outside_error(project, path) from None


def _outside_error(project: Project, path: str) -> OperationalError:
    root = terminal.display_path(project.root)
    return OperationalError(f"{path} is not a file in the project {root}")


def _write(
    path: str, found: Sequence[ApplicableRule], *, has_sources: bool
) -> Iterator[Line]:
    """Yield what applies, then what the agent may request."""
    applying = [rule for rule in found if not rule.is_requested]
    requested = [rule for rule in found if rule.is_requested]
    if not applying:
        yield f"No instructions apply to {path}"
    for rule in applying:
        yield from _write_rule(rule, rule.why, has_sources=has_sources)
    if requested:
        yield ""
        yield (Span("Read if the description fits the task", "strong"),)
    for rule in requested:
        yield from _write_rule(rule, rule.description, has_sources=has_sources)


def _write_rule(
    rule: ApplicableRule, text: str, *, has_sources: bool
) -> Iterator[Line]:
    yield Span(rule.path, "place"), "  ", Span(", ".join(rule.tools), "faint")
    for line in terminal.wrap(text, len(_INDENT)):
        yield f"{_INDENT}{line}"
    if rule.also_in:
        yield f"{_INDENT}also in {', '.join(rule.also_in)}"
    for tool in rule.tools if has_sources else ():
        yield _INDENT, Span(f"{tool}: {_cite(_document(rule, tool))}", "faint")


def _document(rule: ApplicableRule, tool: Platform) -> Documentation:
    """Return what documents that a tool reads a rule, or the file that imports it."""
    return find_documentation(rule.importer or rule.path, tool)


def _cite(documentation: Documentation) -> str:
    return f"{documentation.address} ({documentation.as_of})"


def _cite_row(documentation: Documentation) -> Mapping[str, str]:
    return {"address": documentation.address, "date": documentation.as_of}


def _row(rule: ApplicableRule) -> Mapping[str, Any]:
    return {
        "kind": rule.kind,
        "name": rule.name,
        "path": rule.path,
        "alsoIn": list(rule.also_in),
        "scope": rule.scope,
        "reason": rule.reason,
        "why": rule.why,
        "tools": list(rule.tools),
        "pattern": rule.pattern,
        "description": rule.description,
        "documentation": [
            {"tool": tool, **_cite_row(_document(rule, tool))} for tool in rule.tools
        ],
    }


def _place_row(place: InstructionPlace) -> Mapping[str, Any]:
    return {
        "tool": place.tool,
        "path": place.path,
        "nested": place.is_nested,
        "suffixes": list(place.suffixes) if place.is_folder else [],
        "unless": list(place.unless),
        "documentation": _cite_row(place.documentation),
    }


def _write_places(places: Sequence[InstructionPlace]) -> Iterator[Line]:
    """Yield the places of each tool below its name."""
    width = max(len(_show_place(place)) for place in places)
    shown = ""
    for place in places:
        if place.tool != shown:
            yield (Span(place.tool, "strong"),)
            shown = place.tool
        padded = f"{_show_place(place):{width}}"
        yield (
            _INDENT,
            Span(padded, "place"),
            "  ",
            Span(_cite(place.documentation), "faint"),
        )
        if place.unless:
            yield f"{_INDENT}{_INDENT}unless there is {' or '.join(place.unless)}"


def _show_place(place: InstructionPlace) -> str:
    folders = "**/" if place.is_nested else ""
    files = f"**/*{place.suffixes[0]}" if place.is_folder else ""
    return f"{folders}{place.path}{files}"
