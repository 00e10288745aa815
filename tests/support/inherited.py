"""Servers that inherit a socket, as from a service manager."""

import socket
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from support.canary import Scanner
from support.processes import Served, serve_process

HAND_OVER = (
    "import os, sys; os.dup2(int(sys.argv[1]), 3); "
    "os.environ.update(LISTEN_FDS='1', LISTEN_PID=str(os.getpid())); "
    "os.execvp(sys.argv[2], sys.argv[2:])"
)
"""Executes the command after it, which finds the socket as its third descriptor."""


@dataclass(frozen=True)
class Manager:
    """Owns a socket that any number of servers inherit, one after another."""

    listening: socket.socket
    scanner: Scanner

    @property
    def port(self) -> int:
        """The port that clients connect to."""
        port: int = self.listening.getsockname()[1]
        return port

    def serve(
        self,
        content: Path,
        options: Sequence[str] = (),
        env: Mapping[str, str] | None = None,
    ) -> AbstractContextManager[Served]:
        """Run a server on the socket until the block ends."""
        number = self.listening.fileno()
        return serve_process(
            content,
            *options,
            scanner=self.scanner,
            env=env,
            prefix=(sys.executable, "-c", HAND_OVER, str(number)),
            fds=(number,),
        )


@contextmanager
def managing(scanner: Scanner) -> Iterator[Manager]:
    """Yield a manager with a socket on a free port."""
    with socket.create_server(("127.0.0.1", 0), backlog=1024) as listening:
        yield Manager(listening, scanner)
