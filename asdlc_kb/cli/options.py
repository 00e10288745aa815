"""Options of the commands, generated from the settings, and their values.

A command made with `settings_options` gets `CommandSettings` and its other parameters,
and returns its exit code, or None for 0.
"""

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import update_wrapper
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias, TypeVar, get_args, get_origin

import click
import msgspec
from click.core import ParameterSource

from asdlc_kb.cli.config_file import Configuration, open_configuration
from asdlc_kb.cli.value_completion import NamedFolder, complete_words
from asdlc_kb.exceptions import KnowledgeBaseError
from asdlc_kb.markup.dialects.names import DialectName
from asdlc_kb.settings import (
    FIELDS,
    FILE_NAME,
    LISTS,
    PREFIX,
    Settings,
    list_values,
)
from asdlc_kb.settings_descriptions import DESCRIPTIONS
from asdlc_kb.settings_resolution import resolve_settings

F = TypeVar("F", bound=Callable[..., Any])

Command: TypeAlias = Callable[..., int | None]
"""Takes CommandSettings and keywords; returns the exit code, or None for 0."""

_FINDS_FILE: Final = f"{__name__}.finds_file"
"""Whether a command reads a file that is not named; in the context's `meta`."""
_NAMED_CONTENT: Final = "Folder of articles; by default none"
"""The help of CONTENT where `./content` is not served unless it is named."""
_SHORT: Final = {"port": "-p"}
_DEFAULTS: Final = list_values(Settings())
_METAVARS: Final = {
    "docs": "[NAME=]DIR",
    "dialect": "[NAME=]DIALECT",
    "language": "[NAME=]LANGUAGE",
    "project": "DIR",
    "store": "URL",
    "store_source": "NAME",
    "store_max_age": "SECONDS",
    "missing_grace": "SECONDS",
    "social_image": "URL",
    "logo": "FILE",
    "accent": "COLOR",
    "custom_css": "FILE",
    "content_signal": "SIGNAL",
    "cache_dir": "DIR",
    "snippet_length": "CHARACTERS",
    "changelog": "PATTERN",
    "synonyms": "FILE",
    "server_name": "NAME",
    "host": "ADDRESS",
    "port": "PORT",
    "tls_cert": "FILE",
    "tls_key": "FILE",
    "allow_host": "HOST",
    "allow_origin": "ORIGIN",
    "trusted_proxy": "ADDRESS",
    "rate_limit": "RATE",
    "page_rate_limit": "RATE",
    "rate_limit_window": "SECONDS",
    "max_body": "BYTES",
    "auth_issuer": "URL",
    "auth_scope": "SCOPES",
    "metrics_allow": "ADDRESS",
    "content": "DIR",
}
"""What the help calls a value, where neither name nor type of the setting says it."""
_SUFFIXES: Final = {"_file": "FILE", "_url": "URL"}
_TYPES: Final = {
    "FILE": click.Path(),
    "DIR": click.Path(),
    "[NAME=]DIR": NamedFolder(),
}
"""Types of values that a shell completes as paths."""
_WORDS: Final = {"[NAME=]DIALECT": get_args(DialectName)}
"""Values that it completes as one of these words."""


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
    *names: str,
    without: str = "",
    has_argument: bool = True,
    finds_file: bool = True,
    accepts_others: bool = False,
) -> Callable[[Command], Callable[..., None]]:
    """Make a command with the CONTENT argument and the options of these settings.

    Without names: all settings except `without`. Every command has `--debug`. A command
    with other arguments has `--content` instead. Without `finds_file` a configuration
    file and `./content` are read only if they are named. With `accepts_others` the
    options of the other settings are accepted and validated, but not in the help.
    """
    chosen = dict.fromkeys((*names, "debug")) if names else DESCRIPTIONS
    shown = [name for name in chosen if name != without]
    others = DESCRIPTIONS.keys() - {*shown, "content"} if accepts_others else ()
    is_server = "log_level" in shown
    found = f"./{FILE_NAME} if it exists" if finds_file else "none"

    def decorate(command: Command) -> Callable[..., None]:
        def run(context: click.Context, /, **given: Any) -> None:
            context.meta[_FINDS_FILE] = finds_file
            taken = {"config", *DESCRIPTIONS}
            rest = {name: given[name] for name in given.keys() - taken}
            context.exit(command(_read_settings(context), **rest) or 0)

        made = click.pass_context(update_wrapper(run, command))
        for name in reversed(shown):
            if name != "content":
                made = _option(name, is_server=is_server)(made)
        for name in sorted(others):
            made = _option(name, is_server=is_server, is_hidden=True)(made)
        if not has_argument:
            made = _option("content", is_server=is_server)(made)
        made = click.option(
            "--config",
            type=click.Path(dir_okay=False, path_type=Path),
            envvar=f"{PREFIX}CONFIG",
            metavar="FILE",
            help=f"Configuration file; by default {found}",
        )(made)
        if not has_argument:
            return made
        return click.argument(
            "content",
            required=False,
            type=click.Path(),
            metavar="[CONTENT]",
            help=DESCRIPTIONS["content"] if finds_file else _NAMED_CONTENT,
        )(made)

    return decorate


