"""Runner of external programs: a client's CLI, and the opener of links."""

import os
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from asdlc_kb.connect.host_environment import HostEnvironment

BOUND: Final = 120.0
"""Timeout of a program, in seconds."""

_MAX_OUTPUT_BYTES: Final = 64 * 1024
"""Bytes read of a program's output."""

_OPENERS: Final = {"linux": "xdg-open", "macos": "open", "windows": "explorer"}


@dataclass(frozen=True, slots=True)
class ProcessResult:
    """The exit of a program."""

    code: int | None
    """None if it did not start or did not end in time."""
    output: str


def fill_words(words: Sequence[str], values: Mapping[str, object]) -> tuple[str, ...]:
    """Substitute values for placeholders in a command.

    A list becomes several words.
    """
    return tuple(_fill(words, values))


def _fill(words: Sequence[str], values: Mapping[str, object]) -> Iterator[str]:
    for word in words:
        value = values.get(word, word)
        if isinstance(value, list | tuple):
            yield from map(str, value)
        else:
            yield str(value)


def run(
    words: Sequence[str], machine: HostEnvironment, seconds: float = BOUND
) -> ProcessResult:
    """Run a program in the project's folder, without input, until it exits.

    On timeout, its process group is killed.
    """
    with tempfile.TemporaryFile() as output:
        try:
            process = subprocess.Popen(  # noqa: S603 - a list of words, and no shell
                words,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                cwd=machine.project,
                env=dict(machine.variables),
                start_new_session=True,
            )
        except OSError as error:
            return ProcessResult(None, error.strerror or "it did not start")
        try:
            code = process.wait(seconds)
        except subprocess.TimeoutExpired:
            _kill(process)
            return ProcessResult(None, f"it took longer than {seconds:g} seconds")
        except BaseException:
            _kill(process)
            raise
        output.seek(0)
        return ProcessResult(
            code, output.read(_MAX_OUTPUT_BYTES).decode("utf-8", "replace").strip()
        )


def find_opener(machine: HostEnvironment) -> str | None:
    """Return the path of the system's link opener, or None."""
    return machine.find(_OPENERS[machine.system])


def _kill(process: "subprocess.Popen[bytes]") -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
