"""Pseudo-terminals: what a command writes for a person."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time
from collections.abc import Mapping
from pathlib import Path

from support.processes import BOUND, COMMAND, environment

STYLES = re.compile(r"\x1b\[(?:0|1|2|31|32|33|36)m")
"""The escape sequences of the styles that commands and logs use."""

PROGRESS = re.compile(
    r"\r(?:\x1b\[\?25l)?(?:Reading files|Checking|Searching) [^\r\n\x1b]*"
    r"|\r *\r\x1b\[\?25h"
)
"""What a slow machine shows of progress, and erases."""


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


def open_terminal(columns: int = 80) -> tuple[int, int]:
    """Return the two ends of a new terminal: ours, and that of programs."""
    master, slave = pty.openpty()
    size = struct.pack("HHHH", 50, columns, 0, 0)
    fcntl.ioctl(slave, termios.TIOCSWINSZ, size)
    return master, slave


def run_in_terminal(
    *arguments: str | Path,
    cwd: Path,
    env: Mapping[str, str] | None = None,
    columns: int = 80,
) -> bytes:
    """Run a command with a pseudo-terminal for its stdout and stderr."""
    master, slave = open_terminal(columns)
    try:
        process = subprocess.Popen(
            [*COMMAND, *map(str, arguments)],
            stdin=subprocess.DEVNULL,
            stdout=slave,
            stderr=slave,
            cwd=cwd,
            env=environment({"TERM": "xterm", "COLUMNS": str(columns), **(env or {})}),
        )
        os.close(slave)
        written = read_terminal(master)
        process.wait(BOUND)
        return written
    finally:
        os.close(master)
