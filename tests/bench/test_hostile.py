"""Repeated patterns: their texts, and the end of attempts that do not end."""

import re
from itertools import chain
from pathlib import Path

import pytest
from pygments.lexers import get_lexer_by_name

from benchmarks.hostile import lexers, patterns
from benchmarks.hostile.attempts import Subject, Trial, run
from benchmarks.hostile.inputs import CLOSING, Hostile, derive

PACKAGE = Path(patterns.__file__).parents[2] / "asdlc_kb"


def test_a_text_is_repeats_between_an_opening_and_a_closing() -> None:
    """It has at most the requested size."""
    hostile = Hostile('"', "ab", "!")
    assert hostile.make(8) == '"ababab!'
    assert len(hostile.make(9)) == 8


@pytest.mark.parametrize(
    ("pattern", "hostile"),
    [
        (r'"(?:\\.|[^"])*"', Hostile('"', "\\a", CLOSING)),
        (r"a(b|bb)+c", Hostile("a", "b", CLOSING)),
        (r"<!--.*?-->", Hostile("", "<!--a")),
        (r"x\s*y", Hostile("x", " ", CLOSING)),
    ],
)
def test_a_pattern_invites_repeats(pattern: str, hostile: Hostile) -> None:
    """Its repeated part is repeated, after its beginning."""
    assert hostile in set(derive(pattern))


def test_an_attempt_that_does_not_end_is_killed_and_the_next_is_made() -> None:
    """A match blocks the interpreter: the kernel ends its process."""
    exponential = re.compile(r"(a|aa)+$")
    trials = [Trial(Hostile("", unit, "!")) for unit in ("a", "b", "aa")]
    subject = Subject("s", trials, lambda _, text: exponential.match(text), (200,))
    (result,) = run([subject], 1)
    assert [finding.trial.hostile.unit for finding in result.findings] == ["a", "aa"]
    assert all(finding.cost.seconds == float("inf") for finding in result.findings)


def test_a_quadratic_subject_is_found_and_a_linear_one_is_not() -> None:
    """Growth is measured between sizes."""
    trials = [Trial(Hostile("", "a"))]

    def square(_: str, text: str) -> int:
        return sum(1 for _ in text for _ in text)

    def once(_: str, text: str) -> int:
        return sum(1 for _ in text)

    subjects = [
        Subject("square", trials, square, (2_000, 8_000)),
        Subject("once", trials, once, (2_000, 8_000)),
    ]
    found = {result.subject.name: bool(result.findings) for result in run(subjects, 1)}
    assert found == {"square": True, "once": False}


def test_a_lexer_that_calls_others_is_as_costly_as_they_are() -> None:
    """A table of cheap lexers names none that a text can make call others."""
    names = ("html", "markdown")
    classes = (type(get_lexer_by_name(name)) for name in names)
    html, markdown = map(lexers.find_called, classes)
    assert html == {"CssLexer", "JavascriptLexer"}
    assert "*" in markdown


def test_every_pattern_of_the_package_is_found() -> None:
    """Each local name of which one is made has a sample, at its module's path."""
    modules = PACKAGE.rglob("*.py")
    found = (patterns.find_patterns(module, PACKAGE) for module in modules)
    assert len(list(chain.from_iterable(found))) > 500
    named = {*patterns.SAMPLES, *patterns.MAX_SIZES}
    assert {name for name in named if not (PACKAGE / name).exists()} == set()


def test_patterns_are_found_with_the_functions_that_apply_them() -> None:
    """Constants, flags and names of the module count as they do at run time."""
    found = list(patterns.find_patterns(PACKAGE / "markup" / "anchors.py", PACKAGE))
    (dropped,) = (one for one in found if one.pattern.pattern == r"[^a-z0-9_ -]")
    assert dropped.functions == {"sub"}
