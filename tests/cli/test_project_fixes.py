"""Tests of check --fix: shown, confirmed, made; then the rest is reported."""

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result
from support.files import save_in_place
from support.processes import BOUND, COMMAND, environment
from support.terminals import STYLES, open_terminal, read_terminal

Invoke = Callable[..., Result]

LOOSE = "---\npaths: **/*.ts\n---\nText\n"
QUOTED = '---\npaths: "**/*.ts"\n---\nText\n'
DIFF = """\
--- a/.claude/rules/x.md
+++ b/.claude/rules/x.md
@@ -1,5 +1,5 @@
 ---
-paths: **/*.ts
+paths: "**/*.ts"
 ---
 Text
 \n"""


@pytest.fixture
def rule(folder: Path) -> Path:
    """A rule that can be fixed, in a project whose AGENTS.md cannot be."""
    path = folder / "shop" / ".claude" / "rules" / "x.md"
    save_in_place(path, LOOSE)
    save_in_place(folder / "shop" / "AGENTS.md", " ")
    save_in_place(folder / "shop" / "a.ts", "")
    return path


def test_a_fix_is_shown_and_made_and_the_rest_is_reported(
    invoke: Invoke, rule: Path
) -> None:
    """Without a terminal the option itself is the consent."""
    result = invoke("check", "--project", "shop", "--fix")
    assert result.exit_code == 1
    begin = f"{DIFF}Fixed 1 file\nshop/AGENTS.md:1:1: KB045 "
    assert result.stdout.startswith(begin)
    assert rule.read_text() == QUOTED
    assert not rule.with_name("x.md.bak").exists()
    again = invoke("check", "--project", "shop", "--fix")
    assert again.stdout.startswith("Nothing can be fixed by a program\nshop/AGENTS.md")


def test_a_dry_run_shows_the_changes_only(invoke: Invoke, rule: Path) -> None:
    """The problems are all there."""
    result = invoke("check", "--project", "shop", "--fix", "--dry-run")
    assert result.stdout.startswith(f"{DIFF}Would fix 1 file\n")
    assert "KB040" in result.stdout
    assert rule.read_text() == LOOSE


def test_a_report_for_programs_stays_one(invoke: Invoke, rule: Path) -> None:
    """The diff is on stderr."""
    result = invoke("check", "--project", "shop", "--fix", "--json")
    assert [row["code"] for row in json.loads(result.stdout)] == ["KB045"]
    assert result.stderr == f"{DIFF}Fixed 1 file\n"


def test_a_fix_that_is_not_possible_is_reported(
    invoke: Invoke, rule: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And the others are made."""

    def refuse(*paths: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", refuse)
    result = invoke("check", "--project", "shop", "--fix")
    assert "Fixed 0 files" in result.stdout
    assert result.stderr.startswith("asdlc-kb: .claude/rules/x.md is not fixed: ")
    assert "make room on the disk" in result.stderr
    assert rule.read_text() == LOOSE


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--fix"], "--fix is for projects: name one with --project"),
        (["--project", "shop", "--dry-run"], "--dry-run is for --fix"),
    ],
)
def test_options_without_an_object_are_refused(
    invoke: Invoke, rule: Path, folder: Path, arguments: list[str], message: str
) -> None:
    """Exit code 2."""
    (folder / "content").mkdir()
    result = invoke("check", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr


@pytest.mark.parametrize("answer", ["y", "n"])
def test_a_person_confirms_the_fixes(folder: Path, rule: Path, answer: str) -> None:
    """After the diff, which has colors."""
    master, slave = open_terminal()
    process = subprocess.Popen(
        [*COMMAND, "check", "--project", "shop", "--fix"],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        cwd=folder,
        env=environment({"TERM": "xterm"}),
    )
    os.close(slave)
    os.write(master, f"{answer}\n".encode())
    shown = read_terminal(master).decode()
    process.wait(BOUND)
    os.close(master)
    assert "\x1b[31m\x1b[1m-paths: **/*.ts\x1b[0m" in shown
    plain = STYLES.sub("", shown)
    assert plain.index("+paths") < plain.index("Fix 1 file? [Y/n]:")
    assert ("Fixed 1 file" in plain) is (answer == "y")
    assert rule.read_text() == (QUOTED if answer == "y" else LOOSE)
