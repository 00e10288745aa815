"""Commands as Claude Code puts them into its prompts, and as the server fills them."""

import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from support.coding_agents import run_task
from support.model_api.conversation import Script

from asdlc_kb.project.commands import get_command
from asdlc_kb.project.placeholders import fill_placeholders
from asdlc_kb.project.registry import Project
from asdlc_kb.project.scanner import ProjectScanner

TEXTS = {
    "all": r"[$ARGUMENTS] [$ARGUMENTS[0]] [$0] [$1] [$9] [\$ARGUMENTS] [\$0] [\$HOME]",
    "prices": r"[$0] [$10] [$4,050] [$0_a] [$0-a] [$0x] [\\$0] [$$0] [\$5]",
    "named": (
        "[$issue] [$branch] [$issues] [$issue.x] [$issue[0]] [${issue}] [$0] [$1] "
        r"[\$issue] [$issue-x]"
    ),
    "none": r"Only $3, \$5 and {{args}}",
}
"""Texts without a `$1` that may mean the first word."""

WORDS = "one 'two words'"


def answer() -> Script:
    """Answer at once."""
    yield from ()
    return "Done."


def test_a_command_is_filled_in_as_claude_code_does(
    home: Path, tmp_path: Path, programs: Path
) -> None:
    """D-273: every form of a placeholder, given and missing, and what is none."""
    root = tmp_path / "project"
    folder = root / ".claude" / "commands"
    folder.mkdir(parents=True)
    subprocess.run(["git", "init", "-q", root], check=True, timeout=30)
    server = (sys.executable, "-m", "asdlc_kb", "stdio", "--project", str(root))
    for name, text in TEXTS.items():
        header = "arguments: [issue, branch]" if name == "named" else "model: inherit"
        path = folder / f"{name}.md"
        path.write_text(f"---\n{header}\n---\n{text}\n", encoding="utf-8")
    for name in TEXTS:
        command = get_command(ProjectScanner(Project("project", root)), name)
        assert command is not None
        for arguments in (WORDS, ""):
            session = run_task(
                *("claude", server, answer()),
                home=home,
                programs=programs,
                folder=root,
                task=f"/{name} {arguments}".rstrip(),
            )
            filled = fill_placeholders(command.content, arguments, command.syntax)
            sent = {" ".join(text.split()) for text in _texts(session.bodies)}
            assert " ".join(filled.split()) in sent, (name, arguments, filled)


def _texts(bodies: Iterable[bytes]) -> list[str]:
    """Return the texts that a user sent."""
    contents = [
        message["content"]
        for body in bodies
        for message in json.loads(body).get("messages", ())
        if message["role"] == "user"
    ]
    return [
        block["text"]
        for content in contents
        if isinstance(content, list)
        for block in content
        if block["type"] == "text"
    ]
