"""What every listing says of names, whatever the layout of the root."""

import os

import pytest

from asdlc_kb.files import listing as listing_module
from asdlc_kb.files.listing import Listing, NameRule, check_folder
from asdlc_kb.files.paths import is_name
from asdlc_kb.files.problem import Problem

RULE = NameRule(lambda name: is_name(name.removesuffix(".md")), "rename it")


def odd(path: str) -> Problem:
    """Return the problem of a name that is not served."""
    return Problem(path, 1, 1, "KB002", "the name is not served: rename it")


def twin(path: str, other: str) -> Problem:
    """Return the problem of a name with a twin."""
    message = f"differs from {other} only in case or accents: rename one"
    return Problem(path, 1, 1, "KB003", message)


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        (b"new\nline.md", "new\\nline.md"),
        (b"esc\x1b[31m.md", "esc\\x1b[31m.md"),
        (b"%41.md", "%41.md"),
        (b"a b.md", "a b.md"),
        (b"e\xcc\x81.md", "e\\u0301.md"),
        (b"\xff\xfe.md", "\\udcff\\udcfe.md"),
        ("\u202edrawkcab.md".encode(), "\\u202edrawkcab.md"),
        (b"y" * 252 + b".md", "y" * 252 + ".md"),
        (b"'quote'.md", "'quote'.md"),
    ],
)
def test_odd_names_are_reported_escaped_and_never_served(
    name: bytes, shown: str
) -> None:
    """D-072: newline, ESC, '%', NFD, odd bytes, 255 bytes."""
    found = Listing()
    names = found.select_names(["x.md", os.fsdecode(name)], RULE, "a/")
    assert list(names) == ["x.md"]
    assert found.problems == [odd(f"a/{shown}")]
    assert str(found.problems[0]).isascii() and str(found.problems[0]).isprintable()


def test_of_case_twins_the_first_is_served_and_both_are_reported() -> None:
    """D-072: two names with one casefold form: the first by path order."""
    found = Listing()
    names = [f"{name}.md" for name in ("Guide", "guide", "GUIDE", "straße", "STRASSE")]
    served = found.select_names(names, RULE, "a/")
    assert list(served) == ["GUIDE.md", "STRASSE.md"]
    assert found.problems == [
        twin("a/GUIDE.md", "Guide.md"),
        twin("a/Guide.md", "GUIDE.md"),
        twin("a/STRASSE.md", "stra\\xdfe.md"),
        twin("a/guide.md", "GUIDE.md"),
        twin("a/straße.md", "STRASSE.md"),
    ]


def test_of_accent_twins_the_composed_one_is_served() -> None:
    """D-072: only NFC is a name; its decomposed twin is reported."""
    found = Listing()
    names = found.select_names(["\u00e9.md", "e\u0301.md"], RULE, "a/")
    assert list(names) == ["\u00e9.md"]
    assert found.problems == [
        twin("a/e\\u0301.md", "\\xe9.md"),
        odd("a/e\\u0301.md"),
        twin("a/\u00e9.md", "e\\u0301.md"),
    ]


def test_each_look_judges_the_names_that_are_there_now(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Results for the same faultless names are reused, for others they are not."""
    monkeypatch.setattr(listing_module, "MAX_CACHED_FOLDERS", 1)
    for _ in range(2):
        found = Listing()
        assert list(found.select_names(["b.md", "a.md"], RULE)) == ["a.md", "b.md"]
        assert list(found.select_names(["Guide.md", "a b"], RULE)) == ["Guide.md"]
        assert found.problems == [odd("a b")]
    found = Listing()
    assert list(found.select_names(["Guide.md", "GUIDE.md"], RULE)) == ["GUIDE.md"]
    assert [problem.code for problem in found.problems] == ["KB003", "KB003"]


def test_a_folder_of_the_same_names_is_judged_under_its_own() -> None:
    """Two folders with the same names have their own problems."""
    found = Listing()
    for folder in ("b", "c"):
        assert list(found.select_names(["a b", "x"], RULE, f"{folder}/")) == ["x"]
    assert found.problems == [odd("b/a b"), odd("c/a b")]


def test_names_are_judged_by_each_rule() -> None:
    """What one rule finds faultless another may reject."""
    found, none = Listing(), NameRule(lambda name: False, "rename it")
    assert list(found.select_names(["x"], RULE)) == ["x"]
    assert not found.select_names(["x"], none)
    assert found.problems == [odd("x")]


@pytest.mark.parametrize(
    ("path", "is_served"),
    [(".", True), ("a", True), ("..data/a", True), (".git", False), ("a/.b", False)],
)
def test_a_hidden_folder_is_refused(path: str, is_served: bool) -> None:
    """Two leading dots, as of a mounted Kubernetes ConfigMap, do not hide."""
    assert (check_folder(path) is None) == is_served
