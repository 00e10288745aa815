"""Patterns that another tool reads in the same way."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.project.glob_patterns import Matcher
from asdlc_kb.project.sync.patterns import (
    convert_gitignore,
    convert_patterns,
    covers_folder,
    find_common_folder,
    write_gitignore,
)

NAMES = st.sampled_from(["a", "b", "*", "**", "*.ts", "{a,b}", "a.ts"])
PATTERNS = st.builds(
    lambda lead, names, end: lead + "/".join(names) + end,
    st.sampled_from(["", "/", "./", "!"]),
    st.lists(NAMES, min_size=1, max_size=3),
    st.sampled_from(["", "/"]),
)
PATHS = st.lists(st.sampled_from(["a", "b", "a.ts"]), min_size=1, max_size=3).map(
    "/".join
)


@given(st.lists(PATTERNS, max_size=3), PATHS, st.booleans(), st.booleans())
def test_converted_patterns_match_the_same_files(
    patterns: list[str], path: str, is_bare: bool, expands: bool
) -> None:
    """Read from the top of the project, where a bare pattern matches names there."""
    converted = convert_patterns(
        patterns, bare_matches_anywhere=is_bare, expands=expands, excludes=True
    )
    matcher = Matcher()
    before = matcher.find(patterns, path, bare_matches_anywhere=is_bare)
    after = matcher.find(converted, path, bare_matches_anywhere=False)
    assert (before is None) == (after is None)
    assert not expands or not any("{" in pattern for pattern in converted)


@given(st.lists(PATTERNS, max_size=3), PATHS)
def test_patterns_of_a_folder_match_files_below_it(
    patterns: list[str], path: str
) -> None:
    """Also those that are written from the top."""
    converted = convert_patterns(
        patterns, "a", bare_matches_anywhere=False, expands=False, excludes=True
    )
    matcher = Matcher()
    below = matcher.find(patterns, path, bare_matches_anywhere=False)
    found = matcher.find(converted, f"a/{path}", bare_matches_anywhere=False)
    if below is not None and not any(one.startswith("!") for one in patterns):
        assert found is not None


@given(st.lists(PATTERNS, max_size=3), PATHS, st.booleans())
def test_patterns_of_a_gitignore_match_the_same_files(
    patterns: list[str], path: str, expands: bool
) -> None:
    """But for folders that are named like files, and files like folders (`a/**`)."""
    given_patterns = [
        one for one in patterns if not one.startswith("!") and not one.endswith("/**")
    ]
    converted = convert_gitignore(given_patterns, expands=expands, excludes=True)
    matcher = Matcher()
    before = matcher.find_as_gitignore(given_patterns, path)
    after = matcher.find(converted, path, bare_matches_anywhere=False)
    if "." not in path.rpartition("/")[0]:
        assert (before is None) == (after is None)


@given(st.lists(PATTERNS, max_size=3), PATHS)
def test_a_gitignore_matches_at_least_as_much(patterns: list[str], path: str) -> None:
    """A pattern of it that matches a folder matches all below too."""
    plain = convert_patterns(
        patterns, bare_matches_anywhere=False, expands=False, excludes=False
    )
    matcher = Matcher()
    if matcher.find(plain, path, bare_matches_anywhere=False):
        written = [*map(write_gitignore, plain)]
        assert matcher.find_as_gitignore(written, path) is not None


def test_patterns_of_a_gitignore_are_anchored() -> None:
    """Those of one name, which would match in any folder."""
    plain = ["*.ts", "src/**", "src/*.ts", "**", "**/*.ts"]
    written = ["/*.ts", "/src/**", "src/*.ts", "**", "**/*.ts"]
    assert [*map(write_gitignore, plain)] == written


def test_patterns_of_a_gitignore_are_as_every_tool_documents_them() -> None:
    """From the top, with all that is below folders."""

    def convert(*patterns: str, folder: str = "", excludes: bool = False) -> str:
        return " ".join(
            convert_gitignore(patterns, folder, expands=True, excludes=excludes)
        )

    assert convert("*.ts") == "**/*.ts"
    assert convert("/*.ts", "src/**/*.{ts,js}") == "*.ts src/**/*.ts src/**/*.js"
    assert convert("src") == "**/src **/src/**"
    assert convert("src/", "docs/**") == "**/src/** **/docs/**"
    assert convert("/src/**", "a/b/*", "*") == "src/** a/b/** **"
    assert convert("b/*/", "a/*/*", "a/**/*", "a/**/") == "b/*/** a/*/** a/** a/**/*/**"
    assert convert("./src/**", "#a", "../b", "a//b") == ""
    assert convert("*.ts", "!*.d.ts") == "**/*.ts"
    assert convert("*.ts", "!*.d.ts", excludes=True) == "**/*.ts !**/*.d.ts"
    assert convert("src/*.ts", folder="app") == "app/src/*.ts"


def test_patterns_are_as_every_tool_documents_them() -> None:
    """No slash at an end, no exclusion that the tool does not have, each once."""
    given_patterns = ["src/", "./a.ts", "/a.ts", "!b", "**/*.{ts,js}", "app/x"]
    assert convert_patterns(
        given_patterns, bare_matches_anywhere=False, expands=True, excludes=False
    ) == ("src/**", "a.ts", "**/*.ts", "**/*.js", "app/x")
    assert convert_patterns(
        ["*.ts", "app/x", "!b"],
        "app",
        bare_matches_anywhere=True,
        expands=True,
        excludes=True,
    ) == ("app/**/*.ts", "app/app/x", "app/x", "!app/**/b")


@pytest.mark.parametrize(
    ("patterns", "folder"),
    [
        (("a/**",), "a"),
        (("a/b/*.ts", "a/b/c/x.ts"), "a/b"),
        (("a/b/*.ts", "a/c/*.ts"), "a"),
        (("a/gone/*.ts",), "a"),
        (("a/*.ts", "**/*.js"), ""),
        (("a*/b/c",), ""),
        (("a",), ""),
        ((), ""),
    ],
)
def test_the_common_folder_has_every_match(
    patterns: tuple[str, ...], folder: str
) -> None:
    """The innermost that exists."""
    assert find_common_folder(patterns, {"a", "a/b", "a/c"}.__contains__) == folder


def test_a_folder_is_covered_by_the_pattern_of_all_its_files() -> None:
    """The whole project too."""
    assert covers_folder(("a/**", "b"), "a")
    assert covers_folder(("**",), "")
    assert not covers_folder(("a/*",), "a")
