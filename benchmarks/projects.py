"""Row `project`: latency of calls in a project of 300 artifacts."""

import json
import time
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from typing import Any, Final

from benchmarks import corpus, servers
from benchmarks.arithmetic import figure, percentile
from benchmarks.bench import Bench, Outcome, Section
from benchmarks.client import Client, result_of
from benchmarks.failure import BenchFailure
from benchmarks.requests import ToolCall
from benchmarks.servers import Server

RULES: Final = 200
COMMANDS: Final = 50
SKILLS: Final = 50
TIMES: Final = 30
"""Calls per tool."""

ASKED: Final[Mapping[str, Mapping[str, Any]]] = {
    "list_rules": {},
    "rules_for_path": {"path": "src/part7/module.py"},
    "list_skills": {},
    "get_project_context": {},
}


def project(bench: Bench) -> Outcome:
    """Measure single calls, one after the other: project results are not cached."""
    root = write_project(bench.folder / "project")
    server = Server(
        "ours", servers.serve_project(root), first=ToolCall("list_rules", {})
    )
    outcome, rows = Outcome(), []
    bench.report(f"project, {RULES + COMMANDS + SKILLS} artifacts")
    with (
        bench.serving(server, bench.corpus(30)) as running,
        Client(running.port) as client,
    ):
        for tool, arguments in ASKED.items():
            request = ToolCall(tool, arguments).request(1, running.wire)
            _require_rows(tool, result_of(client.ask(request), 1))
            waits = []
            for _ in range(TIMES):
                began = time.perf_counter()
                body = client.ask(request)
                waits.append((time.perf_counter() - began) * 1000)
            size = f"{len(body) / 1024:.0f}"
            middle, late = median(waits), percentile(waits, 0.95)
            rows.append((tool, figure(middle), figure(late), size))
            outcome.facts[f"project/{tool}"] = middle
    outcome.sections.append(
        Section(
            "A project of 300 artifacts, ours, milliseconds",
            ("tool", "p50", "p95", "KiB"),
            rows,
            f"{RULES} rules, {COMMANDS} commands and {SKILLS} skills, read from disk "
            "for every call.",
        )
    )
    return outcome


def write_project(root: Path) -> Path:
    """Write a project's artifacts in the layout of editors and agents."""
    texts = [sample.body for sample in corpus.samples(RULES + COMMANDS + SKILLS)]
    for number, text in enumerate(texts):
        body = text[:2_000]
        name, described = f"artifact-{number}", f"description: About part {number}\n"
        if number < RULES:
            frontmatter = f"---\n{described}globs: src/part{number}/**\n---\n"
            _save(root / f".cursor/rules/{name}.mdc", frontmatter + body)
        elif number < RULES + COMMANDS:
            _save(root / f".cursor/commands/{name}.md", f"# Command {number}\n\n{body}")
        else:
            frontmatter = f"---\nname: {name}\n{described}---\n"
            _save(root / f".claude/skills/{name}/SKILL.md", frontmatter + body)
    _save(root / "AGENTS.md", "# Agents\n\nBuild, test, commit.\n")
    return root


def _save(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{text}\n", encoding="utf-8")


def _require_rows(tool: str, result: Any) -> None:
    """Raise BenchFailure if the answer is empty, or does not count the whole list."""
    first, *notes = (content["text"] for content in result["content"])
    total = {"list_rules": RULES}.get(tool)
    is_counted = total is None or f"of {total} rules" in "".join(notes)
    if not json.loads(first) or not is_counted:
        raise BenchFailure(f"{tool} lists less than there is")
