"""Rules and guides that apply to a file, nearest first, with the reason."""

from pathlib import Path

import pytest
from support.project import fixture, list_problems, scan_of

from asdlc_kb.project import applicability
from asdlc_kb.project.applicability import rules_for_path
from asdlc_kb.project.glob_patterns import Matcher
from asdlc_kb.project.scanner import ProjectScanner


def reasons(scanner: ProjectScanner, path: str) -> list[tuple[str, str]]:
    """Return path and reason of each applicable one."""
    located = scanner.project.locate(path)
    return [(rule.path, rule.why) for rule in rules_for_path(scanner, located)]


def test_the_nearest_comes_first_with_its_reason() -> None:
    """D-110: by folder; in a folder, matches, then those always attached."""
    scanner = ProjectScanner(fixture("cursor"))
    assert reasons(scanner, "packages/api/handlers/users.ts") == [
        ("packages/api/.cursor/rules/handlers.mdc", "the path matches handlers/**"),
        ("packages/api/.cursor/rules/always.mdc", "always attached in packages/api/"),
        (".cursor/rules/typescript.mdc", "the path matches **/*.{ts,tsx}"),
        (".cursor/rules/house.mdc", "always attached in the project"),
        (".cursorrules", "always attached in the project"),
        (".cursor/rules/security.mdc", "read it if its description fits the task"),
    ]
    assert reasons(scanner, "Dockerfile")[0] == (
        ".cursor/rules/docker.mdc",
        "the path matches Dockerfile",
    )
    assert reasons(scanner, "migrations/1.txt")[0] == (
        ".cursor/rules/data/sql.mdc",
        "the path matches migrations/",
    )


def test_guides_are_about_their_folder_and_below() -> None:
    """D-110: a nested CLAUDE.md before the one at the top."""
    scanner = ProjectScanner(fixture("claude"))
    assert reasons(scanner, "packages/web/button.tsx") == [
        ("packages/web/CLAUDE.md", "for all in packages/web/"),
        (
            ".claude/rules/web/components.md",
            "the path matches packages/web/**/*.{tsx,css}",
        ),
        ("CLAUDE.md", "for all in the project"),
        ("docs/style.md", "imported by CLAUDE.md"),
        (".claude/rules/style.md", "always attached in the project"),
    ]
    assert reasons(scanner, "packages/webx/button.tsx") == [
        ("CLAUDE.md", "for all in the project"),
        ("docs/style.md", "imported by CLAUDE.md"),
        (".claude/rules/style.md", "always attached in the project"),
    ]
    rules = rules_for_path(scanner, "packages/web/button.tsx")
    assert [item.kind for item in rules] == [
        *("claude-md", "rule", "claude-md", "import", "rule")
    ]
    assert rules[1].pattern == "packages/web/**/*.{tsx,css}"
    assert rules[0].content == "# Web\n\nNo inline styles.\n"


def test_a_bare_pattern_is_read_as_its_tool_reads_it(tmp_path: Path) -> None:
    """D-226, D-276: at the top alone, unless its tool matches otherwise."""
    text = "---\nglobs: *.ts\npaths: *.ts\ntrigger: glob\n---\n"
    names = (".cursor/rules/x.mdc", ".claude/rules/x.md", ".windsurf/rules/x.md")
    scanner = scan_of(tmp_path, dict.fromkeys(names, text))
    assert [path for path, _ in reasons(scanner, "a.ts")] == [*names]
    assert [path for path, _ in reasons(scanner, "src/a.ts")] == [*names[1:]]


def test_a_nested_rule_counts_from_its_folder_or_from_the_top(tmp_path: Path) -> None:
    """Both are in use; other folders are not affected."""
    rules = "app/ui/.cursor/rules"
    files = {
        f"{rules}/own.mdc": "---\nglobs: src/*.ts\n---\n",
        f"{rules}/top.mdc": "---\nglobs: app/ui/src/*.ts\n---\n",
    }
    scanner = scan_of(tmp_path, files)
    paths = [path for path, _ in reasons(scanner, "app/ui/src/a.ts")]
    assert paths == [f"{rules}/own.mdc", f"{rules}/top.mdc"]
    assert reasons(scanner, "src/a.ts") == []


def test_a_guide_that_stands_for_another_is_left_out(tmp_path: Path) -> None:
    """A link, or one line; not where the other one is not listed."""
    scanner = scan_of(
        tmp_path,
        {"AGENTS.md": "A", "CLAUDE.md": "@AGENTS.md", "a/CLAUDE.md": "../b/AGENTS.md"}
        | {"b/AGENTS.md": "B"},
    )
    (scanner.project.root / "b" / "CLAUDE.md").symlink_to("AGENTS.md")
    assert [path for path, _ in reasons(scanner, "b/x")] == ["b/AGENTS.md", "AGENTS.md"]
    rules = rules_for_path(scanner, "a/x")
    assert [(f.path, f.content) for f in rules] == [
        ("a/CLAUDE.md", "B"),
        ("AGENTS.md", "A"),
    ]


