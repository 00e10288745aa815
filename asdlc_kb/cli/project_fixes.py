"""The fixes of `check --fix`: shown as a diff, then made."""

from collections.abc import Iterator, Sequence
from typing import Final

import click

from asdlc_kb.cli import terminal
from asdlc_kb.cli.terminal import Line, Span, StyleName
from asdlc_kb.exceptions import UnreadableFile
from asdlc_kb.project.project_fixes import ProjectFix, plan_fixes
from asdlc_kb.project.registry import Project

_STYLES: Final[tuple[tuple[str, StyleName], ...]] = (
    *(("---", "strong"), ("+++", "strong"), ("rename ", "strong")),
    *(("@@", "place"), ("-", "failure"), ("+", "success")),
)
"""Styles of the lines of a diff, by their beginning."""


def fix_projects(
    projects: Sequence[Project], *, is_dry: bool, shows_on_stderr: bool
) -> None:
    """Show what can be fixed by a program, and fix it.

    On a terminal the user confirms it. With `is_dry`, nothing is written.
    """
    fixes = [fix for project in projects for fix in plan_fixes(project)]
    for fix in fixes:
        for line in _style(fix):
            terminal.echo(line, err=shows_on_stderr)
    files = terminal.count_noun(len(fixes), "file")
    if is_dry or not fixes:
        done = f"Would fix {files}" if fixes else "Nothing can be fixed by a program"
        terminal.echo(done, err=shows_on_stderr)
    elif not terminal.can_ask() or click.confirm(f"Fix {files}?", default=True):
        count = sum(map(_apply, fixes))
        fixed = f"Fixed {terminal.count_noun(count, 'file')}"
        terminal.echo(fixed, err=shows_on_stderr)


def _apply(fix: ProjectFix) -> bool:
    """Make a fix; report a failure and return False."""
    try:
        fix.apply()
    except UnreadableFile as error:
        terminal.fail(f"{fix.path} is not fixed: {error}")
        return False
    return True


def _style(fix: ProjectFix) -> Iterator[Line]:
    for line in fix.show():
        style = next((style for mark, style in _STYLES if line.startswith(mark)), None)
        yield line if style is None else (Span(line, style),)
