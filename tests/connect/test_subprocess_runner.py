"""Tests of running third-party programs: bounded, without input, in the project."""

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from asdlc_kb.connect.host_environment import HostEnvironment
from asdlc_kb.connect.subprocess_runner import fill_words, find_opener, run


def test_a_list_stands_for_several_words() -> None:
    """Other words stay as they are."""
    words = ("add", "{name}", "--", "{line}", "x{name}")
    values = {"{name}": "kb", "{line}": ("a", "b c")}
    assert fill_words(words, values) == ("add", "kb", "--", "a", "b c", "x{name}")


def test_a_program_runs_in_the_project_with_the_machine_s_variables(
    machine: HostEnvironment, install: Callable[[str, str], Path]
) -> None:
    """Not in this process's folder, and without a terminal to prompt on."""
    path = install("show", 'pwd; echo "$HOME $1"; cat; echo wrong >&2; exit 3')
    ran = run((str(path), "a b"), machine)
    assert ran.code == 3
    assert ran.output.splitlines() == [
        str(machine.project),
        f"{machine.home} a b",
        "wrong",
    ]


def test_a_program_is_given_nothing_to_read(
    machine: HostEnvironment, install: Callable[[str, str], Path]
) -> None:
    """Input that the user types meanwhile stays ours."""
    path = install("read", "cat")
    reading, writing = os.pipe()
    os.write(writing, b"typed")
    os.close(writing)
    kept = os.dup(0)
    os.dup2(reading, 0)
    try:
        ran = run((str(path),), machine)
    finally:
        os.dup2(kept, 0)
        os.close(kept)
        os.close(reading)
    assert (ran.code, ran.output) == (0, "")


def test_a_program_that_cannot_start_is_told(
    machine: HostEnvironment, install: Callable[[str, str], Path]
) -> None:
    """It is no failure of ours."""
    assert run((str(machine.home / "gone"),), machine).code is None
    path = install("broken", "")
    path.write_text("#!/gone\n")
    assert "No such file" in run((str(path),), machine).output


def test_a_program_that_does_not_end_is_killed_with_its_children(
    machine: HostEnvironment, install: Callable[[str, str], Path]
) -> None:
    """A child that keeps our file open does not delay us."""
    path = install("hang", "sleep 600 & sleep 600")
    ran = run((str(path),), machine, 0.2)
    assert (ran.code, ran.output) == (None, "it took longer than 0.2 seconds")


def test_links_are_opened_by_the_system_s_own_program(
    machine: HostEnvironment, install: Callable[[str, str], Path]
) -> None:
    """xdg-open on Linux, open on a Mac."""
    assert find_opener(machine) is None
    path = install("xdg-open", "")
    assert find_opener(machine) == str(path)
    assert find_opener(replace(machine, system="macos")) is None
