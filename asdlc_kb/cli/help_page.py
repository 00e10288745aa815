"""Help pages: options in the groups of the settings, commands in sections.

Imported only when help is shown. Cloup lays it out and wraps it.
"""

from collections.abc import Iterator, Mapping
from typing import Final

import click
from cloup import HelpTheme, Style
from cloup.formatting import HelpFormatter, HelpSection

from asdlc_kb.settings_descriptions import GROUPS

MAX_WIDTH: Final = 100
"""Columns of a page on a wider terminal."""

_THEME: Final = HelpTheme(
    heading=Style(bold=True),
    invoked_command=Style(bold=True),
    col1=Style(fg="cyan"),
)
_GENERAL: Final = frozenset({"--config", "--debug", "--help"})
"""Options of nearly every command, which come last."""
_HYPHEN: Final = "\u2011"
"""A hyphen at which no line is broken: `--log-level` stays in one line."""


def write_help(
    command: click.Command,
    context: click.Context,
    listed: Mapping[str, Mapping[str, str]],
) -> str:
    """Return the help of a command.

    `listed` are summaries of its commands by name, by the title of their section.
    """
    formatter = HelpFormatter(max_width=MAX_WIDTH, theme=_THEME)
    command.format_usage(context, formatter)
    formatter.write_command_help_text(command)
    sections = [*_list_parameters(command, context)]
    if isinstance(command, click.Group):
        sections = [*_list_commands(command, context, listed), *sections]
    formatter.write_many_sections(sections)
    command.format_epilog(context, formatter)
    return formatter.getvalue().rstrip("\n").replace(_HYPHEN, "-")


def _list_parameters(
    command: click.Command, context: click.Context
) -> Iterator[HelpSection]:
    """Yield arguments, the command's own options, settings by group, and the rest."""
    groups = {name: title for title, group in GROUPS.items() for name in group}
    rows: dict[str, list[tuple[str, str]]] = {
        title: [] for title in ("Arguments", "Options", *GROUPS, "General")
    }
    for parameter in command.get_params(context):
        if (row := parameter.get_help_record(context)) is None:
            continue
        title = groups.get(parameter.name or "", "Options")
        if isinstance(parameter, click.Argument):
            title = "Arguments"
        elif isinstance(command, click.Group):
            title = "Options"
        elif not _GENERAL.isdisjoint(parameter.opts):
            title = "General"
        name, description = row
        rows[title].append((name, _bind(description.removesuffix("."))))
    for title, definitions in rows.items():
        if definitions:
            yield HelpSection(title, definitions)


def _list_commands(
    group: click.Group,
    context: click.Context,
    listed: Mapping[str, Mapping[str, str]],
) -> Iterator[HelpSection]:
    """Yield the commands in their sections, with whole summaries."""
    named = {name for commands in listed.values() for name in commands}
    rest = {
        name: command.get_short_help_str(limit=1000).removesuffix(".")
        for name in group.list_commands(context)
        if name not in named
        and (command := group.get_command(context, name)) is not None
    }
    for title, commands in {**listed, "Commands": rest}.items():
        if commands:
            rows = [(name, _bind(summary)) for name, summary in commands.items()]
            yield HelpSection(title, rows)


def _bind(text: str) -> str:
    """Return a text with hyphens at which no line is broken."""
    return text.replace("-", _HYPHEN)
