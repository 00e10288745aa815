"""The command `rules sync`: one tool's instructions in the files of others."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result
from support.files import save_in_place

Invoke = Callable[..., Result]


@pytest.fixture
def project(folder: Path) -> Path:
    """A repository with rules of Cursor, which is the working directory."""
    (folder / ".git").mkdir()
    rules = folder / ".cursor/rules"
    save_in_place(rules / "house.mdc", "---\nalwaysApply: true\n---\nTabs.\n")
    save_in_place(rules / "hand.mdc", "---\nalwaysApply: false\n---\nBy hand.\n")
    return folder


def test_files_are_written_once(invoke: Invoke, project: Path) -> None:
    """With what the tools do not get; then everything is up to date."""
    arguments = ("rules", "sync", "--from", "cursor", "--to", "claude, gemini")
    result = invoke(*arguments)
    note = (
        "note      .cursor/rules/hand.mdc: left out, since no rules are chosen by hand"
    )
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == (
        "create    .claude/rules/house.md\n"
        "create    GEMINI.md\n"
        f"{note} there (claude, gemini)\n"
        "2 files changed\n"
    )
    assert (project / "GEMINI.md").read_text().splitlines()[1] == "Tabs."
    again = invoke(*arguments)
    assert again.stdout == f"{note} there (claude, gemini)\nAll files are up to date\n"
    assert again.exit_code == 0


def test_a_file_of_one_person_is_not_converted(invoke: Invoke, project: Path) -> None:
    """D-275: the rule that links to it is named, and no file gets its text."""
    save_in_place(project / "CLAUDE.local.md", "My password.\n")
    (project / ".cursor/rules/mine.mdc").symlink_to("../../CLAUDE.local.md")
    result = invoke("rules", "sync", "--from", "cursor", "--to", "claude,gemini")
    assert ".cursor/rules/mine.mdc: the path points to a file of one person" in (
        result.stderr
    )
    written = [*project.glob("*.md"), *project.glob(".claude/rules/*.md")]
    texts = {path.name: path.read_text() for path in written}
    assert [name for name, text in texts.items() if "password" in text] == [
        "CLAUDE.local.md"
    ]


def test_check_and_dry_run_write_nothing(invoke: Invoke, project: Path) -> None:
    """`--check` fails while a file differs."""
    arguments = ("rules", "sync", "--from", "cursor", "--to", "kiro", "--to", "claude")
    dry = invoke(*arguments, "--dry-run")
    assert dry.exit_code == 0
    assert dry.stdout.splitlines()[-1] == "3 files differ"
    checked = invoke(*arguments, "--check")
    assert (checked.exit_code, checked.stdout) == (1, dry.stdout)
    assert not (project / ".claude").exists()
    assert invoke(*arguments).exit_code == 0
    assert invoke(*arguments, "--check").exit_code == 0
    (project / ".cursor/rules/hand.mdc").unlink()
    checked = invoke(*arguments, "--check")
    assert (checked.exit_code, checked.stdout) == (
        1,
        "remove    .kiro/steering/hand.md\n1 file differs\n",
    )


def test_the_file_of_a_person_stops_the_command(invoke: Invoke, project: Path) -> None:
    """Only what is in the way is named."""
    save_in_place(project / ".claude/rules/house.md", "mine\n")
    result = invoke("rules", "sync", "--from", "cursor", "--to", "claude,gemini")
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert lines[0] == (
        "conflict  .claude/rules/house.md  "
        "the file is there, not generated: rename or remove it"
    )
    assert lines[-1] == "Nothing was written"
    assert not any(line.startswith("create") for line in lines)
    assert not (project / "GEMINI.md").exists()


def test_an_edited_file_is_reported(invoke: Invoke, project: Path) -> None:
    """And kept, with exit code 1."""
    arguments = ("rules", "sync", "--from", "cursor", "--to", "claude")
    invoke(*arguments)
    file = project / ".claude/rules/house.md"
    file.write_text(file.read_text() + "more\n")
    result = invoke(*arguments)
    assert result.exit_code == 1
    assert result.stdout.startswith("keep      .claude/rules/house.md  it was edited")
    assert file.read_text().endswith("more\n")


def test_json_has_changes_and_notes(
    invoke: Invoke, project: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the named project."""
    elsewhere = folder.parent
    monkeypatch.chdir(elsewhere)
    arguments = ("--from", "cursor", "--to", "agents", "--project", folder.name)
    result = invoke("rules", "sync", *arguments, "--json")
    assert json.loads(result.stdout) == {
        "changes": [{"path": "AGENTS.md", "action": "create", "reason": ""}],
        "notes": [
            {
                "path": ".cursor/rules/hand.mdc",
                "text": "left out, since no rules are chosen by hand there",
                "tools": ["agents"],
            },
            {
                "path": "AGENTS.md",
                "text": "read there too, so the rules are read twice",
                "tools": ["cursor"],
            },
        ],
    }


def test_a_source_that_cannot_be_read_stops_the_command(
    invoke: Invoke, project: Path
) -> None:
    """What it generated is not removed; other problems are warnings."""
    arguments = ("rules", "sync", "--from", "cursor", "--to", "claude")
    invoke(*arguments)
    house = project / ".cursor/rules/house.mdc"
    house.unlink()
    house.symlink_to("nowhere.mdc")
    save_in_place(project / ".claude/rules/bad.md", b"\xff")
    result = invoke(*arguments)
    assert result.exit_code == 1
    assert result.stdout.startswith("conflict  .cursor/rules/house.mdc  ")
    assert (project / ".claude/rules/house.md").exists()
    house.unlink()
    result = invoke(*arguments)
    assert result.exit_code == 0
    assert "asdlc-kb: .claude/rules/bad.md: " in result.stderr


def test_a_tool_without_instructions_is_named(invoke: Invoke, project: Path) -> None:
    """It may be the wrong one; generated files are removed all the same."""
    invoke("rules", "sync", "--from", "cursor", "--to", "claude")
    for name in ("house", "hand"):
        (project / f".cursor/rules/{name}.mdc").unlink()
    result = invoke("rules", "sync", "--from", "cursor", "--to", "claude")
    message = "asdlc-kb: the project has no instructions of cursor to convert\n"
    assert (result.exit_code, result.stderr) == (0, message)
    assert result.stdout == "remove    .claude/rules/house.md\n1 file changed\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--from", "cursor"), "--to"),
        (("--to", "cursor"), "--from"),
        (("--from", "cursor", "--to", "cursor"), "--from and --to both name cursor"),
        (("--from", "cursor", "--to", "emacs"), "unknown tool 'emacs'; known tools: "),
        (("--from", "emacs", "--to", "cursor"), "emacs"),
    ],
)
def test_mistakes_are_named(
    invoke: Invoke, project: Path, arguments: tuple[str, ...], message: str
) -> None:
    """Exit code 2, with the tools that there are."""
    result = invoke("rules", "sync", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr
