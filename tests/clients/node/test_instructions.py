"""Instructions that coding agents put into their prompts, and `rules_for_path`.

A project has a file in each place, with a word of its own. An agent starts in one of
its folders; the words in its first request are the files that it read.
"""

import subprocess
import sys
from pathlib import Path

import pytest
from support.coding_agents import run_task
from support.model_api.conversation import Script

from asdlc_kb.project.applicability import rules_for_path
from asdlc_kb.project.instruction_places import PLACES, TOOLS
from asdlc_kb.project.locations import Platform
from asdlc_kb.project.registry import Project
from asdlc_kb.project.scanner import ProjectScanner

AGENTS: dict[str, Platform] = {"claude": "claude", "codex": "codex", "gemini": "gemini"}
FOLDER = "web/app"

OWN = {
    "claude": ("CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"),
    "codex": ("AGENTS.override.md",),
    "gemini": (),
}
"""Files that change what else an agent reads, beside those that all projects have."""


def make_project(root: Path, agent: str, *, has_own: bool) -> dict[str, str]:
    """Write a file in each place at the top and in two folders; return their words."""
    names = {place.path: "" for place in PLACES if not place.is_folder}
    others = {name for tool in OWN.values() for name in tool} - {*OWN[agent]}
    left_out = others if has_own else others | {*OWN[agent]}
    words: dict[str, str] = {}
    for scope in ("", "web/", f"{FOLDER}/", "other/"):
        for name in names:
            if name in left_out:
                continue
            words[f"{scope}{name}"] = f"word{len(words):03}end"
    for folder in (".claude/rules", ".cursor/rules", ".github/instructions"):
        for scope in ("", "web/"):
            words[f"{scope}{folder}/a.md"] = f"word{len(words):03}end"
    words[f"{FOLDER}/docs/imported.md"] = f"word{len(words):03}end"
    for path, word in words.items():
        text = f"The word is {word}.\n"
        if path in (f"{FOLDER}/CLAUDE.md", f"{FOLDER}/GEMINI.md"):
            # Claude Code asks before it reads a file outside the folder it starts in.
            text += "\nSee @docs/imported.md for more.\n"
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    subprocess.run(["git", "init", "-q", root], check=True, timeout=30)
    return words


def answer() -> Script:
    """Answer at once."""
    yield from ()
    return "Done."


@pytest.mark.parametrize("has_own", [True, False], ids=["own files", "others' files"])
@pytest.mark.parametrize("agent", AGENTS)
def test_an_agent_reads_what_is_said_to_apply(
    agent: str, has_own: bool, home: Path, tmp_path: Path, programs: Path
) -> None:
    """For a file of the folder it starts in; rules with patterns come with the file."""
    root = tmp_path / "project"
    root.mkdir()
    words = make_project(root, agent, has_own=has_own)
    command = (sys.executable, "-m", "asdlc_kb", "stdio", "--project", str(root))
    session = run_task(
        agent, command, answer(), home=home, programs=programs, folder=root / FOLDER
    )
    sent = b"".join(session.bodies).decode()
    read = {path for path, word in words.items() if word in sent}
    project = Project("project", root, is_personal=True)
    rules = rules_for_path(ProjectScanner(project), f"{FOLDER}/a.ts", AGENTS[agent])
    assert read == {rule.path for rule in rules}
    assert read


def test_the_agents_are_tools_of_the_table() -> None:
    """Their names are those of its rows."""
    assert set(AGENTS.values()) <= set(TOOLS)
