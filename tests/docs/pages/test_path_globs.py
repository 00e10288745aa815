"""Glob patterns of paths."""

import pytest

from asdlc_kb.docs.pages.path_globs import MAX_ALTERNATIVES, MAX_CHARS, match_glob


@pytest.mark.parametrize(
    ("pattern", "matching", "others"),
    [
        ("/t2/**", ("/t2/a", "/t2/a/b", "/T2/A"), ("/t2", "/t22/a", "/x/t2/a")),
        ("/t2**", ("/t2", "/t2/a", "/t22"), ("/x/t2",)),
        ("{/a,/a/**}", ("/a", "/a/b/c"), ("/ab", "/b")),
        ("/{a,{b,c}}/*", ("/a/x", "/c/x"), ("/a/x/y", "/d/x", "/a")),
        ("/?/[a-c]", ("/x/b",), ("/xx/b", "/x/d", "///b")),
        ("/[!a]b", ("/xb",), ("/ab",)),
        ("**/b/**", ("/a/b/c",), ("/a/c",)),
        (r"/\*.md", ("/*.md",), ("/a.md",)),
    ],
)
def test_a_pattern_matches_a_whole_path(
    pattern: str, matching: tuple[str, ...], others: tuple[str, ...]
) -> None:
    """Stars match within a name, two of them anywhere."""
    assert [match_glob(pattern, each) for each in matching] == [True] * len(matching)
    assert [match_glob(pattern, each) for each in others] == [False] * len(others)


def test_a_pattern_beyond_the_limits_is_not_evaluated() -> None:
    """Nor one with a range that is none."""
    too_many = "{a,b}" * MAX_ALTERNATIVES
    for pattern in ("a" * (MAX_CHARS + 1), too_many, "[z-a]"):
        assert match_glob(pattern, "/a") is None


def test_many_stars_cost_no_backtracking() -> None:
    """Each character is looked at once for each part of the pattern."""
    assert match_glob("**a" * 100 + "b", "a" * 2_000) is False
