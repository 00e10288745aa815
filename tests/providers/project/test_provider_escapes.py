"""Links that are swapped during a read, and files outside of a project."""

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from support.canary import CANARY, Scanner
from support.files import save_in_place
from support.workspace import FILES, Workspace

ROUNDS = 20
"""Calls while links are swapped."""

QUESTIONS: list[tuple[str, dict[str, Any]]] = [
    ("list_rules", {}),
    ("get_rule", {"name": "swapped"}),
    ("get_skill", {"name": "swapped"}),
    ("get_project_context", {}),
    ("rules_for_path", {"path": "a.py", "include_content": True}),
]


@contextmanager
def swapping(*swaps: Callable[[], None]) -> Iterator[None]:
    """Let a thread swap paths repeatedly, until the block ends."""
    ended = threading.Event()

    def run() -> None:
        # A pause between rounds lets the readers run.
        while not ended.wait(0.001):
            for swap in swaps:
                swap()

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join(20)
        assert not thread.is_alive()


def point(link: Path, target: Path) -> Callable[[], None]:
    """Return a function that redirects a link atomically."""
    fresh = link.with_name(f"{link.name}.{target.parent.name}.new")

    def swap() -> None:
        fresh.symlink_to(target)
        os.replace(fresh, link)

    return swap


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder outside the project: a rule, a skill and a guide full of canaries."""
    outside = tmp_path / "beyond"
    for path in ("rule.mdc", "SKILL.md", "AGENTS.md", "deep/rule.mdc"):
        save_in_place(outside / path, f"# {CANARY}\n")
    return outside


async def test_nothing_leaves_while_links_are_swapped(
    workspace: Workspace, outside: Path
) -> None:
    """D-024: a file, a folder of a skill, and AGENTS.md: inside, outside, and back."""
    root = workspace.root
    inside = root / ".agents" / "skills" / "plain"
    for path in ("rule.mdc", "SKILL.md", "AGENTS.md", "deep/rule.mdc"):
        save_in_place(inside / path, "Fine.\n")
    (root / "AGENTS.md").unlink()
    links = {
        root / ".cursor/rules/swapped.mdc": "rule.mdc",
        root / ".cursor/rules/folder": "deep",
        root / ".cursor/skills/swapped": ".",
        root / "AGENTS.md": "AGENTS.md",
    }
    for link, below in links.items():
        link.symlink_to(inside / below)
    swaps = [
        point(link, folder / below)
        for folder in (outside, inside)
        for link, below in links.items()
    ]
    with swapping(*swaps):
        for _ in range(ROUNDS):
            for tool, arguments in QUESTIONS:
                result = await workspace.peer.call(tool, **arguments)
                assert not result.get("isError")
            for uri in ("ace://rules", "ace://agents-md", "ace://skills/swapped"):
                await workspace.peer.request("resources/read", {"uri": uri})


async def test_nothing_leaves_while_a_folder_becomes_a_link(
    workspace: Workspace, outside: Path
) -> None:
    """D-024: the folder of rules is moved away, and replaced by a link outside."""
    rules = workspace.root / ".cursor" / "rules"
    away = workspace.root / ".cursor" / "rules-away"

    def swap() -> None:
        rules.rename(away)
        rules.symlink_to(outside)
        rules.unlink()
        away.rename(rules)

    with swapping(swap):
        for _ in range(ROUNDS):
            for tool, arguments in QUESTIONS:
                await workspace.peer.call(tool, **arguments)
            await workspace.peer.result("resources/list")


async def test_a_root_that_becomes_a_link_is_the_operator_s_choice(
    tmp_path: Path, scanner: Scanner
) -> None:
    """D-024: a root may be a link, and is resolved again for each call; files in its
    target may still not lead out of it.
    """
    workspace = Workspace(tmp_path, scanner)
    workspace.root.rename(tmp_path / "moved")
    assert await workspace.ask("list_commands") == []
    workspace.root.symlink_to(tmp_path / "moved")
    (tmp_path / "moved" / ".cursor" / "rules" / "out.mdc").symlink_to(
        tmp_path / "outside" / "rule.mdc"
    )
    answer = await workspace.call("list_rules")
    assert [rule["name"] for rule in answer["rules"]] == ["house", "security", "style"]
    assert [problem["path"] for problem in answer["problems"]] == [
        ".cursor/rules/out.mdc"
    ]


async def test_a_project_that_vanished_is_empty_and_says_so(
    tmp_path: Path, scanner: Scanner
) -> None:
    """It was there when the server started; it may come back."""
    workspace = Workspace(tmp_path, scanner)
    workspace.root.rename(tmp_path / "moved")
    answer = await workspace.call("list_rules")
    assert answer["rules"] == []
    assert [problem["path"] for problem in answer["problems"]] == ["."]
    (tmp_path / "moved").rename(workspace.root)
    assert len(await workspace.ask("list_rules")) == 3


async def test_a_home_is_read_no_further_than_its_commands_and_skills(
    tmp_path: Path, scanner: Scanner
) -> None:
    """D-027: links out of `~/.claude` lead nowhere; other files are not listed."""
    home = tmp_path / "home"
    save_in_place(home / ".claude" / "commands" / "mine.md", "Mine.\n")
    save_in_place(home / ".claude" / "rules" / "own.md", f"{CANARY}\n")
    save_in_place(home / ".claude" / "settings.json", CANARY)
    save_in_place(home / "AGENTS.md", CANARY)
    save_in_place(home / "notes.md", CANARY)
    (home / ".claude" / "commands" / "notes.md").symlink_to(home / "notes.md")
    workspace = Workspace(tmp_path, scanner, FILES, is_local=True, home=home)
    commands = await workspace.call("list_commands")
    assert [row["name"] for row in commands["commands"]] == [
        *("review", "web:test", "mine")
    ]
    assert [problem["path"] for problem in commands["problems"]] == [
        "~/.claude/commands/notes.md"
    ]
    for tool in ("list_rules", "list_skills", "get_project_context"):
        await workspace.call(tool)
    mine = await workspace.read("ace://commands/mine")
    assert mine["text"] == "Mine.\n"
