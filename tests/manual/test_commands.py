"""Commands on the pages are such that the program takes them."""

import re
import shlex
from itertools import takewhile
from pathlib import Path

import click
import pytest

from asdlc_kb.cli.commands import load_command

ROOT = Path(__file__).parents[2]
PAGES = sorted([*(ROOT / "docs").rglob("*.md"), ROOT / "README.md"])
FENCE = re.compile(r"^```(?:sh|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
HEREDOC = re.compile(r"<<'END'\n.*?^END$", re.MULTILINE | re.DOTALL)
SPAN = re.compile(r"`(asdlc-kb [^`]+)`")
PLACEHOLDER = re.compile(r"\[|\.\.\.|…|\bCOMMAND\b|\|text")
"""A line with one shows a form, not a command."""
END = frozenset({"|", "||", "&&", ";", ">", ">>", "&", "#"})


def list_commands(text: str) -> list[list[str]]:
    """Return the arguments of each command of the program on a page."""
    blocks = [HEREDOC.sub("", block) for block in FENCE.findall(text)]
    lines = "\n".join(blocks).replace("\\\n", " ").splitlines()
    spans = [" ".join(span.split()) for span in SPAN.findall(text)]
    commands = []
    for line in (*lines, *spans):
        if "asdlc-kb " not in line or PLACEHOLDER.search(line):
            continue
        # The number of a descriptor is no argument.
        line = line.replace(" 2> ", " > ")
        lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
        lexer.whitespace_split = True
        words = ["&&", *lexer]
        for at in range(1, len(words)):
            if words[at] == "asdlc-kb" and words[at - 1] in END:
                rest = words[at + 1 :]
                commands.append(list(takewhile(lambda word: word not in END, rest)))
    return commands


def is_accepted(arguments: list[str]) -> bool:
    """Whether the command has these options, as many arguments, and these values."""
    name, *rest = arguments
    command = load_command(name)
    while rest and rest[0] in (commands := getattr(command, "commands", {})):
        command, rest = commands[rest[0]], rest[1:]
    context = click.Context(command, info_name=name)
    _, left, _ = command.make_parser(context).parse_args(list(rest))
    return not left or isinstance(command, click.Group)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_is_one_that_the_program_takes(page: Path) -> None:
    """No option is misspelt or gone."""
    for arguments in list_commands(page.read_text(encoding="utf-8")):
        if arguments and not arguments[0].startswith("-"):
            assert is_accepted(arguments), arguments
