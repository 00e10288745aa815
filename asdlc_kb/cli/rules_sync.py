"""The command `rules sync`: writes the instructions of one tool for others."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import click

from asdlc_kb.cli import terminal
from asdlc_kb.cli.project_folder import open_project
from asdlc_kb.cli.sources import as_json
from asdlc_kb.cli.terminal import HelpCommand, Line, Span, StyleName
from asdlc_kb.cli.value_completion import complete_words
from asdlc_kb.project.scanner import ProjectScanner
from asdlc_kb.project.sync.plan import SyncAction, SyncPlan, apply_plan, plan_sync
from asdlc_kb.project.sync.targets import SYNC_TOOLS, SyncTool

_STYLES: Final[Mapping[SyncAction, StyleName]] = {
    "create": "success",
    "update": "success",
    "remove": "success",
    "keep": "warning",
    "conflict": "failure",
}


def _read_targets(
    context: click.Context, parameter: click.Parameter, values: Sequence[str]
) -> tuple[SyncTool, ...]:
    """Return the tools named in comma-separated lists, without duplicates."""
    names = dict.fromkeys(name.strip() for value in values for name in value.split(","))
    for name in names:
        if name not in SYNC_TOOLS:
            known = ", ".join(SYNC_TOOLS)
            raise click.BadParameter(f"unknown tool '{name}'; known tools: {known}")
    return tuple(SYNC_TOOLS[name] for name in names)


@click.command("sync", cls=HelpCommand)
@click.option(
    "--from",
    "source",
    required=True,
    type=click.Choice([*SYNC_TOOLS]),
    metavar="TOOL",
    help=f"Tool with the instructions: {', '.join(SYNC_TOOLS)}",
)
@click.option(
    "--to",
    "targets",
    required=True,
    multiple=True,
    metavar="TOOLS",
    callback=_read_targets,
    shell_complete=complete_words(SYNC_TOOLS, ","),
    help="Tools that get them, separated by commas",
)
@click.option(
    "--project",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Project; by default the repository around the working directory",
)
@click.option(
    "--check", "checks", is_flag=True, help="Write nothing; exit 1 if a file differs"
)
@click.option(
    "--dry-run", "is_dry", is_flag=True, help="Print the changes without making them"
)
@as_json
def sync(
    source: str,
    targets: tuple[SyncTool, ...],
    project: Path | None,
    checks: bool,
    is_dry: bool,
    as_json: bool,
) -> None:
    """Write the instructions of one tool in the files of other tools.

    Only generated files and blocks are changed; exit 1 if one was edited, or if the
    file of a person is in the way.
    """
    if SYNC_TOOLS[source] in targets:
        raise click.UsageError(f"--from and --to both name {source}")
    # What it writes is for all who have the repository.
    shared = replace(open_project(project, Path.cwd()), is_personal=False)
    scanner = ProjectScanner(shared)
    plan = plan_sync(scanner, SYNC_TOOLS[source], targets)
    writes = not (checks or is_dry or plan.has_conflicts)
    if writes:
        apply_plan(plan)
    if not plan.has_sources:
        terminal.warn(f"the project has no instructions of {source} to convert")
    terminal.report(_report(plan), _write(plan, writes=writes), as_json=as_json)
    for problem in scanner.sorted_problems:
        terminal.warn(f"{problem.path}: {problem.message}")
    is_failure = bool(plan.changes) if checks else not plan.is_complete
    click.get_current_context().exit(int(is_failure))


def _write(plan: SyncPlan, *, writes: bool) -> Iterator[Line]:
    """Yield the changes, what tools get in another way, and a summary."""
    for change in plan.changes:
        if plan.has_conflicts and change.original is not None:
            continue
        yield (
            Span(f"{change.action:8}", _STYLES[change.action]),
            f"  {change.path}",
            Span(f"  {change.reason}" if change.reason else "", "faint"),
        )
    for (path, text), tools in _group_notes(plan).items():
        yield Span("note", "strong"), f"      {path}: {text} ({', '.join(tools)})"
    yield _summarize(plan, writes=writes)


def _summarize(plan: SyncPlan, *, writes: bool) -> Line:
    if not plan.changes:
        return (Span("All files are up to date", "success"),)
    if plan.has_conflicts:
        return "Nothing was written"
    number = sum(change.action != "keep" for change in plan.changes)
    verb = "changed" if writes else "differ" if number != 1 else "differs"
    return f"{terminal.count_noun(number, 'file')} {verb}"


def _group_notes(plan: SyncPlan) -> Mapping[tuple[str, str], Sequence[str]]:
    """Return the tools by path and text of their notes."""
    groups: dict[tuple[str, str], list[str]] = {}
    for note in plan.notes:
        groups.setdefault((note.path, note.text), []).append(note.tool)
    return groups


def _report(plan: SyncPlan) -> Mapping[str, Any]:
    return {
        "changes": [
            {"path": one.path, "action": one.action, "reason": one.reason}
            for one in plan.changes
        ],
        "notes": [
            {"path": path, "text": text, "tools": tools}
            for (path, text), tools in _group_notes(plan).items()
        ],
    }
