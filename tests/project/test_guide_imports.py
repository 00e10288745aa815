"""Texts that guides import, and that settings name."""

from pathlib import Path

import pytest
from support.project import list_problems, scan_of

from asdlc_kb.project import guide_imports, pattern_files
from asdlc_kb.project.applicability import rules_for_path
from asdlc_kb.project.readable_files import find_readable
from asdlc_kb.project.scanner import ProjectScanner


def found(scanner: ProjectScanner, path: str = "a.ts") -> list[tuple[str, str, str]]:
    """Return path, reason and tools of each applicable text."""
    rules = rules_for_path(scanner, path)
    return [(rule.path, rule.why, " ".join(rule.tools)) for rule in rules]


def test_imports_of_imports_are_read_with_the_guide(tmp_path: Path) -> None:
    """Relative to the file with the import; a text once, although it is named twice."""
    files = {
        "app/CLAUDE.md": "See @docs/a.md and `@docs/code.md`.\n",
        "app/docs/a.md": "@b.txt @../CLAUDE.md @../../top.md\n",
        "app/docs/b.txt": "B",
        "app/docs/code.md": "not imported",
        "top.md": "@app/docs/b.txt @app/docs/data.json",
        "app/docs/data.json": "{}",
    }
    assert found(scan_of(tmp_path, files), "app/x.ts") == [
        ("app/CLAUDE.md", "for all in app/", "claude opencode augment"),
        ("app/docs/a.md", "imported by app/CLAUDE.md", "claude"),
        ("app/docs/b.txt", "imported by app/docs/a.md", "claude"),
        ("top.md", "imported by app/docs/a.md", "claude"),
    ]


@pytest.mark.parametrize(("name", "hops"), [("CLAUDE.md", 4), ("GEMINI.md", 5)])
def test_hops_are_as_many_as_the_tool_follows(
    tmp_path: Path, name: str, hops: int
) -> None:
    """Claude Code four, Gemini CLI five."""
    chain = {f"{n}.md": f"@{n + 1}.md" for n in range(1, 9)}
    rules = found(scan_of(tmp_path, {name: "@1.md", **chain}))
    assert [path for path, _, _ in rules] == [
        name,
        *(f"{number}.md" for number in range(1, hops + 1)),
    ]


def test_other_tools_read_no_imports(tmp_path: Path) -> None:
    """An AGENTS.md beside a CLAUDE.md, which Claude Code does not read then."""
    files = {"AGENTS.md": "@a.md", "CLAUDE.md": "C", "a.md": "A"}
    assert [path for path, _, _ in found(scan_of(tmp_path, files))] == [
        *("AGENTS.md", "CLAUDE.md")
    ]


def test_what_is_private_is_not_imported(tmp_path: Path) -> None:
    """Keys, other hidden files, installed packages, and files outside."""
    names = (".env.md", ".secret/a.md", "key.pem", "node_modules/x/a.md", "../o.md")
    files = {name: "SECRET" for name in names if ".." not in name}
    guide = " ".join(f"@./{name}" for name in names)
    assert len(found(scan_of(tmp_path, {"CLAUDE.md": guide, **files}))) == 1


def test_the_number_of_imported_texts_is_limited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A guide that imports everything ends somewhere."""
    monkeypatch.setattr(guide_imports, "MAX_READ", 3)
    files = {f"{n}.md": f"x{n}" for n in range(9)}
    guide = " ".join(f"@{name}" for name in files)
    assert len(found(scan_of(tmp_path, {"CLAUDE.md": guide, **files}))) == 4


def test_an_imported_text_can_be_requested(tmp_path: Path) -> None:
    """By the path that a rule for a path has; another text cannot."""
    files = {"CLAUDE.md": "@docs/a.md", "docs/a.md": "A", "docs/b.md": "B"}
    scanner = scan_of(tmp_path, files)
    readable = find_readable(scanner, "docs/a.md")
    assert readable is not None
    assert readable.read(scanner) == "A"
    assert find_readable(scanner, "docs/b.md") is None


def test_opencode_reads_what_its_settings_name(tmp_path: Path) -> None:
    """Paths and patterns inside the project."""
    named = '["docs/a.md", "rules/*.md", "../out.md", "https://x.org/a.md", 1]'
    files = {
        "opencode.json": f'{{"instructions": {named}}}',
        "docs/a.md": "A",
        "rules/c.md": "C",
        "rules/b.md": "B",
        "rules/d.json": "{}",
    }
    assert found(scan_of(tmp_path, files)) == [
        ("docs/a.md", "always attached in the project", "opencode"),
        ("rules/b.md", "always attached in the project", "opencode"),
        ("rules/c.md", "always attached in the project", "opencode"),
    ]
    assert find_readable(scan_of(tmp_path, files), "rules/c.md") is not None


def test_a_pattern_that_matches_too_much_is_a_problem(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """D-111: what was found until then is read."""
    monkeypatch.setattr(pattern_files, "MAX_FOLDERS", 1)
    settings = '{"instructions": ["**/*.md"]}'
    scanner = scan_of(tmp_path, {"opencode.json": settings, "a.md": "A", "b/c.md": "C"})
    assert [path for path, _, _ in found(scanner)] == ["a.md"]
    assert list_problems(scanner) == [("opencode.json", "KB001")]
