"""Options of the commands, generated from the settings, and their values.

A command made with `settings_options` gets `CommandSettings` and its other parameters,
and returns its exit code, or None for 0.
"""

import os
from collections.abc import Callable, Mapping
from functools import update_wrapper
from pathlib import Path
from typing import Any, Final, TypeAlias, TypeVar

import click
import msgspec
from click.core import ParameterSource

from asdlc_kb.cli.config_file import Configuration, open_configuration
from asdlc_kb.settings import (
    FILE_NAME,
    LISTS,
    PREFIX,
    RENAMED,
    Settings,
)
from asdlc_kb.settings_descriptions import DESCRIPTIONS
from asdlc_kb.settings_resolution import resolve_settings

F = TypeVar("F", bound=Callable[..., Any])

Command: TypeAlias = Callable[..., int | None]
"""Takes CommandSettings and keywords; returns the exit code, or None for 0."""

_FINDS_FILE: Final = f"{__name__}.finds_file"
"""Whether a command reads a file that is not named; in the context's `meta`."""
_SHORT: Final = {"port": "-p"}
_FLAGS: Final = frozenset(
    {
        *("chatgpt_tools", "debug", "dev", "drafts", "include_home"),
        *("log_queries", "otel", "poll", "semantic", "structured_results", "wait"),
    }
)
_SWITCHES: Final = frozenset({"fast_path", "mcp_enabled", "sse"})


class CommandSettings(msgspec.Struct, frozen=True):
    """The settings of a command, and where they come from."""

    settings: Settings
    origins: Mapping[str, str]
    """The origin of each setting by name."""
    file: Configuration
    _context: click.Context

    def read_again(self, *, finds_file: bool | None = None) -> "CommandSettings":
        """Return the settings as of now, with another rule for the file if given.

        Raises SettingsError.
        """
        return _read_settings(self._context, finds_file=finds_file)


def settings_options(
    *names: str, without: str = "", has_argument: bool = True, finds_file: bool = True
) -> Callable[[Command], Callable[..., None]]:
    """Make a command with the CONTENT argument and the options of these settings.

    Without names: all settings except `without`. Every command has `--debug`. A command
    with other arguments has `--content` instead. Without `finds_file` a configuration
    file is read only if it is named.
    """
    chosen = (*names, "debug") if names else DESCRIPTIONS
    shown = [name for name in chosen if name != without]
    found = f"./{FILE_NAME} if it exists" if finds_file else "none"

    def decorate(command: Command) -> Callable[..., None]:
        def run(context: click.Context, /, **given: Any) -> None:
            context.meta[_FINDS_FILE] = finds_file
            taken = {"config", *DESCRIPTIONS, *RENAMED}
            others = {name: given[name] for name in given.keys() - taken}
            context.exit(command(_read_settings(context), **others) or 0)

        made = click.pass_context(update_wrapper(run, command))
        for name in reversed(shown):
            if name != "content":
                made = _option(name)(made)
        for old, name in RENAMED.items():
            if name in shown:
                made = _option(name, old)(made)
        if not has_argument:
            made = _option("content")(made)
        made = click.option(
            "--config",
            type=click.Path(dir_okay=False, path_type=Path),
            envvar=f"{PREFIX}CONFIG",
            help=f"Configuration file; default: {found}",
        )(made)
        return click.argument("content", required=False)(made) if has_argument else made

    return decorate


def _turn_on_debug(context: click.Context, _: click.Parameter, is_on: bool) -> bool:
    """Set the flag as if it were before the command's name."""
    if is_on:
        context.find_root().params["debug"] = True
    return is_on


def _option(name: str, old: str = "") -> Callable[[F], F]:
    """Return the option of a setting; under its deprecated name it is not shown."""
    given = old or name
    flag = "--" + given.replace("_", "-")
    shown: dict[str, Any] = {"help": DESCRIPTIONS[name], "hidden": bool(old)}
    if name in _SWITCHES:
        return click.option(f"{flag}/--no-{flag[2:]}", given, default=True, **shown)
    if name in _FLAGS:
        callback = _turn_on_debug if name == "debug" else None
        return click.option(flag, given, is_flag=True, callback=callback, **shown)
    spellings = (_SHORT[name], flag) if name in _SHORT else (flag,)
    metavar = name.rsplit("_", 1)[-1].upper()
    repeated = name in LISTS
    return click.option(*spellings, given, multiple=repeated, metavar=metavar, **shown)


def _read_settings(
    context: click.Context, *, finds_file: bool | None = None
) -> CommandSettings:
    """Return the settings of flags, the environment and the file."""
    if finds_file is None:
        finds_file = context.meta[_FINDS_FILE]
    flags = {
        name: value
        for name, value in context.params.items()
        if (name in DESCRIPTIONS or name in RENAMED)
        and value is not None
        and context.get_parameter_source(name) is ParameterSource.COMMANDLINE
    }
    config = context.params["config"]
    is_flag = context.get_parameter_source("config") is ParameterSource.COMMANDLINE
    file = Configuration()
    if config is not None or finds_file:
        file = open_configuration(config, "flag" if is_flag else "environment")
    resolved = resolve_settings(flags, os.environ, file.values, str(file.path))
    return CommandSettings(*resolved, file, context)
