"""Paths in URIs and web addresses; titles in one case."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cpu_time import bounded_cpu_time

from asdlc_kb.unicode.written_paths import (
    MAX_TITLE_CHARS,
    find_titled,
    fold_title,
    index_titles,
    read_paths,
)

PREFIX = "kb://doc/"


@pytest.mark.parametrize(
    ("written", "paths"),
    [
        ("a/b.md", ["a/b.md"]),
        (" a/b.md\n", ["a/b.md"]),
        ("C# and F#", ["C# and F#", "C"]),
        ("a%20b.md", ["a%20b.md"]),
        ("kb://doc/a%20b.md", ["a b.md"]),
        ("kb://doc/a.md#part", ["a.md"]),
        ("kb://other/a.md", ["kb://other/a.md"]),
        ("https://example.org/docs/a%20b/?x=1#y", ["/docs/a b/"]),
        ("HTTP://example.org", [""]),
        ("http://[", []),
        ("", [""]),
    ],
)
def test_the_path_is_what_identifies_a_file(written: str, paths: list[str]) -> None:
    """Only URIs and web addresses are decoded: a path is as it is on disk."""
    assert list(read_paths(written, PREFIX)) == paths


@given(st.text())
def test_any_text_is_read(written: str) -> None:
    """It comes from a client."""
    assert len(list(read_paths(written, PREFIX))) <= 2
    assert len(fold_title(written)) <= 3 * MAX_TITLE_CHARS


def test_a_title_is_compared_without_case_and_line_breaks() -> None:
    """As models copy it from a text."""
    assert fold_title(" Context \n ROT") == "context rot"


def test_a_title_leads_to_each_name_that_has_it_once() -> None:
    """In their order; an empty title leads to none."""
    pairs = (("One", "a"), ("Two", "b"), ("ONE", "c"), ("one", "a"), (" ", "d"))
    titles = index_titles(pairs)
    assert find_titled(titles, "one ") == ("a", "c")
    assert find_titled(titles, "Two") == ("b",)
    assert find_titled(titles, "") == find_titled(titles, "three") == ()


def test_many_names_can_share_a_title() -> None:
    """In linear time: 200,000 pages may be called "Overview"."""
    with bounded_cpu_time():
        titles = index_titles(("Overview", f"{number}.md") for number in range(200_000))
    assert len(find_titled(titles, "overview")) == 200_000
