"""The command `rules`: what applies to a file, for people."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result
from support.files import save_in_place

from asdlc_kb.project.instruction_places import PLACES, USER_PLACES

Invoke = Callable[..., Result]

CURSOR = "https://cursor.com/docs/rules (2026-09-28)"


@pytest.fixture
def project(folder: Path) -> Path:
    """A repository with rules of two tools, in the working directory."""
    root = folder / "shop"
    (root / ".git").mkdir(parents=True)
    save_in_place(root / ".cursor/rules/ts.mdc", "---\nglobs: **/*.ts\n---\nTypes.\n")
    save_in_place(
        root / ".cursor/rules/db.mdc", "---\ndescription: Migrations\n---\nRun.\n"
    )
    save_in_place(root / "CLAUDE.md", "Read @docs/style.md\n")
    save_in_place(root / "docs/style.md", "Style\n")
    save_in_place(root / "CLAUDE.local.md", "mine\n")
    save_in_place(root / "app/AGENTS.md", "App\n")
    return root


def test_the_instructions_of_a_file_are_nearest_first(
    invoke: Invoke, project: Path
) -> None:
    """One entry each, with why; those to request last. The file need not exist."""
    result = invoke("rules", "shop/app/new.ts")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == (
        "app/AGENTS.md  cursor, copilot, codex, windsurf, opencode, augment\n"
        "    for all in app/\n"
        ".cursor/rules/ts.mdc  cursor\n"
        "    the path matches **/*.ts\n"
        "CLAUDE.md  cursor, claude, copilot, opencode, augment, zed\n"
        "    for all in the project\n"
        "docs/style.md  claude\n"
        "    imported by CLAUDE.md\n"
        "CLAUDE.local.md  claude, copilot\n"
        "    for all in the project\n"
        "\n"
        "Read if the description fits the task\n"
        ".cursor/rules/db.mdc  cursor\n"
        "    Migrations\n"
    )


def test_one_tool_can_be_asked_for_with_the_documentation(
    invoke: Invoke, project: Path
) -> None:
    """The page and its date for each tool; for an import, that of the importer."""
    result = invoke("rules", "shop/a.ts", "--tool", "cursor", "--sources")
    assert result.stdout.splitlines()[:3] == [
        ".cursor/rules/ts.mdc  cursor",
        "    the path matches **/*.ts",
        f"    cursor: {CURSOR}",
    ]
    imported = invoke("rules", "shop/a.md", "--tool", "claude", "--sources").stdout
    assert (
        "docs/style.md  claude\n    imported by CLAUDE.md\n"
        "    claude: https://code.claude.com/docs/en/memory (2026-08-22)\n"
    ) in imported


@pytest.mark.parametrize("flags", [("--json",), ("--format", "json")])
def test_json_is_an_array_of_entries(
    invoke: Invoke, project: Path, flags: tuple[str, ...]
) -> None:
    """With every field, and nothing else on stdout."""
    result = invoke("rules", "shop/a.ts", "--tool", "cursor", *flags)
    rows = json.loads(result.stdout)
    assert rows[0] == {
        "kind": "rule",
        "name": "ts",
        "path": ".cursor/rules/ts.mdc",
        "alsoIn": [],
        "scope": "",
        "reason": "pattern",
        "why": "the path matches **/*.ts",
        "tools": ["cursor"],
        "pattern": "**/*.ts",
        "description": "",
        "documentation": [
            {
                "tool": "cursor",
                "address": "https://cursor.com/docs/rules",
                "date": "2026-09-28",
            }
        ],
    }
    assert rows[-1]["reason"] == "requested"


def test_the_project_is_the_repository_or_the_named_folder(
    invoke: Invoke, project: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A path is relative to the working directory, or else to the project."""
    one = invoke("rules", str(project / "app/a.ts")).stdout
    assert invoke("rules", "app/a.ts", "--project", "shop").stdout == one
    monkeypatch.chdir(project / "app")
    assert invoke("rules", "a.ts").stdout == one
    assert invoke("rules", "../app/a.ts", "--project", "..").stdout == one


def test_other_names_of_a_file_are_listed(invoke: Invoke, project: Path) -> None:
    """A link is the file that it leads to."""
    (project / "AGENTS.md").symlink_to("CLAUDE.md")
    lines = invoke("rules", "shop/a.md").stdout.splitlines()
    assert lines[1:3] == ["    for all in the project", "    also in CLAUDE.md"]


def test_nothing_applies(invoke: Invoke, project: Path) -> None:
    """It says so, with exit code 0: no instruction is missing."""
    (project / "CLAUDE.md").unlink()
    (project / "CLAUDE.local.md").unlink()
    (project / ".cursor/rules/db.mdc").unlink()
    result = invoke("rules", "shop/a.md")
    assert (result.exit_code, result.stdout) == (0, "No instructions apply to a.md\n")


def test_problems_of_files_come_last(invoke: Invoke, project: Path) -> None:
    """On stderr, so that JSON stays JSON."""
    (project / ".cursor/rules/gone.mdc").symlink_to("nowhere.mdc")
    result = invoke("rules", "shop/a.ts", "--json")
    assert json.loads(result.stdout)
    assert result.stderr.startswith("asdlc-kb: .cursor/rules/gone.mdc: ")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ((), 2, "name a file: asdlc-kb rules PATH"),
        (("a.ts", "--json", "--format", "text"), 2, "cannot be used together"),
        (("a.ts", "--tool", "emacs"), 2, "emacs"),
        (("a.ts", "--project", "nowhere"), 3, "no such folder: nowhere"),
        (("/etc/a", "--project", "shop"), 3, "/etc/a is not a file in the project"),
        (("../../a", "--project", "shop"), 3, "../../a is not a file in the project"),
    ],
)
def test_mistakes_are_named(
    invoke: Invoke, project: Path, arguments: tuple[str, ...], code: int, message: str
) -> None:
    """Usage: 2; a project that is not there, a path outside it: 3."""
    result = invoke("rules", *arguments)
    assert (result.exit_code, result.stdout) == (code, "")
    assert message in result.stderr


def test_the_table_of_places_is_printed(invoke: Invoke) -> None:
    """All rows, or those of one tool; with what is read instead."""
    rows = json.loads(invoke("rules", "--places", "--json").stdout)
    assert len(rows) == len(PLACES) + len(USER_PLACES)
    assert rows[0]["documentation"] == {
        "address": "https://cursor.com/docs/rules",
        "date": "2026-09-28",
    }
    lines = invoke("rules", "--places", "--tool", "cursor").stdout.splitlines()
    assert lines[:2] == ["cursor", f"    **/.cursor/rules/**/*.mdc  {CURSOR}"]
    claude = invoke("rules", "--places", "--tool", "claude").stdout
    assert "        unless there is /CLAUDE.md or " in claude


def test_styles_can_be_forced(
    invoke: Invoke, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """D-216: names in color; without them the same text."""
    plain = invoke("rules", "shop/a.ts", env={"NO_COLOR": "1"}).stdout
    styled = invoke("rules", "shop/a.ts", env={"FORCE_COLOR": "1"}).stdout
    assert "\x1b[36m.cursor/rules/ts.mdc" in styled
    assert "\x1b" not in plain
