"""A library that coding agents read, and tasks that several of them do at once."""

import shutil
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from support.canary import Scanner
from support.coding_agents import Connection, Session, run_task
from support.knowledge import KnowledgeBase
from support.model_api.conversation import Script
from support.processes import serve_process
from support.project import copy_fixture

ROOT: Final = Path(__file__).parents[2]
SURVEY: Final = "long-survey"
"""The slug of an article that no client shows whole."""
SURVEY_BODY: Final = "\n".join(
    f"## Chapter {number}\n\n"
    + f"Step {number} of the survey: weigh \N{LEFT DOUBLE QUOTATION MARK}drift\\rot"
    '\N{RIGHT DOUBLE QUOTATION MARK}, then quote "it" and go on. \N{OWL} '
    * 12
    + f"\n\n```python\nprint('tab\\t{number}')\n```\n"
    for number in range(1, 25)
)
MAX_RUNS: Final = 4
"""Clients that run at once."""

Run = Callable[[str, str, Script], "Future[Session]"]
"""Starts a task of an agent over a transport, `http` or `stdio`."""


@dataclass(frozen=True)
class Library:
    """The project's content and hidden articles, its documentation, and a project."""

    address: str
    """The address of a server of all of it."""
    command: tuple[str, ...]
    """The command that serves the same over stdio."""
    project: Path

    def connection(self, transport: str) -> Connection:
        """Return what a client is configured with."""
        return self.address if transport == "http" else self.command


@contextmanager
def serve_library(folder: Path, scanner: Scanner) -> Iterator[Library]:
    """Serve a library with a folder of its own until the block ends."""
    knowledge = KnowledgeBase(folder / "content")
    shutil.copytree(ROOT / "content", knowledge.root, dirs_exist_ok=True)
    knowledge.write(f"concepts/{SURVEY}", title="Long Survey", body=SURVEY_BODY)
    project = copy_fixture("cursor", folder).root
    sources = ("--docs", str(ROOT / "docs"), "--project", str(project))
    start = (sys.executable, "-m", "asdlc_kb", "stdio", str(knowledge.root))
    with serve_process(knowledge.root, *sources, scanner=scanner) as served:
        address = f"http://127.0.0.1:{served.port}/mcp"
        yield Library(address, (*start, *sources), project)


@contextmanager
def run_tasks(
    library: Library, programs: Path, make_home: Callable[[str], Path]
) -> Iterator[Run]:
    """Start tasks, a few of them at once; end with the block."""
    with ThreadPoolExecutor(MAX_RUNS) as pool:

        def start(agent: str, transport: str, script: Script) -> "Future[Session]":
            return pool.submit(
                run_task,
                agent,
                library.connection(transport),
                script,
                home=make_home(agent),
                programs=programs,
            )

        yield start