def _turn_on_debug(context: click.Context, _: click.Parameter, is_on: bool) -> bool:
    """Set the flag as if it were before the command's name."""
    if is_on:
        context.find_root().params["debug"] = True
    return is_on


def _option(name: str, *, is_server: bool, is_hidden: bool = False) -> Callable[[F], F]:
    """Return the option of a setting."""
    flag = "--" + name.replace("_", "-")
    shown: dict[str, Any] = {"help": DESCRIPTIONS[name], "hidden": is_hidden}
    if name == "debug":
        help_text = DESCRIPTIONS[name] if is_server else "Show tracebacks"
        shown |= {"help": help_text, "callback": _turn_on_debug}
    if FIELDS[name] is bool:
        if not _DEFAULTS[name]:
            return click.option(flag, name, is_flag=True, **shown)
        pair = f"{flag}/--no-{flag[2:]}"
        return click.option(pair, name, default=True, show_default=True, **shown)
    flags = (_SHORT[name], flag) if name in _SHORT else (flag,)
    return click.option(*flags, name, **shown, **_describe_value(name))


def _describe_value(name: str) -> dict[str, Any]:
    """Return the parameters of an option that takes a value."""
    metavar, kind, default = name_value(name), FIELDS[name], _DEFAULTS[name]
    if get_origin(kind) is Literal:
        value: dict[str, Any] = {"type": click.Choice(get_args(kind))}
    else:
        value = {"type": _TYPES.get(metavar, str), "metavar": metavar}
    if metavar in _WORDS:
        value["shell_complete"] = complete_words(_WORDS[metavar], "=")
    if name in LISTS:
        return {**value, "multiple": True}
    if default is None:
        return value
    # A text: the values of all sources are converted together.
    text = f"{default:g}" if isinstance(default, float) else str(default)
    return {**value, "default": text, "show_default": True}


def name_value(name: str) -> str:
    """Return what the help calls the value of a setting."""
    if name in _METAVARS:
        return _METAVARS[name]
    if _is_number(FIELDS[name]):
        return "N"
    named = (value for end, value in _SUFFIXES.items() if name.endswith(end))
    return next(named, "TEXT")


def complete_settings(context: click.Context) -> Settings | None:
    """Return the settings of an unfinished command line; None if they are wrong."""
    with suppress(KnowledgeBaseError):
        return _read_settings(context, finds_file=True).settings
    return None


def _is_number(kind: Any) -> bool:
    return kind in (int, float) or any(map(_is_number, get_args(kind)))


def _read_settings(
    context: click.Context, *, finds_file: bool | None = None
) -> CommandSettings:
    """Return the settings of flags, the environment and the file."""
    if finds_file is None:
        finds_file = context.meta[_FINDS_FILE]
    flags = {
        name: value
        for name, value in context.params.items()
        if name in DESCRIPTIONS
        and value is not None
        and context.get_parameter_source(name) is ParameterSource.COMMANDLINE
    }
    config = context.params.get("config")
    is_flag = context.get_parameter_source("config") is ParameterSource.COMMANDLINE
    file = Configuration()
    if config is not None or finds_file:
        file = open_configuration(config, "flag" if is_flag else "environment")
    resolved = resolve_settings(flags, os.environ, file.values, str(file.path))
    return CommandSettings(*resolved, file, context)
