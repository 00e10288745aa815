"""Hook and action, as docs/content.md shows them to the authors of content."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.deploy import DEPLOY, document
from support.processes import BOUND, environment

ROOT = DEPLOY.parent
PAGE = (ROOT / "docs" / "content.md").read_text(encoding="utf-8")
SNIPPETS = re.findall(r"(?s)```yaml\n(.*?)```", PAGE)
PACKAGE = (
    *(".pre-commit-hooks.yaml", "LICENSE", "README.md"),
    *("pyproject.toml", "setup.cfg", "asdlc_kb"),
)
"""What an installation of the hook reads of a clone."""
GOOD = """\
---
title: "Good"
description: "An article that is complete."
lastUpdated: 2026-03-14
status: "Live"
---

Text.
"""
WORKFLOW = """\
on: pull_request
jobs:
  content:
    runs-on: ubuntu-latest
    steps:
"""


def run(folder: Path, *command: str | Path, **variables: str) -> str:
    """Run a program in a folder; return its output, which ends with its code."""
    author = ("-c", "user.name=t", "-c", "user.email=t@example.com")
    first, *rest = command
    done = subprocess.run(
        [first, *(author if first == "git" else ()), *rest],
        cwd=folder,
        env=environment(variables),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=BOUND * 10,
    )
    return f"{done.stdout}\n{done.returncode}"


def commit(folder: Path) -> str:
    """Commit all files of a folder as a repository; return the full hash."""
    for arguments in (("init", "-q"), ("add", "-A"), ("commit", "-q", "-m", "One")):
        assert run(folder, "git", *arguments).endswith("0")
    return run(folder, "git", "rev-parse", "HEAD").split()[0]


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A repository with the hook and its package, as they are in this tree."""
    folder = tmp_path / "asdlc-kb"
    folder.mkdir()
    for name in PACKAGE:
        if (ROOT / name).is_dir():
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / name, folder / name, ignore=ignored)
        else:
            shutil.copy(ROOT / name, folder)
    return folder


def test_the_hook_checks_the_content_of_a_repository(
    clone: Path, tmp_path: Path
) -> None:
    """pre-commit installs it from the clone and stops a commit with a problem.

    A deletion alone, too: it leaves links that lead nowhere.
    """
    (snippet,) = (text for text in SNIPPETS if text.startswith("repos:"))
    revision = commit(clone)
    named = re.sub(r"(?m)(- repo: ).*", rf"\g<1>{clone}", snippet)
    named = re.sub(r"(?m)(rev: ).*", rf"\g<1>{revision}", named)
    assert named != snippet
    notes = tmp_path / "handbook" / "content" / "notes"
    notes.mkdir(parents=True)
    (notes / "good.md").write_text(f"{GOOD}\n[A](link.md)\n", encoding="utf-8")
    (notes / "link.md").write_text(f"{GOOD}\n[B](good.md)\n", encoding="utf-8")
    handbook = tmp_path / "handbook"
    (handbook / ".pre-commit-config.yaml").write_text(named, encoding="utf-8")
    commit(handbook)
    program = Path(sys.executable).with_name("pre-commit")
    command = (program, "run", "--all-files", "--verbose")
    home = {"PRE_COMMIT_HOME": str(tmp_path / "hooks")}
    passed = run(handbook, *command, **home)
    assert passed.endswith("\n0"), passed
    (notes / "bad.md").write_text(GOOD.replace("title", "titel"), encoding="utf-8")
    assert run(handbook, "git", "add", "-A").endswith("0")
    failed = run(handbook, *command, **home)
    assert failed.endswith("\n1"), failed
    assert "bad.md:2:8: KB011" in failed
    (notes / "bad.md").unlink()
    (notes / "good.md").unlink()
    assert run(handbook, "git", "add", "-A").endswith("0")
    deleted = run(handbook, program, "run", **home)
    assert deleted.endswith("\n1"), deleted
    assert "KB030 no article 'notes/good'" in deleted


def test_the_action_is_used_as_its_inputs_allow(tmp_path: Path) -> None:
    """The snippet in a workflow fits GitHub's schema, and its inputs exist."""
    (snippet,) = (text for text in SNIPPETS if text.startswith("- uses:"))
    given = re.findall(r"(?m)^    ([a-z-]+): ", snippet)
    assert set(given) <= document("check/action.yml")["inputs"].keys()
    assert given
    workflow = tmp_path / "workflow.yml"
    steps = re.sub(r"(?m)^", "      ", snippet.rstrip())
    workflow.write_text(WORKFLOW + steps + "\n", encoding="utf-8")
    program = Path(sys.executable).with_name("check-jsonschema")
    schema = ("--builtin-schema", "vendor.github-workflows")
    checked = run(tmp_path, program, *schema, workflow)
    assert checked.endswith("\n0"), checked
