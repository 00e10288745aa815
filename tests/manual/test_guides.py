"""The guides lead through commands and files that work."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from support.processes import BOUND

GUIDES = Path(__file__).parents[2] / "docs" / "guides"
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
INITIALIZE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "tests", "version": "1"},
}
MESSAGES = (
    {"id": 1, "method": "initialize", "params": INITIALIZE},
    {"method": "notifications/initialized"},
    {"id": 2, "method": "tools/list"},
)


def list_blocks(name: str, kind: str) -> list[str]:
    """Return the fenced blocks of one kind on a guide."""
    text = (GUIDES / name).read_text(encoding="utf-8")
    return [match[2] for match in FENCE.finditer(text) if match[1] == kind]


def run(command: list[str], folder: Path, given: str = "") -> str:
    """Return what a command prints in a folder; it must succeed."""
    script_folder = Path(sys.executable).parent
    finished = subprocess.run(
        command,
        input=given,
        cwd=folder,
        env={
            "PATH": f"{script_folder}{os.pathsep}/usr/bin:/bin",
            "HOME": str(folder.parent),
            "LANG": "C.UTF-8",
        },
        capture_output=True,
        timeout=BOUND,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert finished.returncode == 0, finished.stderr
    return finished.stdout


def test_a_new_article_passes_the_check_and_is_published(tmp_path: Path) -> None:
    """A draft is hidden, and shows with the status that the guide sets."""
    guide = "knowledge-base.md"
    start, *_ = list_blocks(guide, "sh")
    run(["sh", "-ec", start], tmp_path)
    article = tmp_path / "content" / "practices" / "keep-a-changelog.md"
    run(["asdlc-kb", "check", "content"], tmp_path)
    assert "keep-a-changelog" not in run(["asdlc-kb", "list"], tmp_path)
    (status,) = list_blocks(guide, "yaml")
    text = article.read_text(encoding="utf-8")
    assert 'status: "Draft"\n' in text
    article.write_text(text.replace('status: "Draft"\n', status), encoding="utf-8")
    assert "practices/keep-a-changelog" in run(["asdlc-kb", "list"], tmp_path)


def test_the_entry_for_everyone_serves_the_open_repository(tmp_path: Path) -> None:
    """The tools that the guide names are offered, without any path in the entry."""
    guide = "coding-agents.md"
    (tmp_path / "AGENTS.md").write_text("# Instructions\n", encoding="utf-8")
    (block,) = list_blocks(guide, "json")
    (entry,) = json.loads(block)["mcpServers"].values()
    lines = [json.dumps({"jsonrpc": "2.0", **message}) for message in MESSAGES]
    printed = run(
        [entry["command"], *entry["args"]], tmp_path, "".join(f"{x}\n" for x in lines)
    )
    answers = {answer["id"]: answer for answer in map(json.loads, printed.splitlines())}
    tools = {tool["name"] for tool in answers[2]["result"]["tools"]}
    named = set(re.findall(r"`([a-z]+_[a-z_]+)`", (GUIDES / guide).read_text("utf-8")))
    assert len(named) >= 4
    assert named <= tools


def test_the_banner_is_that_of_the_page_about_documentation() -> None:
    """Which has the same example of a recognized generator."""
    (banner,) = list_blocks("documentation-site.md", "")
    assert banner in (GUIDES.parent / "documentation.md").read_text(encoding="utf-8")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a rule of each kind for Cursor."""
    root = tmp_path / "project"
    rules = root / ".cursor" / "rules"
    rules.mkdir(parents=True)
    (root / "src").mkdir()
    (root / "src" / "main.ts").touch()
    for name, header in (
        ("typescript", "globs: **/*.ts"),
        ("migrations", "description: How to change the database"),
        ("all", "alwaysApply: true"),
    ):
        text = f"---\n{header}\n---\nRule of {name}.\n"
        (rules / f"{name}.mdc").write_text(text, encoding="utf-8")
    (root / "AGENTS.md").write_text("# Agents\n", encoding="utf-8")
    return root


def find_command(page: Path) -> tuple[str, str]:
    """Return the command `rules sync` of a page, and the block after it."""
    text = page.read_text(encoding="utf-8")
    blocks = [(match[1], match[2]) for match in FENCE.finditer(text)]
    index = next(
        index for index, (_, text) in enumerate(blocks) if "rules sync" in text
    )
    return blocks[index][1], blocks[index + 1][1] if index + 1 < len(blocks) else ""


def test_the_rules_of_the_page_are_written_as_shown(project: Path) -> None:
    """The first run prints the block; the second changes nothing."""
    command, shown = find_command(GUIDES.parent / "projects.md")
    assert run(["sh", "-ec", command], project) == shown
    assert "read twice" not in shown
    assert run(["sh", "-ec", f"{command.strip()} --check"], project)


def test_no_agent_of_the_guide_reads_a_rule_twice(project: Path) -> None:
    """Nor does Copilot, which the command does not name."""
    command, _ = find_command(GUIDES / "coding-agents.md")
    printed = run(["sh", "-ec", command], project)
    assert "create    .claude/rules/typescript.md" in printed
    assert "read twice" not in printed
    places = run(["asdlc-kb", "rules", "src/main.ts", "--tool", "copilot"], project)
    assert places.count("typescript") == 1
