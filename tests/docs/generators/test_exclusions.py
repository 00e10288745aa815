"""What a tree leaves out, as a whole and in part."""

from dataclasses import replace
from pathlib import Path

import pytest
from support.generators import configured

from asdlc_kb.docs.edition import EditionFolder
from asdlc_kb.docs.generators import TreeConfiguration, view_edition
from asdlc_kb.docs.generators.exclusions import Exclusions, select_patterns

MKDOCS = "site_name: X\nexclude_docs: |\n"


def list_left_out(configuration: TreeConfiguration, *paths: str) -> list[str]:
    """Return the paths that are left out."""
    return [*filter(Exclusions(configuration).leaves_out, paths)]


@pytest.mark.parametrize(
    "pattern",
    [
        *("sub/priv/", "su*/priv/", "*/priv", "[s]ub/priv/", "**/sub/priv/", "priv"),
        *("/sub/**/priv", "**/priv/**", "/s?b/priv/*"),
    ],
)
def test_a_folder_leaves_out_what_the_tree_does(tmp_path: Path, pattern: str) -> None:
    """However the folders above it are written in the pattern."""
    files = {"mkdocs.yml": f"{MKDOCS}  {pattern}\n", "docs/sub/a.md": ""}
    tree = configured(tmp_path, files, "docs")
    part = configured(tmp_path, {}, "docs/sub")
    assert list_left_out(tree, "sub/priv/s.md", "sub/a.md") == ["sub/priv/s.md"]
    assert list_left_out(part, "priv/s.md", "a.md") == ["priv/s.md"]


@pytest.mark.parametrize(
    ("pattern", "left_out"),
    [
        ("/sub/", []),
        ("sub", ["x/sub/"]),
        ("**/sub/", ["x/sub/"]),
        ("s*/", ["x/sub/", "s/"]),
        ("sub/\n  s*b/x/a.md", ["x/sub/", "x/a.md"]),
        ("sub/**", ["x/sub/", "x/a.md", "s/", "a.md"]),
        ("*\n  !*.md", ["x/sub/", "s/"]),
    ],
)
def test_an_operator_may_serve_a_folder_that_is_left_out(
    tmp_path: Path, pattern: str, left_out: list[str]
) -> None:
    """A pattern of its name counts again below it."""
    files = {"mkdocs.yml": f"{MKDOCS}  {pattern}\n", "docs/sub/a.md": ""}
    part = configured(tmp_path, files, "docs/sub")
    paths = ("x/sub/", "x/a.md", "s/", "a.md")
    assert list_left_out(part, *paths) == left_out


def test_a_folder_that_is_taken_back_has_all_patterns() -> None:
    """As that of a collection of Jekyll."""
    patterns = ("_*", "!/_docs/", "/*/x")
    assert select_patterns(patterns, "_docs/") == patterns
    assert select_patterns(patterns, "") == patterns
    assert select_patterns(("_*", "!_a", "/_[d]/x"), "_[d]/") == (
        *("/_\\[d]/**/_*", "!_a", "/_[d]/x"),
    )


def test_patterns_of_git_are_from_the_repository(tmp_path: Path) -> None:
    """For pages, if the repository itself is served."""
    files = {
        ".git/HEAD": "",
        ".gitignore": "*/out/\n/d*/gen/\n",
        "mkdocs.yml": "site_name: X\n",
        "docs/a.md": "",
    }
    paths = ("out/", "gen/x.md", "x/gen/")
    found = configured(tmp_path, files)
    assert found.root == tmp_path / "docs"
    assert list_left_out(found, *paths) == ["out/", "gen/x.md"]
    assert list_left_out(configured(tmp_path, {}, "docs"), *paths) == []
    edition = EditionFolder(tmp_path / "old", "old")
    assert list_left_out(view_edition(found, edition), *paths) == ["out/"]
    outside = replace(found, root=tmp_path.parent / "other")
    assert list_left_out(outside, *paths) == []


def test_git_may_take_back_what_is_no_documentation(tmp_path: Path) -> None:
    """In a repository without a generator."""
    found = configured(tmp_path, {".git/HEAD": "", ".gitignore": "!build/\n"})
    assert list_left_out(found, "build/", "dist/") == ["dist/"]
