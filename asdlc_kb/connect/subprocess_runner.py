"""Runs programs of others: a client's own command, and what opens a link."""

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
"""Seconds that a program may take."""

_MAX_OUTPUT_BYTES: Final = 64 * 1024
"""Bytes that are read of what it wrote."""

_OPENERS: Final = {"linux": "xdg-open", "macos": "open", "windows": "explorer"}


@dataclass(frozen=True, slots=True)
class ProcessResult:
    """How a program ended."""

    code: int | None
    """None if it did not start or did not end in time."""
    said: str


def fill_words(words: Sequence[str], values: Mapping[str, object]) -> tuple[str, ...]:
    """Return the words of a command with values in the place of placeholders.

    A list stands for several words.
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
    """Run a program in the project's folder, without input, to its end.

    One that takes too long is killed with all that it started.
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
    """Return the path of the program that opens links here."""
    return machine.find(_OPENERS[machine.system])


def _kill(process: "subprocess.Popen[bytes]") -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
