"""Files that patterns of settings match, and what the search leaves out."""

import os
from collections.abc import Sequence
from pathlib import Path

import pytest
from support.project import make_project

from asdlc_kb.project import pattern_files
from asdlc_kb.project.pattern_files import PatternFiles, find_pattern_files

FILES = (
    *("a.md", "b.txt", "c.json", "docs/a.md", "docs/x/b.md", "docs/x/y/c.md"),
    *(".cursor/rules/r.md", ".hidden/h.md", "node_modules/p/n.md", ".git/g.md"),
    *("venv/pyvenv.cfg", "venv/v.md", "packages/one/AGENTS.md"),
    *("packages/two/AGENTS.md", "packages/two/deep/AGENTS.md"),
)


def search(folder: Path, *patterns: str, files: Sequence[str] = FILES) -> PatternFiles:
    """Search a project with these files for Markdown and text."""
    root = make_project(folder, dict.fromkeys(files, "x")).root
    return find_pattern_files(root, patterns, (".md", ".txt"))


@pytest.mark.parametrize(
    ("pattern", "paths"),
    [
        ("*.md", ["a.md"]),
        ("*", ["a.md", "b.txt"]),
        ("./docs/*.md", ["docs/a.md"]),
        ("docs/**/*.md", ["docs/a.md", "docs/x/b.md", "docs/x/y/c.md"]),
        ("docs/*/[a-c].md", ["docs/x/b.md"]),
        (".cursor/rules/*.md", [".cursor/rules/r.md"]),
        ("packages/*/AGENTS.md", ["packages/one/AGENTS.md", "packages/two/AGENTS.md"]),
        ("{docs,packages/two}/?*.md", ["docs/a.md", "packages/two/AGENTS.md"]),
        ("{a,b}.{md,txt}", ["a.md", "b.txt"]),
        (".hidden/*.md", []),
        ("node_modules/**/*.md", []),
        (".git/*.md", []),
        ("no/such/*.md", []),
        ("a.md/*.md", []),
        ("", []),
    ],
)
def test_a_pattern_matches_from_the_top(
    tmp_path: Path, pattern: str, paths: list[str]
) -> None:
    """Hidden folders of tools count; other hidden ones and packages never."""
    assert search(tmp_path, pattern) == PatternFiles({pattern: paths}, True)


def test_any_folder_is_any_of_the_projects_own(tmp_path: Path) -> None:
    """Installed packages, generated and hidden folders are passed over."""
    (found,) = search(tmp_path, "**/*.md").paths.values()
    own = [path for path in FILES if path.endswith(".md")]
    left_out = (".hidden", "node_modules", ".git", "venv")
    assert found == sorted(path for path in own if not path.startswith(left_out))


def test_packages_are_not_even_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """D-111: twice as many files there as a search may examine; 50 patterns."""
    monkeypatch.setattr(pattern_files, "MAX_ENTRIES", 50)
    installed = [f"node_modules/p{n}/x.md" for n in range(100)]
    patterns = [f"**/*{n}-rules.md" for n in range(50)]
    found = search(tmp_path, *patterns, files=[*installed, "docs/7-rules.md"])
    assert found.is_complete
    assert [*filter(None, found.paths.values())] == [["docs/7-rules.md"]]


@pytest.mark.parametrize(
    ("limit", "value", "pattern"),
    [
        ("MAX_FOLDERS", 2, "**/*.md"),
        ("MAX_ENTRIES", 3, "**/*.md"),
        ("MAX_STEPS", 10, "**/*.md"),
        ("MAX_PATTERNS", 1, "{a,b}.md"),
    ],
)
def test_each_limit_ends_the_search(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    limit: str,
    value: int,
    pattern: str,
) -> None:
    """D-111: what was found until then counts, and the result says so."""
    every = {path for path in FILES if path.endswith(".md")}
    assert search(tmp_path, pattern).is_complete
    monkeypatch.setattr(pattern_files, limit, value)
    found = search(tmp_path, pattern)
    assert not found.is_complete
    assert set(found.paths[pattern]) < every


def test_limits_are_for_all_patterns_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second pattern begins in another folder."""
    monkeypatch.setattr(pattern_files, "MAX_FOLDERS", 1)
    found = search(tmp_path, "docs/*.md", "packages/one/*.md")
    assert [*found.paths.values()] == [["docs/a.md"], []]
    assert not found.is_complete


def test_links_to_folders_are_followed_only_where_a_pattern_names_them(
    tmp_path: Path,
) -> None:
    """No loops, and nothing outside or private (D-024)."""
    root = make_project(tmp_path, dict.fromkeys(FILES, "x")).root
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/o.md").write_text("x")
    for name, target in (("loop", "."), ("out", "../outside"), ("git", ".git")):
        os.symlink(target, root / name)
    os.symlink("docs", root / "handbook")
    patterns = ("handbook/*.md", "out/*.md", "git/*.md", "**/o.md", "**/c.md")
    found = find_pattern_files(root, patterns, (".md",))
    assert [*found.paths.values()] == [
        ["handbook/a.md"],
        [],
        [],
        [],
        ["docs/x/y/c.md"],
    ]


def test_names_that_are_not_served_are_passed_over(tmp_path: Path) -> None:
    """Bytes that are no text would break an answer."""
    root = make_project(tmp_path, {"a.md": "x"}).root
    for name in (b"\xff.md", b"a\x1bb.md"):
        (Path(os.fsdecode(os.fsencode(root) + b"/" + name))).write_text("x")
    assert find_pattern_files(root, ["*.md"], (".md",)).paths == {"*.md": ["a.md"]}
