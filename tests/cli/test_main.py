"""Tests of the command itself: its names, exit codes and failures."""

import shlex
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import entry_points, version
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result
from support.canary import Scanner
from support.knowledge import KnowledgeBase
from support.processes import BOUND, COMMAND, environment, run_cli, start_cli

import asdlc_kb
from asdlc_kb.cli import main
from asdlc_kb.cli.main import CommandGroup
from asdlc_kb.exceptions import (
    ArticleNotFound,
    KnowledgeBaseError,
    OperationalError,
    SettingsError,
)

Invoke = Callable[..., Result]


def test_the_module_can_be_run(scanner: Scanner) -> None:
    """`python -m asdlc_kb` does what the console script does."""
    done = run_cli("--version", scanner=scanner)
    assert done.code == 0
    assert done.out == f"asdlc-kb, version {asdlc_kb.__version__}\n"
    assert done.err == ""
    assert version("asdlc-kb") == asdlc_kb.__version__


def test_the_console_script_is_the_same_command() -> None:
    """The console script is `asdlc-kb`."""
    (script,) = entry_points(group="console_scripts", name="asdlc-kb")
    assert script.load() is main


@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_help_names_every_command(invoke: Invoke, flag: str) -> None:
    """A new user finds all of them."""
    result = invoke(flag)
    assert result.exit_code == 0
    for name in ("serve", "stdio", "list", "show", "search", "check", "config"):
        assert f"\n  {name} " in result.stdout


@pytest.mark.parametrize("arguments", [("fly",), ("show",), ("search",), ("--fly",)])
def test_a_misuse_exits_with_2(invoke: Invoke, arguments: tuple[str, ...]) -> None:
    """D-127: 2 is usage; nothing goes to stdout."""
    result = invoke(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "Usage: asdlc-kb" in result.stderr


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("serach", "'search'"),
        ("stat", "'stats', 'stdio'"),
        ("init", "'new'"),
        ("start", "'serve'"),
        ("bogus", None),
    ],
)
def test_similar_commands_are_suggested(
    invoke: Invoke, name: str, hint: str | None
) -> None:
    """None is if none is near."""
    result = invoke(name)
    assert f"No such command '{name}'." in result.stderr
    assert ("Did you mean" in result.stderr) == (hint is not None)
    assert hint is None or hint.split(",")[0] in result.stderr


@pytest.mark.parametrize("words", [("my docs",), (".", "--port", "0")])
def test_a_folder_in_place_of_a_command_is_one_to_serve(
    invoke: Invoke, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    """The first thing that a new user may try."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my docs").mkdir()
    result = invoke(*words)
    assert result.exit_code == 2
    line = shlex.join(["asdlc-kb", "serve", *words])
    assert result.stderr.endswith(f"To serve this folder: {line}\n")


@pytest.mark.parametrize(
    ("words", "option"),
    [
        (("help",), ("--help",)),
        (("help", "serve"), ("serve", "--help")),
        (("help", "index", "info"), ("index", "info", "--help")),
        (("version",), ("--version",)),
        (("-V",), ("--version",)),
    ],
)
def test_help_and_version_are_found_where_other_programs_have_them(
    invoke: Invoke, words: tuple[str, ...], option: tuple[str, ...]
) -> None:
    """As options and as commands."""
    result = invoke(*words)
    assert result.exit_code == 0
    assert result.stdout == invoke(*option).stdout


def test_similar_commands_of_a_group_are_suggested(invoke: Invoke) -> None:
    """Its line in the help names them all."""
    assert "Did you mean 'info'?" in invoke("index", "infos").stderr
    names = invoke("index", "--help").stdout
    line = next(row for row in invoke("--help").stdout.splitlines() if "indexes" in row)
    for name in line.partition(":")[2].split(","):
        assert f"\n  {name.strip(' .')} " in names


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="Linux has it")
def test_a_full_disk_is_reported_in_one_line(tmp_path: Path) -> None:
    """D-127: a reason outside of the program."""
    (tmp_path / "docs").mkdir()
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [*COMMAND, "search", "x", "--docs", "docs", "--json"],
            stdout=full,
            stderr=subprocess.PIPE,
            cwd=tmp_path,
            env=environment(None),
            timeout=BOUND,
            check=False,
        )
    assert done.returncode == 3
    assert done.stderr.splitlines()[-1] == (
        b"asdlc-kb: output: No space left on device"
    )


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (SettingsError("wrong setting"), 2, "asdlc-kb: wrong setting\n"),
        (OperationalError("port 1 is taken"), 3, "asdlc-kb: port 1 is taken\n"),
        (ArticleNotFound("x"), 1, "asdlc-kb: Article 'x' not found\n"),
        (KnowledgeBaseError("a\x1b[31m\nb"), 1, "asdlc-kb: a\\x1b[31m\\nb\n"),
        (OSError(28, "No space left"), 3, "asdlc-kb: output: No space left\n"),
        (OSError(28, "Full", "/x/y"), 3, "asdlc-kb: /x/y: Full\n"),
        (KeyboardInterrupt(), 130, ""),
        (click.Abort(), 130, "\n"),
        (BrokenPipeError(), 0, ""),
    ],
    ids=lambda value: type(value).__name__,
)
def test_each_failure_has_its_exit_code(
    error: BaseException, code: int, message: str
) -> None:
    """D-127: 1 findings, 2 usage, 3 environment, 130 interrupted; one line each."""

    def fail() -> None:
        raise error

    command = click.Command("fail", callback=fail)
    result = CliRunner().invoke(CommandGroup("asdlc-kb", {"fail": command}), ["fail"])
    assert (result.exit_code, result.stdout) == (code, "")
    if code != 0:
        assert result.stderr == message


def test_an_unforeseen_failure_is_two_lines() -> None:
    """D-127: no traceback without --debug."""

    def fail() -> None:
        raise RuntimeError("a \x1b surprise")

    command = click.Command("fail", callback=fail)
    result = CliRunner().invoke(CommandGroup("asdlc-kb", {"fail": command}), ["fail"])
    assert (result.exit_code, result.stdout) == (1, "")
    first, second = result.stderr.splitlines()
    assert first == r"asdlc-kb: unexpected error: RuntimeError('a \x1b surprise')"
    assert second == "asdlc-kb: please report it; --debug shows the traceback"


@pytest.mark.parametrize("command", ["stdio", "doctor", "rules a.md"])
def test_a_removed_working_directory_is_named(
    invoke: Invoke, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    """Editors start servers in folders that are gone after a branch was changed."""
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    result = invoke(*command.split())
    assert result.exit_code == 3
    assert "working directory" in result.stderr
    assert "report it" not in result.stderr


@pytest.mark.parametrize("place", [0, 1])
def test_debug_may_stand_before_or_behind_the_command(
    invoke: Invoke, monkeypatch: pytest.MonkeyPatch, place: int
) -> None:
    """Both `asdlc-kb --debug serve` and `asdlc-kb serve --debug` are valid."""

    def fail(*_: object) -> None:
        raise RuntimeError("inside")

    monkeypatch.setattr("asdlc_kb.cli.read.open_catalogs", fail)
    arguments = ["list"]
    assert "inside" in invoke(*arguments).stderr
    arguments.insert(place, "--debug")
    assert isinstance(invoke(*arguments).exception, RuntimeError)


def test_debug_shows_where_a_failure_is() -> None:
    """The flag belongs to the command group."""

    def fail() -> None:
        raise RuntimeError

    command = click.Command("fail", callback=fail)
    debug = click.Option(["--debug"], is_flag=True)
    group = CommandGroup("asdlc-kb", {"fail": command}, params=[debug])
    result = CliRunner().invoke(group, ["--debug", "fail"])
    assert isinstance(result.exception, RuntimeError)


def test_a_reader_that_has_seen_enough_is_no_failure(
    tmp_path: Path, scanner: Scanner
) -> None:
    """`asdlc-kb list | head -1` ends quietly, whatever is left to write."""
    base = KnowledgeBase(tmp_path / "content")
    description = "long " * 1000
    for number in range(200):
        base.write(f"concepts/a{number}", description=description)
    command = ("list", "content", "--json", "--limit", "200")
    with start_cli(*command, scanner=scanner, cwd=tmp_path) as running:
        assert running.read_line() == b"[\n"
        running.close_stdout()
        done = running.wait()
    assert done.code == 0
    assert b"Traceback" not in done.stderr
    assert b"BrokenPipe" not in done.stderr


def test_errors_of_a_real_process_go_to_stderr(
    tmp_path: Path, scanner: Scanner
) -> None:
    """D-127: they state what to do, without a traceback."""
    done = run_cli("list", "nowhere", scanner=scanner, cwd=tmp_path)
    assert (done.code, done.out) == (3, "")
    assert done.err == "asdlc-kb: no such folder: nowhere\n"
    assert sys.executable not in done.err
