"""Tests of output to a user's terminal, on a real one."""

import os
import pty
import re
import select
import subprocess
import time
from pathlib import Path

import pytest
from click.testing import CliRunner
from support.canary import Scanner
from support.knowledge import KnowledgeBase
from support.processes import BOUND, COMMAND, environment

from asdlc_kb.cli.terminal import echo, escape


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("ünïcödé 日本語 🙂 a\u00a0b", "ünïcödé 日本語 🙂 a\u00a0b"),
        ("\x1b[31mred", r"\x1b[31mred"),
        ("\x00\x07\x08\x7f", r"\x00\x07\x08\x7f"),
        ("a\rb\nc\td", r"a\rb\nc\td"),
        ("\x80\x85\x9b31m\x9f", r"\x80\x85\x9b31m\x9f"),
        ("a\u2028b\u2029c", r"a\u2028b\u2029c"),
        (
            "\u202atxt.\u202eexe\u2066\u2069\u200f",
            r"\u202atxt.\u202eexe\u2066\u2069\u200f",
        ),
        ("\udcff", r"\udcff"),
    ],
)
def test_what_a_terminal_would_obey_is_spelled(text: str, shown: str) -> None:
    """D-083: ANSI, C0, C1, line separators and bidi controls are escaped."""
    assert escape(text) == shown


def test_a_text_may_keep_its_layout() -> None:
    """An article's own lines and tabs stay; a carriage return does not."""
    assert escape("a\n\tb\r\x1b", keep="\n\t") == "a\n\tb\\r\\x1b"


def test_saying_something_writes_exactly_one_line() -> None:
    """A message with a line break in it cannot forge a second line."""
    with CliRunner().isolation() as (out, err, _):
        echo("one\ntwo")
        echo("three\r\n", err=True)
        assert out.getvalue() == b"one\\ntwo\n"
        assert err.getvalue() == b"three\\r\\n\n"


def read_terminal(master: int) -> bytes:
    """Return everything written to a terminal until its programs end."""
    written = b""
    deadline = time.monotonic() + BOUND
    while True:
        ready, _, _ = select.select([master], [], [], deadline - time.monotonic())
        assert ready, f"no end of {written!r}"
        try:
            chunk = os.read(master, 64 * 1024)
        except OSError:
            return written
        if not chunk:
            return written
        written += chunk


def run_in_terminal(*arguments: str, cwd: Path) -> bytes:
    """Run a command with a pseudo-terminal for its stdout and stderr."""
    master, slave = pty.openpty()
    try:
        process = subprocess.Popen(
            [*COMMAND, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=slave,
            stderr=slave,
            cwd=cwd,
            env=environment(),
        )
        os.close(slave)
        written = read_terminal(master)
        process.wait(BOUND)
        return written
    finally:
        os.close(master)


EVIL = "a\x1b]0;owned\x07\r\n\x9b2J\u202eb"


@pytest.mark.parametrize(
    ("command", "word"),
    [
        (("list",), "Evil"),
        (("search", "evil"), "Evil"),
        (("show", "evil"), "Evil"),
        (("check",), r"concepts/a\x1b]0;owned\x07\r\n\x9b2J\u202eb.md"),
        (("show", EVIL), r"Article 'a\x1b]0;owned\x07\r\n\x9b2J\u202eb' not found"),
        (("list", EVIL), r"a\x1b]0;owned\x07\r\n\x9b2J\u202eb"),
        (("list", "--category", EVIL), r"a\x1b]0;owned\x07\r\n\x9b2J\u202eb"),
        (("list", "--config", f"{EVIL}.toml"), r"a\x1b]0;owned\x07\r\n\x9b2J\u202eb"),
    ],
)
def test_no_control_byte_reaches_a_real_terminal(
    tmp_path: Path, scanner: Scanner, command: tuple[str, ...], word: str
) -> None:
    """D-083: on a pseudo-terminal, no byte below 0x20 but LF."""
    base = KnowledgeBase(tmp_path / "content")
    base.write(f"concepts/{EVIL}")
    base.write("concepts/evil", title=r'"Evil \e[2J\e]0;owned\a\u009b31m\u202e"')
    written = run_in_terminal(*command, cwd=tmp_path)
    if command != ("check",):
        scanner.scan(written, "terminal")
    text = written.decode().replace("\r\n", "\n")
    assert word in text
    assert re.findall("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e]", text) == []
