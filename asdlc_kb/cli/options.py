"""Command-line options, generated from the settings."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, TypeVar

import click
from click.core import ParameterSource

from asdlc_kb.cli.config_file import Configuration, open_configuration
from asdlc_kb.settings import (
    DESCRIPTIONS,
    FILE_NAME,
    LISTS,
    PREFIX,
    RENAMED,
    Settings,
    resolve_settings,
)

F = TypeVar("F", bound=Callable[..., Any])

_SHORT: Final = {"port": "-p"}
_FLAGS: Final = frozenset(
    {"debug", "dev", "drafts", "include_home", "log_queries", "poll"}
)
_SWITCHES: Final = frozenset({"mcp_enabled", "sse"})


def settings_options(
    *names: str, without: str = "", has_argument: bool = True, finds_file: bool = True
) -> Callable[[F], F]:
    """Add the CONTENT argument and the options of these settings to a command.

    Without names: all settings except `without`. Every command has `--debug`. A command
    with other arguments has `--content` instead. Without `finds_file` a configuration
    file is read only if it is named.
    """
    chosen = (*names, "debug") if names else DESCRIPTIONS
    shown = [name for name in chosen if name != without]

    def decorate(command: F) -> F:
        for name in reversed(shown):
            if name != "content":
                command = _option(name)(command)
        for old, name in RENAMED.items():
            if name in shown:
                command = _option(name, old)(command)
        if not has_argument:
            command = _option("content")(command)
        config = click.option(
            "--config",
            type=click.Path(dir_okay=False, path_type=Path),
            envvar=f"{PREFIX}CONFIG",
            help="The configuration file; by default "
            + (f"./{FILE_NAME}, if it is there" if finds_file else "none"),
        )
        command = config(command)
        if not has_argument:
            return command
        return click.argument("content", required=False)(command)

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


def read_settings(context: click.Context, config: Path | None) -> Settings:
    """Return the settings from a command's flags, the environment and the file."""
    return explain_settings(context, config)[0]


def read_configured(
    context: click.Context, config: Path | None, *, finds_file: bool = True
) -> tuple[Settings, Configuration]:
    """Return the settings, and the file that was read."""
    settings, _, file = explain_settings(context, config, finds_file=finds_file)
    return settings, file


def explain_settings(
    context: click.Context, config: Path | None, *, finds_file: bool = True
) -> tuple[Settings, Mapping[str, str], Configuration]:
    """Return the settings, their origins, and the file; raise SettingsError."""
    flags = {
        name: value
        for name, value in context.params.items()
        if (name in DESCRIPTIONS or name in RENAMED)
        and value is not None
        and context.get_parameter_source(name) is ParameterSource.COMMANDLINE
    }
    is_flag = context.get_parameter_source("config") is ParameterSource.COMMANDLINE
    file = Configuration()
    if config is not None or finds_file:
        file = open_configuration(config, "flag" if is_flag else "environment")
    return *resolve_settings(flags, os.environ, file.values, str(file.path)), file