def test_two_conventions_in_one_folder_are_both_told(tmp_path: Path) -> None:
    """AGENTS.md first, as the shared convention."""
    files = {"AGENTS.md": "A", "CLAUDE.md": "C", ".claude/CLAUDE.md": "I"}
    paths = [path for path, _ in reasons(scan_of(tmp_path, files), "x")]
    assert paths == ["AGENTS.md", "CLAUDE.md", ".claude/CLAUDE.md"]


def test_a_rule_that_the_agent_may_choose_comes_last(tmp_path: Path) -> None:
    """Even a nested one; one chosen by hand is only in the list of all rules."""
    files = {
        "app/.cursor/rules/agent.mdc": "---\ndescription: When needed\n---\n",
        ".cursor/rules/manual.mdc": "text",
        "AGENTS.md": "A",
    }
    scanner = scan_of(tmp_path, files)
    assert reasons(scanner, "app/a.ts") == [
        ("AGENTS.md", "for all in the project"),
        ("app/.cursor/rules/agent.mdc", "read it if its description fits the task"),
    ]
    assert rules_for_path(scanner, "app/a.ts")[1].description == "When needed"
    assert [path for path, _ in reasons(scanner, "a.ts")] == ["AGENTS.md"]


def test_a_file_with_several_paths_is_listed_once(tmp_path: Path) -> None:
    """The nearest path, with the others; also where the target is in no list."""
    files = {".agents/AGENTS.md": "A", ".cursor/rules/x.mdc": "---\nglobs: '**'\n---\n"}
    scanner = scan_of(tmp_path, {**files, "app/x": ""})
    root = scanner.project.root
    (root / "AGENTS.md").symlink_to(".agents/AGENTS.md")
    (root / "CLAUDE.md").symlink_to("AGENTS.md")
    (root / "app" / "CLAUDE.md").symlink_to("../CLAUDE.md")
    (root / "app" / ".cursor").mkdir()
    (root / "app" / ".cursor" / "rules").symlink_to("../../.cursor/rules")
    found = {rule.path: rule for rule in rules_for_path(scanner, "app/a.ts")}
    assert {path: rule.also_in for path, rule in found.items()} == {
        "app/.cursor/rules/x.mdc": (".cursor/rules/x.mdc",),
        "app/CLAUDE.md": ("AGENTS.md", "CLAUDE.md"),
    }
    assert found["app/CLAUDE.md"].scope == "app"


def test_copies_of_a_text_for_several_tools_are_listed_once(tmp_path: Path) -> None:
    """D-300: with the tools of all; a copy that applies to less is another entry."""
    files = {
        "AGENTS.md": "Use tabs.\n",
        "CLAUDE.md": "Use tabs.\n",
        "app/AGENTS.md": "Use tabs.\n",
        ".cursor/rules/ts.mdc": "---\nglobs: app/*.ts\n---\nNo `any`.\n",
        ".claude/rules/ts.md": "---\npaths: ['*.ts']\n---\nNo `any`.\n",
        ".continue/rules/ts.md": "---\nalwaysApply: true\n---\nNo `any`.\n",
    }
    scanner = scan_of(tmp_path, files)
    found = {rule.path: rule for rule in rules_for_path(scanner, "app/a.ts")}
    assert {path: rule.also_in for path, rule in found.items()} == {
        "app/AGENTS.md": (),
        ".cursor/rules/ts.mdc": (".claude/rules/ts.md",),
        "AGENTS.md": ("CLAUDE.md",),
        ".continue/rules/ts.md": (),
    }
    assert found[".cursor/rules/ts.mdc"].tools == ("cursor", "claude", "copilot")
    of_claude = rules_for_path(scanner, "app/a.ts", "claude")
    assert [rule.path for rule in of_claude] == [".claude/rules/ts.md", "CLAUDE.md"]


def test_a_file_need_not_exist_and_may_be_hidden(tmp_path: Path) -> None:
    """An agent that is about to create it makes the same call."""
    files = {".cursor/rules/x.mdc": "---\nglobs: .github/**\n---\n"}
    scanner = scan_of(tmp_path, files)
    assert len(reasons(scanner, ".github/workflows/new.yml")) == 1
    assert len(reasons(scanner, "./a/../.github/x")) == 1


def test_patterns_that_take_too_long_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """D-026: a call ends, whatever is in the rules."""
    monkeypatch.setattr(applicability, "Matcher", lambda: Matcher(max_steps=3))
    text = f"---\nglobs: {','.join(['**/b'] * 20)}\n---\n"
    scanner = scan_of(tmp_path, {".cursor/rules/x.mdc": text})
    assert reasons(scanner, "a/a/a/a") == []
    assert list_problems(scanner) == [(".", "KB041")]
