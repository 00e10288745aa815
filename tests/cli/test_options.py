"""Tests of the options: made from the table of settings, from four sources."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import Result

from asdlc_kb.cli import main
from asdlc_kb.settings import LISTS
from asdlc_kb.settings_descriptions import DESCRIPTIONS

Invoke = Callable[..., Result]


def options_of(command: str) -> Mapping[str, click.Parameter]:
    """Return a command's parameters by name."""
    found = main.get_command(click.Context(main), command)
    assert found is not None
    return {p.name: p for p in found.params if p.name is not None}


@pytest.mark.parametrize(
    ("command", "name"),
    [
        (command, name)
        for command in ("serve", "config")
        for name in DESCRIPTIONS
        if (command, name) != ("serve", "include_home")
    ],
)
def test_every_setting_is_a_flag_that_says_what_it_does(
    command: str, name: str
) -> None:
    """D-128: each setting is a flag; CONTENT is the argument."""
    parameter = options_of(command)[name]
    if name == "content":
        assert isinstance(parameter, click.Argument)
        return
    assert isinstance(parameter, click.Option)
    assert f"--{name.replace('_', '-')}" in parameter.opts
    assert parameter.help == DESCRIPTIONS[name]


@pytest.mark.parametrize("name", sorted(LISTS))
def test_the_flag_of_a_list_may_be_given_several_times(name: str) -> None:
    """One value each, as the environment has commas."""
    option = options_of("config")[name]
    assert isinstance(option, click.Option)
    assert option.multiple


@pytest.mark.parametrize(
    ("command", "further"),
    [
        ("list", set()),
        ("show", set()),
        ("check", {"project", "synonyms"}),
        (
            "search",
            {"cache_dir", "snippet_length", "changelog", "synonyms", "semantic"},
        ),
    ],
)
def test_commands_that_read_take_only_what_concerns_them(
    command: str, further: set[str]
) -> None:
    """A port is meaningless to a command that does not listen."""
    shown = {
        name
        for name, each in options_of(command).items()
        if not (isinstance(each, click.Option) and each.hidden)
    }
    described = shown & DESCRIPTIONS.keys()
    common = {"content", "docs", "dialect", "language", "max_files", "debug"}
    assert described == common | further


@pytest.mark.parametrize("command", ["check", "doctor"])
def test_checks_take_the_command_line_of_the_server(command: str) -> None:
    """The runbook: `asdlc-kb doctor` and `check` with the flags of `serve`."""
    flags = set(options_of("serve"))
    assert flags - options_of(command).keys() == set()


def test_the_help_of_a_check_has_its_own_options_only(invoke: Invoke) -> None:
    """Those of a server are accepted, and validated."""
    shown = invoke("check", "--help").stdout
    assert "--synonyms" in shown
    assert "--port" not in shown
    wrong = invoke("check", "--port", "many")
    assert (wrong.exit_code, wrong.stdout) == (2, "")
    assert "--port: 'many' is not a whole number" in wrong.stderr


def test_no_home_is_served_over_http() -> None:
    """D-027: a user's own files are for local clients of this user."""
    assert "include_home" not in options_of("serve")


def test_the_help_of_stdio_promises_no_folder_of_articles(invoke: Invoke) -> None:
    """D-079: its working directory is the client's open project."""
    shown = " ".join(invoke("stdio", "--help").stdout.split())
    assert "[CONTENT] Folder of articles; by default none" in shown
    assert "./content" not in shown


def test_stdio_takes_what_concerns_a_pipe() -> None:
    """No address, no Host and no Origin on a pipe."""
    assert options_of("stdio").keys() & DESCRIPTIONS.keys() == {
        "content",
        "docs",
        "dialect",
        "language",
        "store",
        "store_source",
        "store_max_age",
        "wait",
        "server_name",
        "project",
        "include_home",
        "missing_grace",
        "max_files",
        "cache_dir",
        "max_search_results",
        "snippet_length",
        "changelog",
        "synonyms",
        "semantic",
        "debug",
        "title",
        "instructions",
        "topics",
        "chatgpt_tools",
        "tool_errors",
        "structured_results",
        "dev",
        "max_body",
        "poll",
        "log_level",
        "log_format",
        "log_queries",
        "otel",
    }


@pytest.fixture
def configured(invoke: Invoke) -> Callable[..., dict[str, Any]]:
    """Run `config --json` with flags; return value and origin by setting."""

    def run(*flags: str, env: dict[str, str] | None = None) -> dict[str, Any]:
        result = invoke("config", "--json", *flags, env=env)
        assert result.exit_code == 0, result.output
        return {
            row["name"]: (row["value"], row["origin"])
            for row in json.loads(result.stdout)
        }

    return run


