"""Tests of help pages: groups, defaults, choices, and nothing cut off."""

import re
from collections.abc import Callable
from pathlib import Path

import click
import pytest
from click.testing import Result
from support.processes import list_loaded
from support.terminals import STYLES, run_in_terminal

from asdlc_kb.cli import main
from asdlc_kb.cli.commands import COMMANDS, SECTIONS
from asdlc_kb.settings_descriptions import GROUPS

Invoke = Callable[..., Result]


def find_command(name: str) -> click.Command:
    """Return a command of the program."""
    command = main.get_command(click.Context(main), name)
    assert command is not None
    return command


def test_each_command_is_in_one_section(invoke: Invoke) -> None:
    """And every section has commands."""
    listed = [name for names in SECTIONS.values() for name in names]
    assert sorted(listed) == sorted(COMMANDS)
    shown = invoke("--help").stdout
    for title, names in SECTIONS.items():
        section = shown.split(f"\n{title}:\n")[1].split("\n\n")[0]
        assert re.findall(r"^  (\w+)", section, re.MULTILINE) == [*names]


def show_help(*command: str, cwd: Path, columns: int) -> str:
    """Return a help page on a terminal without colors."""
    written = run_in_terminal(
        *command, "--help", cwd=cwd, env={"NO_COLOR": "1"}, columns=columns
    )
    return written.decode().replace("\r\n", "\n")


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_summaries_are_whole(tmp_path: Path, columns: int) -> None:
    """The first sentence of each command's help; no line is too long."""
    shown = show_help(cwd=tmp_path, columns=columns)
    assert shown.count("...") == shown.count("[ARGS]...")
    assert max(map(len, shown.splitlines())) < columns
    words = " ".join(shown.split())
    for name in COMMANDS:
        help_text = find_command(name).help
        assert help_text is not None
        summary = " ".join(help_text.split("\n\n")[0].split()).removesuffix(".")
        assert f" {name} {summary} " in f" {words} "


@pytest.mark.parametrize("command", ["serve", "config", "stdio"])
def test_settings_are_in_their_groups(invoke: Invoke, command: str) -> None:
    """The groups of docs/settings.md, in that order."""
    shown = invoke(command, "--help").stdout
    titles = re.findall(r"^(\w+):$", shown, re.MULTILINE)
    groups = [title for title in titles if title in GROUPS]
    assert groups == [title for title in GROUPS if title in groups]
    assert titles[-1] == "General"
    for option in find_command(command).params:
        group = next((t for t, names in GROUPS.items() if option.name in names), None)
        if isinstance(option, click.Option) and group in groups:
            section = shown.split(f"\n{group}:\n")[1].split("\n\n")[0]
            assert option.hidden or option.opts[-1] in (*section.split(), "--debug")


@pytest.mark.parametrize(
    "text",
    [
        "-p, --port PORT Port to listen on; 0 picks a free one [default: 8420]",
        "--docs [NAME=]DIR Documentation folder",
        "--log-level [debug|info|warning|error] Minimum log level [default: info]",
        "--missing-grace SECONDS Seconds to serve articles and pages whose folder "
        "is missing [default: 60]",
        "--max-connections N Maximum connections",
        "--max-connections-per-client N Maximum connections per address",
        "--metrics-allow ADDRESS Address or network",
        "--auth-tokens-file FILE Require a token",
        "--base-url URL Public address",
        "--sse / --no-sse Also offer the HTTP+SSE transport of 2024-11-05 "
        "[default: sse]",
        "[CONTENT] Folder of articles",
        "--config FILE Configuration file; by default ./asdlc-kb.toml if it exists",
    ],
)
def test_options_have_metavars_defaults_and_choices(invoke: Invoke, text: str) -> None:
    """In any width; long names have their description below."""
    assert text in " ".join(invoke("serve", "--help").stdout.split())


@pytest.mark.parametrize("name", COMMANDS)
def test_each_argument_and_option_has_a_description(name: str) -> None:
    """One line without a full stop."""
    for parameter in find_command(name).params:
        assert isinstance(parameter, click.Option | click.Argument)
        if not getattr(parameter, "hidden", False):
            assert parameter.help, parameter.name
            assert not parameter.help.endswith("."), parameter.name


def test_a_reader_of_content_is_offered_no_option_of_servers(invoke: Invoke) -> None:
    """Nor a description that concerns only these."""
    shown = invoke("list", "--help").stdout
    assert "--missing-grace" not in shown
    assert "to clients" not in shown
    assert re.search(r"--debug +Show tracebacks\n", shown)


def test_a_terminal_shows_help_in_color(tmp_path: Path) -> None:
    """Headings in bold, names in cyan; NO_COLOR turns it off."""
    colored = run_in_terminal("serve", "--help", cwd=tmp_path).decode()
    assert "\x1b[1mNetwork:\x1b[0m" in colored
    assert "\x1b[36m-p, --port PORT\x1b[0m" in colored
    plain = run_in_terminal(
        "serve", "--help", cwd=tmp_path, env={"NO_COLOR": "1"}
    ).decode()
    assert plain == STYLES.sub("", colored)


@pytest.mark.parametrize("columns", [50, 63, 80])
def test_option_names_are_not_broken(tmp_path: Path, columns: int) -> None:
    """A line ends at a blank, not at a hyphen."""
    shown = show_help("serve", cwd=tmp_path, columns=columns)
    assert "\u2011" not in shown
    assert not re.search(r"\w-$", shown, re.MULTILINE)


def test_a_start_loads_no_layout() -> None:
    """D-213: its library is loaded with the first help page."""
    loaded = list_loaded("import asdlc_kb.cli.serve, sys; print(*sys.modules)")
    assert "click" in loaded
    assert not {"cloup", "asdlc_kb.cli.help_page", "asdlc_kb.cli.progress"} & loaded
