"""Tests of output to a user's terminal, on a real one."""

import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner
from support.canary import Scanner
from support.knowledge import KnowledgeBase
from support.processes import run_cli
from support.terminals import PROGRESS, STYLES, run_in_terminal

from asdlc_kb.cli import terminal
from asdlc_kb.cli.terminal import (
    Span,
    choose_colors,
    count_noun,
    display_path,
    echo,
    escape,
    show_marks,
    wrap,
)


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


@pytest.mark.parametrize(
    ("environ", "colors"),
    [
        ({}, None),
        ({"TERM": "xterm"}, None),
        ({"TERM": "dumb"}, False),
        ({"NO_COLOR": "1"}, False),
        ({"NO_COLOR": ""}, None),
        ({"FORCE_COLOR": "1"}, True),
        ({"FORCE_COLOR": "1", "TERM": "dumb"}, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
    ],
)
def test_colors_are_those_that_the_environment_asks_for(
    environ: dict[str, str], colors: bool | None
) -> None:
    """no-color.org, and the order of Python's own tracebacks."""
    assert choose_colors(environ) is colors


@pytest.mark.parametrize(
    ("text", "emphasized"),
    [
        ("a **rate** limit", ["rate"]),
        ("**one** and **two**", ["one", "two"]),
        ("上**下**文", ["下"]),
        ("f(**a, **b)", []),
        ("2**n**2", []),
        ("2**n** x", []),
        ("***a***", []),
        ("**two words**", []),
    ],
)
def test_marks_of_matches_are_styles(
    monkeypatch: pytest.MonkeyPatch, text: str, emphasized: list[str]
) -> None:
    """Only what the search marked: code has stars of its own."""
    assert show_marks(text) == text
    monkeypatch.setattr(terminal, "has_styles", lambda: True)
    line = show_marks(text)
    assert [part.text for part in line if isinstance(part, Span)] == emphasized
    whole = "".join(
        f"**{part.text}**" if isinstance(part, Span) else part for part in line
    )
    assert whole == text


def test_a_span_escapes_its_text() -> None:
    """D-083: a style begins and ends outside the text."""
    with CliRunner().isolation(color=True) as (out, _, _):
        echo((Span("a\x1b[35m", "strong"), "\x07"))
        assert out.getvalue() == b"\x1b[1ma\\x1b[35m\x1b[0m\\x07\n"


@pytest.mark.parametrize(
    ("number", "text"), [(0, "0 files"), (1, "1 file"), (46, "46 files")]
)
def test_nouns_agree_with_their_number(number: int, text: str) -> None:
    """In English, with thousands separated."""
    assert count_noun(number, "file") == text
    assert count_noun(1_000, "entry", "entries") == "1,000 entries"


def test_a_path_is_relative_below_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """D-134: else it stays as it is."""
    monkeypatch.chdir(tmp_path)
    assert display_path(tmp_path / "a" / "b") == Path("a/b")
    assert display_path(tmp_path.parent) == tmp_path.parent
    assert display_path(Path("c")) == Path("c")


def show_search(tmp_path: Path, **env: str) -> str:
    """Return what a search with a match shows on a terminal."""
    KnowledgeBase(tmp_path / "content").write(
        "concepts/herons", title="Herons", body="Herons wade in shallows.\n"
    )
    options = ("--mode", "fulltext", "--cache-dir", "off")
    return run_in_terminal(
        "search", "shallows", *options, cwd=tmp_path, env=env
    ).decode()


def test_a_terminal_shows_matches_in_bold(tmp_path: Path) -> None:
    """And no stars."""
    shown = show_search(tmp_path)
    assert "wade in \x1b[1mshallows\x1b[0m." in shown
    assert "**" not in shown


def test_a_terminal_wraps_passages_between_words(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A pipe gets a line for each line of the passage."""
    text = " ".join(["heron"] * 30)
    assert wrap(text, 4) == (text,)
    monkeypatch.setattr(terminal, "sys", SimpleNamespace(stdout=Screen()))
    monkeypatch.setenv("COLUMNS", "40")
    lines = wrap(text, 4)
    assert " ".join(lines) == text
    assert 30 < max(map(len, lines)) <= 36
    assert wrap("short", 4) == ("short",)
    monkeypatch.setenv("COLUMNS", "10")
    assert wrap(text, 4) == (text,)


class Screen:
    """A terminal."""

    def isatty(self) -> bool:
        """Return whether it is one."""
        return True


@pytest.mark.parametrize("env", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_without_styles_matches_are_marked(tmp_path: Path, env: dict[str, str]) -> None:
    """As in a pipe."""
    shown = show_search(tmp_path, **env)
    assert "wade in **shallows**." in shown
    assert "\x1b" not in shown


def test_a_pipe_gets_no_escape_sequence(tmp_path: Path, scanner: Scanner) -> None:
    """Unless FORCE_COLOR asks for them."""
    KnowledgeBase(tmp_path / "content")
    for command in (("check",), ("list",), ("--help",), ("show", "nowhere"), ("fly",)):
        done = run_cli(*command, scanner=Scanner(), cwd=tmp_path, env={"TERM": "xterm"})
        assert b"\x1b" not in done.stdout + done.stderr
    forced = run_cli("list", scanner=scanner, cwd=tmp_path, env={"FORCE_COLOR": "1"})
    assert b"\x1b[1m" in forced.stdout


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
    """D-083: on a pseudo-terminal, no byte below 0x20 but LF, and our styles."""
    base = KnowledgeBase(tmp_path / "content")
    base.write(f"concepts/{EVIL}")
    base.write("concepts/evil", title=r'"Evil \e[2J\e[35m\e]0;owned\a\u009b31m\u202e"')
    for name in ("dumb", "xterm"):
        written = run_in_terminal(*command, cwd=tmp_path, env={"TERM": name})
        if command != ("check",):
            scanner.scan(written, "terminal")
        text = written.decode().replace("\r\n", "\n")
        assert word in text
        plain = text if name == "dumb" else PROGRESS.sub("", STYLES.sub("", text))
        unsafe = "[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e]"
        assert re.findall(unsafe, plain) == []
