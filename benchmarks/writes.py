"""Row `writes`: from a save to the list that shows it."""

import json
import random
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Final

from benchmarks import servers
from benchmarks.arithmetic import figure, percentile
from benchmarks.bench import Bench, Outcome, Section
from benchmarks.client import Client, result_of
from benchmarks.failure import BenchFailure
from benchmarks.requests import ToolCall, Wire

LISTING: Final = ToolCall("list_articles", {"limit": 1}).request(1, Wire.SESSIONLESS)
BOUND: Final = 10.0
"""Seconds after which a save counts as lost."""
TEXT: Final = """\
---
title: "Save {number}"
description: "The newest article, saved again and again."
tags: ["Testing"]
lastUpdated: 2026-04-01
status: "Live"
maturity: "Standard"
relatedIds: []
---
{body}
"""


def writes(bench: Bench) -> Outcome:
    """Measure atomic saves (a new file replaces the old) and saves in place."""
    outcome = Outcome()
    rows = []
    times = 50 if bench.is_quick else 100
    for count in bench.sizes(300):
        root = bench.folder / f"saved-{count}"
        shutil.copytree(bench.corpus(count), root)
        bench.report(f"writes, {count} articles")
        with bench.serving(servers.OURS, root) as running, Client(running.port) as seen:
            save_atomically(root, 0)
            _wait(seen, 0)
            for name, save in (
                ("atomic", save_atomically),
                ("in place", save_in_place),
            ):
                took = [_time(seen, root, save, n + 1) for n in range(times)]
                outcome.facts[f"writes/{name}/{count}"] = median(took)
                figures = (median(took), percentile(took, 0.95), max(took))
                rows.append((f"{count:,}", name, *map(figure, figures)))
        shutil.rmtree(root)
    outcome.sections.append(
        Section(
            "Save to visible in list_articles, ours, ms",
            ("articles", "save", "median", "p95", "worst"),
            rows,
            f"{times} saves of each kind, while one client calls continuously.",
        )
    )
    return outcome


def save_atomically(root: Path, number: int) -> None:
    """Replace the newest article by a new file."""
    replace_file(_path(root), _text(number))


def replace_file(path: Path, text: str) -> None:
    """Replace a file by another one, as editors do."""
    temporary = path.with_name(f".{path.name}.tmp")
    temporary.write_text(text, encoding="utf-8")
    temporary.replace(path)


def save_in_place(root: Path, number: int) -> None:
    """Rewrite the newest article's file."""
    _path(root).write_text(_text(number), encoding="utf-8")


def _path(root: Path) -> Path:
    return root / "concepts" / "newest.md"


def _text(number: int) -> str:
    return TEXT.format(number=number, body="Nothing to see.\n" * 300)


def _time(
    client: Client, root: Path, save: Callable[[Path, int], None], number: int
) -> float:
    """Return the milliseconds until a save is seen."""
    time.sleep(random.uniform(0.1, 0.2))
    began = time.perf_counter()
    save(root, number)
    _wait(client, number)
    return (time.perf_counter() - began) * 1000


def _wait(client: Client, number: int) -> None:
    deadline = time.perf_counter() + BOUND
    while time.perf_counter() < deadline:
        result = result_of(client.ask(LISTING), 1)
        (newest,) = json.loads(result["content"][0]["text"])
        if newest["title"] == f"Save {number}":
            return
    raise BenchFailure(f"save {number} was not seen within {BOUND:.0f} s")
