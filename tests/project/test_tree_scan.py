"""The walk through the folders of a project."""

import os
import shutil
import tempfile
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.files import ordinary_user
from support.project import age, make_project

from asdlc_kb.project import tree_scan
from asdlc_kb.project.tree_scan import Nested, ScanMemory, find_nested


def walk(folder: Path, *paths: str) -> Nested:
    """Walk through a project with these files."""
    return find_nested(make_project(folder, dict.fromkeys(paths, "x")).root)


def test_guides_and_rule_folders_are_found_from_the_top_down(tmp_path: Path) -> None:
    """D-110: the upper folders first, AGENTS.md before CLAUDE.md."""
    nested = walk(
        tmp_path,
        *("b/CLAUDE.md", "a/c/AGENTS.md", "CLAUDE.md", "AGENTS.md", "a/AGENTS.md"),
        *("a/.cursor/rules/x.mdc", ".claude/rules/x.md", ".cursor/rules/x.mdc"),
    )
    assert nested.guides == [
        *("AGENTS.md", "CLAUDE.md", "a/AGENTS.md", "b/CLAUDE.md", "a/c/AGENTS.md")
    ]
    assert nested.holders == [".claude", ".cursor", "a/.cursor"]
    assert nested.problems == []


def test_what_is_not_the_projects_own_is_passed_over(tmp_path: Path) -> None:
    """Installed, hidden, generated, or with a name that is not served."""
    nested = walk(
        tmp_path,
        *("node_modules/x/AGENTS.md", ".git/AGENTS.md", "env/AGENTS.md"),
        *("env/pyvenv.cfg", "target/AGENTS.md", "target/CACHEDIR.TAG"),
        *("a\x1bb/AGENTS.md", "src/AGENTS.md", "Agents.md"),
    )
    assert nested.guides == ["src/AGENTS.md"]
    assert nested.problems == []


def test_links_to_folders_are_not_followed(tmp_path: Path) -> None:
    """D-024: no loops, and nothing outside."""
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "AGENTS.md").write_text("x")
    project = make_project(tmp_path, {"a/AGENTS.md": "x"})
    (project.root / "loop").symlink_to(".")
    (project.root / "out").symlink_to("../outside")
    assert find_nested(project.root).guides == ["a/AGENTS.md"]


def test_limits_cut_off_what_lies_deepest_and_say_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """D-111: depth, folders, names."""
    paths = ["AGENTS.md", "a/AGENTS.md", "a/b/AGENTS.md", "a/b/c/AGENTS.md"]
    for name, limit in {"MAX_DEPTH": 2, "MAX_FOLDERS": 3, "MAX_ENTRIES": 6}.items():
        with monkeypatch.context() as patched:
            patched.setattr(tree_scan, name, limit)
            nested = walk(tmp_path, *paths)
        assert nested.guides == paths[:3], name
        assert [problem.code for problem in nested.problems] == ["KB001"]


def test_a_project_that_is_not_there_is_a_problem(tmp_path: Path) -> None:
    """D-069: a missing root is a fault, not a deletion."""
    nested = find_nested(tmp_path / "none")
    assert nested.guides == []
    assert [problem.path for problem in nested.problems] == ["."]


def test_a_folder_that_cannot_be_listed_is_a_problem() -> None:
    """The rest of the project is searched."""
    with ordinary_user() as folder:
        project = make_project(folder, {"a/AGENTS.md": "x", "b/AGENTS.md": "x"})
        (project.root / "a").chmod(0)
        nested = find_nested(project.root)
        (project.root / "a").chmod(0o700)
    assert nested.guides == ["b/AGENTS.md"]
    assert [problem.path for problem in nested.problems] == ["a"]


LATER = 3600.0
"""Seconds after which no folder counts as recently changed."""


def test_a_folder_that_stays_the_same_is_not_listed_again(tmp_path: Path) -> None:
    """A project is scanned every two seconds: unchanged folders are not listed."""
    root = make_project(tmp_path, {"a/AGENTS.md": "x", "b/c/x": "x"}).root
    age(root)
    memory: ScanMemory = {}
    later = time.time() + LATER
    find_nested(root, memory, now=later)
    before = dict(memory)
    assert set(before) == {"", "a", "b", "b/c"}
    (root / "b" / "c" / "CLAUDE.md").write_text("x")
    nested = find_nested(root, memory, now=later)
    assert nested.guides == ["a/AGENTS.md", "b/c/CLAUDE.md"]
    same = {path for path in memory if memory[path][1] is before[path][1]}
    assert same == {"", "a", "b"}


def test_a_folder_that_has_just_changed_is_listed_again(tmp_path: Path) -> None:
    """D-064: two changes within one tick of the clock leave one signature."""
    root = make_project(tmp_path, {"a/x": "x"}).root
    memory: ScanMemory = {}
    find_nested(root, memory)
    assert memory == {}


def test_what_is_gone_is_forgotten(tmp_path: Path) -> None:
    """The cache is no larger than the project."""
    root = make_project(tmp_path, {"a/x": "x", "b/x": "x"}).root
    age(root)
    memory: ScanMemory = {}
    later = time.time() + LATER
    find_nested(root, memory, now=later)
    shutil.rmtree(root / "a")
    find_nested(root, memory, now=later)
    assert set(memory) == {"", "b"}


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["", "a", "a/b", "c"]),
            st.sampled_from(["AGENTS.md", "CLAUDE.md", ".cursor", "CACHEDIR.TAG", "x"]),
        ),
        max_size=12,
    )
)
@settings(deadline=None, max_examples=30)
def test_a_walk_with_a_memory_finds_what_one_without_does(
    edits: list[tuple[str, str]],
) -> None:
    """Whatever is added and removed between two walks."""
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        memory: ScanMemory = {}
        later = time.time() + LATER
        for number, (folder, entry) in enumerate(edits, 1):
            path = root / folder / entry
            if path.exists():
                path.unlink()
            else:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text("x")
            # A changed folder gets another mtime, even within one clock tick.
            for above in path.parents[: len(path.relative_to(root).parts)]:
                os.utime(above, ns=(number, number))
            nested = find_nested(root, memory, now=later)
            assert nested == find_nested(root)
            assert "" in memory
