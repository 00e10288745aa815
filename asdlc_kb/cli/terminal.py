"""Terminal output: styles, and control characters escaped.

Titles and file names are untrusted; an escape sequence in one could clear the screen,
forge a line or rename the window. Styles are written to a terminal only, or where the
environment asks for them.
"""

import json
import re
import shutil
import sys
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Final, Literal, NamedTuple, TypeAlias

import click

StyleName: TypeAlias = Literal[
    "strong", "faint", "place", "success", "warning", "failure"
]

_STYLES: Final[Mapping[StyleName, Mapping[str, Any]]] = {
    "strong": {"bold": True},
    "faint": {"dim": True},
    "place": {"fg": "cyan"},
    "success": {"fg": "green", "bold": True},
    "warning": {"fg": "yellow", "bold": True},
    "failure": {"fg": "red", "bold": True},
}

MIN_WRAPPED: Final = 20
"""Columns below which lines are not wrapped."""

_UNSAFE: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
"""Control characters, direction marks, line separators and surrogates."""

_MARK: Final = re.compile(r"(?<![A-Za-z0-9*])\*\*(\w+)\*\*(?![A-Za-z0-9*])")
"""A word of a passage that matches the query."""


class Span(NamedTuple):
    """A part of a line with a style."""

    text: str
    style: StyleName


Line: TypeAlias = str | Sequence[str | Span]
"""A line of output: text, or parts of which some have a style."""


class HelpCommand(click.Command):
    """A command with its help in groups, in color on a terminal."""

    def get_help(self, ctx: click.Context) -> str:
        """Return the help."""
        from asdlc_kb.cli.help_page import write_help

        return write_help(self, ctx, {})


class ParentCommand(HelpCommand):
    """A command with a first argument that may be the name of a subcommand."""

    commands: ClassVar[Mapping[str, click.Command]] = {}
    """The subcommands by name."""

    def make_context(
        self, info_name: str | None, args: list[str], *more: Any, **extra: Any
    ) -> click.Context:
        """Parse the arguments, or those of a subcommand."""
        name = args[0] if args else ""
        if name not in self.commands:
            return super().make_context(info_name, args, *more, **extra)
        command = self.commands[name]
        return command.make_context(f"{info_name} {name}", args[1:], *more, **extra)


class HelpGroup(click.Group):
    """A group of commands, listed in sections."""

    sections: Mapping[str, Mapping[str, str]] = {}
    """Summaries of commands by name, by the title of their section; the others are in a
    last one."""
    synonyms: Mapping[str, str] = {}
    """Commands by names that they have in other programs."""
    command_class = HelpCommand

    def get_help(self, ctx: click.Context) -> str:
        """Return the help."""
        from asdlc_kb.cli.help_page import write_help

        return write_help(self, ctx, self.sections)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command to run; for a wrong name, suggest similar ones."""
        try:
            return super().resolve_command(ctx, args)
        except click.NoSuchCommand as error:
            name = error.command_name
            names = self.list_commands(ctx)
            message = None
            if name in self.synonyms:
                meant = self.synonyms[name]
                message = f"No such command '{name}'. Did you mean '{meant}'?"
                names = []
            raise click.NoSuchCommand(name, message, names, ctx) from None


def choose_colors(environ: Mapping[str, str]) -> bool | None:
    """Return whether to write styles, None for: on a terminal only.

    As Python itself decides: NO_COLOR, then FORCE_COLOR, then a terminal without them.
    """
    if environ.get("NO_COLOR"):
        return False
    if environ.get("FORCE_COLOR"):
        return True
    return False if environ.get("TERM") == "dumb" else None


def has_styles(*, err: bool = False) -> bool:
    """Whether styles are written to stdout, or to stderr."""
    context = click.get_current_context(silent=True)
    if context is not None and context.color is not None:
        return context.color
    return (sys.stderr if err else sys.stdout).isatty()


def can_ask() -> bool:
    """Whether the user can be asked."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def escape(text: str, *, keep: str = "") -> str:
    """Return the text with unsafe characters as `\\x1b`, except those in `keep`."""

    def replace(match: re.Match[str]) -> str:
        if match[0] in keep:
            return match[0]
        return match[0].encode("unicode_escape").decode("ascii")

    return _UNSAFE.sub(replace, text)


def echo(line: Line, *, err: bool = False) -> None:
    """Write one line."""
    click.echo(_render(line), err=err)


def warn(message: str) -> None:
    """Write a message for the user to stderr, with the name of the program."""
    echo((Span("asdlc-kb:", "warning"), f" {message}"), err=True)


def fail(message: str) -> None:
    """Write an error to stderr, with the name of the program."""
    echo((Span("asdlc-kb:", "failure"), f" {message}"), err=True)


def report(value: object, lines: Iterable[Line], *, as_json: bool) -> None:
    """Write a command's result: a value as JSON, or its lines."""
    if as_json:
        click.echo(json.dumps(value, indent=2))
        return
    for line in lines:
        echo(line)


def show_marks(text: str) -> Line:
    """Return a passage with its matches emphasized; `**so**` if nothing has a style."""
    return tuple(_split_marks(text)) if has_styles() else text


def wrap(text: str, indent: int) -> Sequence[str]:
    """Return a line as lines that fit a terminal behind an indent; else as it is."""
    if not sys.stdout.isatty():
        return (text,)
    width = shutil.get_terminal_size().columns - indent
    if len(text) <= width or width < MIN_WRAPPED:
        return (text,)
    return textwrap.wrap(text, width, break_on_hyphens=False, break_long_words=False)


def count_noun(number: int, noun: str, nouns: str = "") -> str:
    """Return a number with its noun, in the plural if needed: `1 file`, `2 files`."""
    return f"{number:,} {noun if number == 1 else nouns or f'{noun}s'}"


def display_path(path: Path) -> Path:
    """Return a path relative to the working directory if it is below, else as is."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path


def _render(line: Line) -> str:
    if isinstance(line, str):
        return escape(line)
    return "".join(
        escape(part)
        if isinstance(part, str)
        else click.style(escape(part.text), **_STYLES[part.style])
        for part in line
    )


def _split_marks(text: str) -> Iterator[str | Span]:
    end = 0
    for match in _MARK.finditer(text):
        yield text[end : match.start()]
        yield Span(match[1], "strong")
        end = match.end()
    yield text[end:]
