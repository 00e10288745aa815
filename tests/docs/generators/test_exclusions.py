"""What a tree leaves out, as a whole and in part."""

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


def test_git_may_take_back_what_is_no_documentation(tmp_path: Path) -> None:
    """In a repository without a generator."""
    found = configured(tmp_path, {".git/HEAD": "", ".gitignore": "!build/\n"})
    assert list_left_out(found, "build/", "dist/") == ["dist/"]


FILES = ("private/plan.pdf", "a/x.secret.csv", "old.md", "shot.png", "a/b.csv")


def list_files_left_out(configuration: TreeConfiguration, folder: Path) -> list[str]:
    """Return the files below a folder that are left out."""
    return [*filter(Exclusions(configuration).make_file_filter(folder), FILES)]


@pytest.mark.parametrize(
    ("name", "text", "left_out"),
    [
        ("mkdocs.yml", f"{MKDOCS}  private/\n  *.secret.csv\n  old.md\n", FILES[:3]),
        ("zensical.toml", '[project]\nexclude_docs = "private/"\n', FILES[:1]),
        ("_config.yml", "exclude: [docs/private, docs/old.md]\n", [FILES[0], FILES[2]]),
        (".vitepress/config.js", "export default {srcExclude: ['**/private/**']}", []),
    ],
)
def test_files_are_left_out_where_the_generator_does_so(
    tmp_path: Path, name: str, text: str, left_out: list[str]
) -> None:
    """Others publish each file to which a page refers."""
    found = configured(tmp_path, {name: text, "docs/a.md": ""}, "docs")
    assert found.generator
    assert list_files_left_out(found, tmp_path / "docs") == [*left_out]
    assert list_files_left_out(found, tmp_path.parent) == []


def test_files_of_folders_for_parts_are_published(tmp_path: Path) -> None:
    """Of Mintlify's snippets the pictures are, for example."""
    found = configured(tmp_path, {"docs.json": '{"navigation": ["a"]}'})
    filter_file = Exclusions(found).make_file_filter(tmp_path)
    assert Exclusions(found).leaves_out("snippets/")
    assert not filter_file("snippets/a.png")


def test_static_folders_are_those_of_the_same_patterns(tmp_path: Path) -> None:
    """Above the root, above the served folder, and with a folder that is taken back."""
    files = {"_config.yml": "source: docs\nexclude: [private, sub/a]\n"}
    found = configured(tmp_path, {**files, "docs/sub/a.md": ""}, "docs")
    filter_file = Exclusions(found).make_file_filter(tmp_path)
    paths = ("docs/private/a.png", "private/a.png", "docs/sub/a/b.png", "docs/c.png")
    assert [*filter(filter_file, paths)] == [paths[0], paths[2]]
    part = configured(tmp_path, {}, "docs/sub")
    assert [*filter(Exclusions(part).make_file_filter(tmp_path), paths)] == [
        *(paths[0], paths[2]),
    ]
    assert Exclusions(part).make_file_filter(part.root)("a/b.png")
    served = configured(tmp_path, {"docs/private/a.md": ""}, "docs/private")
    assert not Exclusions(served).make_file_filter(served.root)("a.png")


def test_files_that_git_ignores_are_left_out_of_a_repository(tmp_path: Path) -> None:
    """But not those of folders that are only no documentation."""
    files = {".git/HEAD": "", ".gitignore": "private/\n", "a.md": ""}
    found = configured(tmp_path, {**files, "docs/a.md": ""})
    filter_file = Exclusions(found).make_file_filter(tmp_path)
    assert filter_file("docs/private/a.png")
    assert not filter_file("tests/a.png")
    part = configured(tmp_path, {}, "docs")
    assert list_files_left_out(part, tmp_path / "docs") == []


def test_what_is_below_a_folder_that_is_left_out_is_not_taken_back(
    tmp_path: Path,
) -> None:
    """As for pages; but the served folder may be taken back itself."""
    text = f"{MKDOCS}  /private/\n  !/private/plan.pdf\n  !/private/sub/\n"
    found = configured(tmp_path, {"mkdocs.yml": text, "docs/private/sub/a.md": ""})
    assert list_files_left_out(found, found.root) == [FILES[0]]
    part = configured(tmp_path, {}, "docs/private/sub")
    assert list_files_left_out(part, part.root) == []


def test_git_ignores_a_file_by_either_path_of_its_repository(tmp_path: Path) -> None:
    """That of a link, and the real one of an included file."""
    files = {"real/.git/HEAD": "", "real/.gitignore": "*.key\n", "real/a.key": ""}
    configured(tmp_path, files)
    (tmp_path / "link").symlink_to("real")
    exclusions = Exclusions(configured(tmp_path, {}, "link"))
    paths = [tmp_path / folder / "a.key" for folder in ("real", "link", "other")]
    assert [exclusions.is_ignored(str(path)) for path in paths] == [True, True, False]
