"""What of a tool is converted: what people wrote for it, for all of them."""

from pathlib import Path

from support.project import rows_like, scan_of

from asdlc_kb.project.sync.marks import mark_block, mark_file
from asdlc_kb.project.sync.sources import list_sources, list_unread
from asdlc_kb.project.sync.targets import SYNC_TOOLS

BLOCK = mark_block("C\n", "cursor")


def test_rules_and_guides_are_sources_once(tmp_path: Path) -> None:
    """Of every folder; the name has the subfolders, and no suffix."""
    files = {
        ".claude/rules/web/forms.md": "---\npaths: src/**\n---\n\nForms.\n\n",
        "app/.claude/rules/house.md": "House.",
        "CLAUDE.md": "Read @docs/a.md\n",
        ".claude/CLAUDE.md": "Inner.",
        "app/CLAUDE.md": "App.",
        "docs/a.md": "A",
        "CLAUDE.local.md": "mine",
        "AGENTS.md": "Other.",
        ".cursor/rules/a.mdc": "Other.",
    }
    found = [*list_sources(scan_of(tmp_path, files), SYNC_TOOLS["claude"])]
    assert rows_like(
        found,
        [
            {"name": "web-forms", "scope": "", "globs": ("src/**",), "body": "Forms."},
            {"name": "house", "scope": "app", "activation": "always"},
            {"name": "claude", "path": "CLAUDE.md", "has_imports": True},
            {"name": "claude-claude", "path": ".claude/CLAUDE.md", "body": "Inner."},
            {"name": "claude", "scope": "app", "body": "App."},
        ],
    ) == [
        {"name": "web-forms", "scope": "", "globs": ("src/**",), "body": "Forms."},
        {"name": "house", "scope": "app", "activation": "always"},
        {"name": "claude", "path": "CLAUDE.md", "has_imports": True},
        {"name": "claude-claude", "path": ".claude/CLAUDE.md", "body": "Inner."},
        {"name": "claude", "scope": "app", "body": "App."},
    ]


def test_files_of_one_rule_have_the_name_of_the_rule(tmp_path: Path) -> None:
    """Cursor's folders with a RULE.mdc, and the former single files."""
    files = {
        ".cursor/rules/sql/RULE.mdc": "---\ndescription: Text\n---\nA",
        ".cursorrules": "B",
    }
    found = list_sources(scan_of(tmp_path, files), SYNC_TOOLS["cursor"])
    assert [(rule.name, rule.activation) for rule in found] == [
        ("sql", "agent-requested"),
        ("cursorrules", "always"),
    ]
    other = tmp_path / "other"
    other.mkdir()
    files = {
        ".github/copilot-instructions.md": "A",
        ".github/instructions/b.instructions.md": "---\napplyTo: '**'\n---\nB",
    }
    found = list_sources(scan_of(other, files), SYNC_TOOLS["copilot"])
    assert [rule.name for rule in found] == ["copilot-instructions", "b"]


def test_what_was_generated_is_no_source(tmp_path: Path) -> None:
    """A file that has a mark, and the block in a guide."""
    files = {
        ".claude/rules/made.md": mark_file("", "A\n", "cursor", "a"),
        ".claude/rules/own.md": "B",
        "CLAUDE.md": f"Ours.\n\n{BLOCK}",
    }
    found = list_sources(scan_of(tmp_path, files), SYNC_TOOLS["claude"])
    assert [rule.body for rule in found] == ["B", "Ours."]


def test_a_link_is_one_source(tmp_path: Path) -> None:
    """And a guide that is another one says so."""
    scanner = scan_of(tmp_path, {"AGENTS.md": "A", ".cursor/rules/a.mdc": "B"})
    root = scanner.project.root
    (root / "CLAUDE.md").symlink_to("AGENTS.md")
    (root / ".cursor/rules/b.mdc").symlink_to("a.mdc")
    guides = [*list_sources(scanner, SYNC_TOOLS["claude"])]
    assert [(guide.body, guide.same_as) for guide in guides] == [("A", "AGENTS.md")]
    rules = list_sources(scanner, SYNC_TOOLS["cursor"])
    assert [rule.name for rule in rules] == ["a"]


def test_files_that_cannot_be_read_are_known(tmp_path: Path) -> None:
    """Of the tool itself: rules, single files and guides, in any folder."""
    bad = b"\xff"
    files: dict[str, str | bytes] = {
        ".cursor/rules/a.mdc": bad,
        "app/.cursor/rules/b.mdc": bad,
        ".cursorrules": bad,
        "CLAUDE.md": bad,
        "app/CLAUDE.md": bad,
        "AGENTS.md": bad,
    }
    scanner = scan_of(tmp_path, files)
    unread = {}
    for name in ("cursor", "claude", "agents", "kiro"):
        tool = SYNC_TOOLS[name]
        assert [*list_sources(scanner, tool)] == []
        unread[name] = [problem.path for problem in list_unread(scanner, tool)]
    assert unread == {
        "cursor": [".cursor/rules/a.mdc", ".cursorrules", "app/.cursor/rules/b.mdc"],
        "claude": ["CLAUDE.md", "app/CLAUDE.md"],
        "agents": ["AGENTS.md"],
        "kiro": [],
    }
