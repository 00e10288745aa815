"""Commands: names, namespaces, descriptions, and texts that are never run."""

from pathlib import Path

import pytest
from support.files import save_in_place
from support.project import fixture, make_project, row, rows_like, scan_of

from asdlc_kb.project.commands import get_command, scan_commands
from asdlc_kb.project.markdown_lines import MAX_SUMMARY_CHARS
from asdlc_kb.project.scanner import ProjectScanner


def description_of(folder: Path, text: str) -> str:
    """Return the description of a command with a given text."""
    (command,) = scan_commands(scan_of(folder, {".cursor/commands/x.md": text}))
    return command.description


def test_commands_are_listed_with_what_they_say_of_themselves() -> None:
    """D-112: frontmatter is no description, and a README no command."""
    expected = [
        row(
            name="review",
            description="Reads the open change and says what is missing.",
            path=".cursor/commands/review.md",
            location="workspace",
            platform="cursor",
            argument_hint=None,
        ),
    ]
    assert (
        rows_like(scan_commands(ProjectScanner(fixture("cursor"))), expected)
        == expected
    )
    expected = [
        row(
            name="fix-issue",
            description="Fixes an issue by its number",
            path=".claude/commands/fix-issue.md",
            location="workspace",
            platform="claude",
            argument_hint="[number] [priority]",
        ),
        row(
            name="web:test",
            description=(
                "Run the tests of the web package and read !`git status` first."
            ),
            path=".claude/commands/web/test.md",
            location="workspace",
            platform="claude",
            argument_hint=None,
        ),
    ]
    assert (
        rows_like(scan_commands(ProjectScanner(fixture("claude"))), expected)
        == expected
    )


def test_a_command_is_given_as_text() -> None:
    """D-028: placeholders, files and shell lines are left as they are."""
    command = get_command(ProjectScanner(fixture("claude")), "fix-issue")
    assert command is not None
    assert command.content.startswith("Fix issue $1 with priority $2.")
    assert command.source.startswith("---\ndescription:")
    assert command.allowed_tools == ("Read", "Bash(git diff:*)")
    assert command.model == "inherit"
    command = get_command(ProjectScanner(fixture("claude")), "/web:test")
    assert command is not None
    assert "!`git status`" in command.content


@pytest.mark.parametrize("name", ["test", "TEST", "web:test", "web/test", "/test"])
def test_a_command_is_found_without_its_namespace(name: str) -> None:
    """As editors complete it."""
    command = get_command(ProjectScanner(fixture("claude")), name)
    assert command is not None
    assert command.path == ".claude/commands/web/test.md"
    assert get_command(ProjectScanner(fixture("claude")), "README") is None


@pytest.mark.parametrize(
    ("text", "description"),
    [
        ("# T\n\n- item\n\nFirst sentence.\n", "First sentence."),
        ("---\ndescription: Said: so\n---\nText.", "Said: so"),
        ("---\ndescription:\n---\n# T\nText.", "Text."),
        ("# Title only\n", ""),
        ("x" * 300, "x" * (MAX_SUMMARY_CHARS - 1) + "…"),
    ],
)
def test_a_description_is_said_or_found(
    tmp_path: Path, text: str, description: str
) -> None:
    """D-112: at most 200 characters, in one line."""
    assert description_of(tmp_path, text) == description


@pytest.mark.parametrize(
    ("written", "hint"),
    [
        ("[number] [message]", "[number] [message]"),
        ('"[number, or a text]"', "[number, or a text]"),
        ("[number, or a text]", "[number, or a text]"),
        ("<file> [line]", "<file> [line]"),
        ("", None),
        ("[]", None),
    ],
)
def test_a_hint_is_as_it_was_written(
    tmp_path: Path, written: str, hint: str | None
) -> None:
    """Brackets are a list in YAML, and mean `optional` here."""
    text = f"---\nargument-hint: {written}\n---\n"
    (command,) = scan_commands(scan_of(tmp_path, {".claude/commands/x.md": text}))
    assert command.argument_hint == hint


@pytest.mark.parametrize(
    ("header", "by_model", "by_user"),
    [
        ("disable-model-invocation: true", False, True),
        ("user-invocable: false", True, False),
        ("user-invocable: 'No'", True, False),
        ("user-invocable: true\ndisable-model-invocation: no", True, True),
        ("model: inherit", True, True),
    ],
)
def test_an_author_says_what_may_start_a_command(
    tmp_path: Path, header: str, *, by_model: bool, by_user: bool
) -> None:
    """D-274: agents, people or both."""
    files = {".claude/commands/x.md": f"---\n{header}\n---\nText.\n"}
    (command,) = scan_commands(scan_of(tmp_path, files))
    assert (command.can_model_invoke, command.can_user_invoke) == (by_model, by_user)


def test_the_workspace_comes_before_the_home_and_cursor_before_claude(
    tmp_path: Path,
) -> None:
    """D-110: the precedence of the table; a home only if requested."""
    home = tmp_path / "home"
    for tool in ("claude", "cursor"):
        save_in_place(home / f".{tool}" / "commands" / "x.md", f"{tool} at home")
    save_in_place(home / ".claude" / "commands" / "y.md", "only at home")
    project = make_project(tmp_path, {".claude/commands/x.md": "claude here"})
    scanner = ProjectScanner(project, home)
    assert [(c.path, c.location, c.platform) for c in scan_commands(scanner)] == [
        (".claude/commands/x.md", "workspace", "claude"),
        ("~/.cursor/commands/x.md", "global", "cursor"),
        ("~/.claude/commands/x.md", "global", "claude"),
        ("~/.claude/commands/y.md", "global", "claude"),
    ]
    command = get_command(scanner, "x")
    assert command is not None
    assert command.content == "claude here"
    assert get_command(ProjectScanner(project), "y") is None


def test_a_home_is_not_left_by_links(tmp_path: Path) -> None:
    """D-024: a link out of `.claude` leads nowhere, even within the home."""
    home = tmp_path / "home"
    save_in_place(home / "secret.md", "the secret outside")
    save_in_place(home / ".claude" / "commands" / "good.md", "good")
    (home / ".claude" / "commands" / "bad.md").symlink_to("../../secret.md")
    scanner = ProjectScanner(make_project(tmp_path, {}), home)
    assert [command.name for command in scan_commands(scanner)] == ["good"]
    assert [p.path for p in scanner.problems] == ["~/.claude/commands/bad.md"]
