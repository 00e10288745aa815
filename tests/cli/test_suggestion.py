"""Command lines in hints: what is repeated of the present one."""

import shlex
from collections.abc import Callable
from pathlib import Path

import click
import pytest
from click.testing import Result

from asdlc_kb.cli import main
from asdlc_kb.cli.suggestion import suggest_command

Invoke = Callable[..., Result]


def suggest(line: str, name: str, *words: str, without: str = "") -> str:
    """Return what the command of a line suggests."""
    found: list[str] = []

    def run(*_: object, **__: object) -> None:
        found.append(suggest_command(name, *words, without=without))

    command, *arguments = shlex.split(line)
    original = main.get_command(click.Context(main), command)
    assert original is not None
    copied = click.Command(command, params=original.params, callback=run)
    copied.main(arguments, command, standalone_mode=False, parent=click.Context(main))
    return found[0]


def test_without_a_command_there_is_nothing_to_repeat() -> None:
    """The checks can be called alone."""
    assert suggest_command("connect", "cursor") == "asdlc-kb connect cursor"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("doctor", "asdlc-kb connect zed"),
        ("doctor kb --json --debug", "asdlc-kb connect zed --content kb"),
        (
            "doctor --docs 'my docs' --docs b=c -p 1 --url http://h/mcp",
            "asdlc-kb connect zed --url http://h/mcp --port 1"
            " --docs 'my docs' --docs b=c",
        ),
        ("doctor --session-key-file k --poll", "asdlc-kb connect zed --poll"),
        ("serve --no-sse --docs d", "asdlc-kb connect zed --docs d"),
    ],
)
def test_options_that_both_commands_have_are_repeated(line: str, expected: str) -> None:
    """Each as often as it was given, quoted for a shell; none of the output's."""
    assert suggest(line, "connect", "zed") == expected


def test_an_argument_and_a_negation_are_repeated(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The other command has them in its own form; the environment is not repeated."""
    monkeypatch.setenv("ASDLC_KB_PORT", "1")
    line = suggest("serve kb --no-sse --tagline=-x", "serve")
    assert line.startswith("asdlc-kb serve kb --")
    assert set(shlex.split(line)[3:]) == {"--no-sse", "--tagline", "-x"}


def test_words_are_not_contradicted() -> None:
    """An option among the words has their value, and some exclude each other."""
    line = "doctor --name a --url http://h/mcp --docs d"
    words = ("zed", "--name", "b", "--stdio")
    assert suggest(line, "connect", *words, without="url") == (
        "asdlc-kb connect zed --name b --stdio --docs d"
    )


def test_hints_of_doctor_have_the_given_sources(invoke: Invoke, home: Path) -> None:
    """What they suggest is then the same server under the same name."""
    Path("handbook").mkdir()
    Path("handbook", "a.md").write_text("# A\n")
    given = ("--docs", "handbook", "--port", "0")
    printed = invoke("doctor", *given, "--json").stdout
    assert "asdlc-kb connect cursor --port 0 --docs handbook" in printed
    assert "start one with asdlc-kb serve --docs handbook --port 0" in printed
