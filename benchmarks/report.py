"""The report: Markdown, with the data to reproduce it."""

import datetime
import os
import platform
import re
import subprocess
import textwrap
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

from benchmarks import node
from benchmarks.bench import Section

BEGIN: Final = "<!-- measured: written by the benchmarks -->"
END: Final = "<!-- end of measured -->"
MAX_COLUMNS: Final = 100
"""Of a line of text; tables are wider."""
PACKAGES: Final = ("asdlc-kb", "tornado", "uvloop", "fastmcp", "mcp")


def render(
    sections: Sequence[Section],
    arguments: Sequence[str],
    facts: str,
    rounds: int,
    seconds: float,
    pictures: Sequence[str] = (),
) -> str:
    """Return the whole report; `facts` are those of the machine."""
    command = " ".join(("tox -e bench", *(("--", *arguments) if arguments else ())))
    today = datetime.datetime.now(datetime.UTC).date()
    head = fill(
        f"`{command}`, {today.isoformat()}; {facts}. {versions()}. "
        f"Medians of {rounds} interleaved rounds of {seconds:g} s."
    )
    parts = (head, *map(fill, pictures), *map(table, sections))
    return "\n\n".join(parts) + "\n"


def table(section: Section) -> str:
    """Return one section as Markdown."""
    count = len(section.columns)
    lines = [
        f"### {section.title}",
        "",
        f"| {' | '.join(section.columns)} |",
        "|---|" + "---:|" * (count - 1),
        *(f"| {' | '.join(row)} |" for row in section.rows),
    ]
    if section.note:
        lines += ["", fill(section.note)]
    return "\n".join(lines)


def fill(text: str) -> str:
    """Return a paragraph in lines of at most `MAX_COLUMNS`."""
    return textwrap.fill(text, MAX_COLUMNS, break_on_hyphens=False)


def machine() -> str:
    """Return the relevant facts of the machine, and nothing that identifies it.

    Call it before the process is pinned to some of the cores.
    """
    cores = len(os.sched_getaffinity(0))
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return (
        f"{cores} cores, {memory:.0f} GiB, {platform.machine()}, {platform.system()} "
        f"{'.'.join(platform.release().split('.')[:2])}, "
        f"Python {platform.python_version()}"
    )


def versions() -> str:
    """Return the versions of the compared software."""
    lines = []
    for name in PACKAGES:
        try:
            lines.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            lines.append(f"no {name}")
    completed = subprocess.run(
        [node.command(), "--version"], capture_output=True, check=True, text=True
    )
    lines.append(f"Node {completed.stdout.strip().removeprefix('v')}")
    lines.append(f"@modelcontextprotocol/server {node.SDK}")
    return ", ".join(lines)


def write(report: str, page: Path) -> None:
    """Write the report between the markers of a page."""
    text = page.read_text(encoding="utf-8")
    marked = re.compile(f"{re.escape(BEGIN)}.*{re.escape(END)}", re.DOTALL)
    page.write_text(
        marked.sub(lambda _: f"{BEGIN}\n\n{report}\n{END}", text), encoding="utf-8"
    )
