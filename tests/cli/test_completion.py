"""Tests of the script for shells, and of what it completes."""

import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from click.testing import Result
from support.canary import Scanner
from support.knowledge import KnowledgeBase
from support.processes import BOUND, run_cli

from asdlc_kb.cli.completion import SHELLS, VARIABLE

Invoke = Callable[..., Result]

PROGRAM = (Path(sys.executable).with_name("asdlc-kb"),)
"""The name decides on the variable."""


@pytest.fixture
def complete(tmp_path: Path, scanner: Scanner) -> Callable[..., list[str]]:
    """Return the completions of the last word, as bash asks for them."""

    def complete(*words: str) -> list[str]:
        asked: Mapping[str, str] = {
            VARIABLE: "bash_complete",
            "COMP_WORDS": " ".join(("asdlc-kb", *words)),
            "COMP_CWORD": str(len(words)),
        }
        done = run_cli(scanner=scanner, cwd=tmp_path, env=asked, command=PROGRAM)
        assert (done.code, done.err) == (0, "")
        return [line.partition(",")[2] for line in done.out.splitlines() if line]

    return complete


@pytest.mark.parametrize("shell", SHELLS)
def test_each_shell_has_a_script(invoke: Invoke, shell: str) -> None:
    """It asks this program by the name and the variable of its own."""
    script = invoke("completion", shell).stdout
    assert f"{VARIABLE}={shell}_complete" in script
    assert "asdlc-kb" in script


def test_bash_completes_files_where_nothing_is_known(invoke: Invoke) -> None:
    """As for a program without a script, also in the parts of a word after `=`."""
    script = f"{invoke('completion', 'bash').stdout}\ncomplete -p asdlc-kb"
    ran = subprocess.run(
        ["bash", "-c", script],
        capture_output=True,
        text=True,
        timeout=BOUND,
        check=True,
    )
    assert ran.stdout.split()[:5] == ["complete", "-o", "default", "-o", "nosort"]


def test_the_users_shell_is_the_default(invoke: Invoke) -> None:
    """By $SHELL; one without a script is a usage error."""
    named = invoke("completion", "zsh").stdout
    assert invoke("completion", env={"SHELL": "/usr/bin/zsh"}).stdout == named
    for path in ("/bin/csh", ""):
        unknown = invoke("completion", env={"SHELL": path})
        assert (unknown.exit_code, unknown.stdout) == (2, "")
        assert "name a shell: bash, zsh, fish" in unknown.stderr


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (("sea",), ["search"]),
        (("serve", "--rate-l"), ["--rate-limit-requests", "--rate-limit-window"]),
        (("serve", "--log-level", "w"), ["warning"]),
        (("check", "--format", "g"), ["github"]),
        (("index", "inv"), ["invalidate"]),
        (("serve", "--docs", "ha"), ["ha"]),
        (("serve", "--docs", "kb=ha"), ["kb=handbook/"]),
        (("serve", "--logo", "ha"), ["ha"]),
        (("serve", "--dialect", "m"), ["mkdocs", "mintlify", "mdbook", "mdx"]),
        (("serve", "--dialect", "kb=mk"), ["kb=mkdocs"]),
        (("connect", "cl"), ["claude-code", "claude", "claude-desktop", "cline"]),
        (("connect", "zed", "cu"), ["cursor"]),
        (("check", "--ignore", "KB030,KB04"), ["KB030,KB045"]),
        (("rules", "sync", "--from", "cursor", "--to", "claude,g"), ["claude,gemini"]),
    ],
    ids=lambda words: " ".join(words),
)
def test_commands_options_and_choices_are_completed(
    complete: Callable[..., list[str]],
    tmp_path: Path,
    words: tuple[str, ...],
    found: list[str],
) -> None:
    """With the names that the help lists; a path is left to the shell."""
    (tmp_path / "handbook").mkdir()
    assert set(found) <= set(complete(*words))


def test_names_of_visible_articles_are_completed(
    complete: Callable[..., list[str]], tmp_path: Path
) -> None:
    """By slug and by category; names of hidden ones are not."""
    KnowledgeBase(tmp_path / "content").write("patterns/fences")
    assert complete("show", "fe") == ["fences"]
    assert complete("show", "patterns/") == ["patterns/fences"]
    assert complete("show", "known-draft") == []


def test_nothing_is_completed_where_nothing_can_be_read(
    complete: Callable[..., list[str]], tmp_path: Path
) -> None:
    """No error disturbs the line that is typed."""
    assert complete("show", "x") == []
    (tmp_path / "asdlc-kb.toml").write_text("prot = 1\n")
    assert complete("show", "x") == []
