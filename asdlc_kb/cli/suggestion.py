"""Command lines in hints: other commands with the options of the present one."""

import shlex
from collections.abc import Iterator

import click
from click.core import ParameterSource


def suggest_command(name: str, *words: str, without: str = "") -> str:
    """Return the line of a command with words, and the options that were given here.

    Only those that both commands have, except `without`: environment and file apply to
    both. Options of the output, and those among the words, are not repeated.
    """
    line = ["asdlc-kb", name, *words]
    context = click.get_current_context(silent=True)
    command = None if context is None else _find_command(context, name)
    if context is not None and command is not None:
        skipped = {"debug", "as_json", without}
        for parameter in command.params:
            is_there = not set(parameter.opts).isdisjoint(words)
            if parameter.name not in skipped and not is_there:
                line += _repeat(context, parameter)
    return shlex.join(line)


def _find_command(context: click.Context, name: str) -> click.Command | None:
    program = context.find_root().command
    if not isinstance(program, click.Group):
        return None
    return program.get_command(context, name)


def _repeat(context: click.Context, parameter: click.Parameter) -> Iterator[str]:
    """Yield the words of a parameter as given on the command line, if it was."""
    name = parameter.name or ""
    if context.get_parameter_source(name) is not ParameterSource.COMMANDLINE:
        return
    value = context.params[name]
    for each in value if isinstance(value, tuple) else (value,):
        if isinstance(parameter, click.Argument):
            yield str(each)
        elif each is False:
            yield parameter.secondary_opts[-1]
        else:
            yield parameter.opts[-1]
            if each is not True:
                yield str(each)