def test_the_nearer_source_wins(
    configured: Callable[..., dict[str, Any]], folder: Path
) -> None:
    """D-128: flag over environment over file over default."""
    (folder / "asdlc-kb.toml").write_text("port = 3\nhost = 'c'\nmax_body = 4096\n")
    env = {"ASDLC_KB_PORT": "2", "ASDLC_KB_HOST": "b"}
    shown = configured("-p", "1", "--config", "asdlc-kb.toml", env=env)
    assert shown["port"] == (1, "flag")
    assert shown["host"] == ("b", "environment")
    assert shown["max_body"] == (4096, "asdlc-kb.toml")
    assert shown["missing_grace"] == (60.0, "default")


def test_a_default_of_the_command_line_hides_no_other_source(
    configured: Callable[..., dict[str, Any]],
) -> None:
    """A default of a switch or a list does not override the environment."""
    env = {"ASDLC_KB_DEV": "1", "ASDLC_KB_ALLOW_ORIGIN": "https://a.example"}
    shown = configured(env=env)
    assert shown["dev"] == (True, "environment")
    assert shown["allow_origin"] == (["https://a.example"], "environment")
    assert configured("--dev")["dev"] == (True, "flag")


def test_lists_are_repeated_flags(configured: Callable[..., dict[str, Any]]) -> None:
    """D-128: `[--allow-host H]…`; flags replace a list and never extend it."""
    env = {"ASDLC_KB_ALLOW_HOST": "c.example"}
    shown = configured(
        "--allow-host", "a.example", "--allow-host", "b.example", env=env
    )
    assert shown["allow_host"] == (["a.example", "b.example"], "flag")


def test_another_file_can_be_named(
    configured: Callable[..., dict[str, Any]], folder: Path
) -> None:
    """`--config` takes the place of ./asdlc-kb.toml, and is the origin shown."""
    (folder / "asdlc-kb.toml").write_text("port = 1\nmax_body = 4096\n")
    (folder / "other.toml").write_text("port = 2\n")
    shown = configured("--config", "other.toml")
    assert shown["port"] == (2, "other.toml")
    assert shown["max_body"] == (1024 * 1024, "default")


COMMANDS = [
    ("serve",),
    ("stdio",),
    ("list",),
    ("show", "x"),
    ("search", "x"),
    ("check",),
    ("config",),
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("port = 'x'", "asdlc-kb.toml: port: 'x' is not a whole number from 0 to"),
        ("prot = 1", "asdlc-kb.toml: 'prot' is not a setting. Did you mean: port?"),
        ("port =", "asdlc-kb.toml: Invalid value (at end of document)"),
    ],
)
def test_a_wrong_file_is_a_usage_error_of_every_command(
    invoke: Invoke, folder: Path, command: tuple[str, ...], text: str, message: str
) -> None:
    """Exit code 2, one line on stderr, nothing on stdout, nothing started."""
    (folder / "asdlc-kb.toml").write_text(text)
    result = invoke(*command, "--config", "asdlc-kb.toml")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"asdlc-kb: {message}")
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("flags", "env", "message"),
    [
        (("--port", "x"), {}, "--port: 'x' is not a whole number from 0 to 65,535"),
        (("--rate-limit", "foo"), {}, "--rate-limit: 'foo' is not a rate; write "),
        ((), {"ASDLC_KB_LOG_LEVEL": "x"}, "ASDLC_KB_LOG_LEVEL: 'x' is not one of "),
        ((), {"ASDLC_KB_PROT": "1"}, "environment: ASDLC_KB_PROT is not a setting. "),
    ],
)
def test_a_wrong_flag_or_variable_names_the_setting(
    invoke: Invoke, flags: tuple[str, ...], env: dict[str, str], message: str
) -> None:
    """D-127: exit code 2 is usage; one line says what to write."""
    result = invoke("serve", *flags, env=env)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"asdlc-kb: {message}")
    assert result.stderr.count("\n") == 1


def test_a_wrong_choice_names_the_choices(invoke: Invoke) -> None:
    """As the help does."""
    result = invoke("serve", "--log-level", "loud")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "'loud' is not one of 'debug', 'info', 'warning', 'error'" in result.stderr


def test_a_named_file_that_is_not_there_is_an_error(invoke: Invoke) -> None:
    """D-130: a named file must not be ignored silently."""
    result = invoke("config", "--config", "absent.toml")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == ("asdlc-kb: absent.toml: No such file or directory\n")


def test_an_unknown_flag_is_a_usage_error(invoke: Invoke) -> None:
    """Unknown flags must fail rather than be ignored."""
    result = invoke("serve", "--prot", "1")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "No such option '--prot'" in result.stderr
    assert "--port" in result.stderr
