"""Directives in instructions: what a sentence demands or forbids."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.project.directives import (
    MAX_DIRECTIVES,
    read_directive,
    read_directives,
)

SUBJECTS = st.lists(
    st.sampled_from(["tabs", "default", "exports", "the", "logger", "main", "x.y"]),
    min_size=1,
    max_size=4,
).map(" ".join)
DEMANDS = ["Use {}", "Always use {}", "Prefer {}", "You must always use {}", "USE {}."]
BANS = [
    *("Never use {}", "Do not use {}", "Don't use {}", "Don\u2019t {}", "Avoid {}!"),
    *("You should never use {}", "avoid using {}", "Must not use {}", "AVOID {}"),
]
MARKS = ["{}", "**{}**", "*{}*", "  {}  "]


@given(SUBJECTS, st.sampled_from(DEMANDS), st.sampled_from(MARKS))
def test_a_demand_is_read_whatever_its_form(subject: str, form: str, mark: str) -> None:
    """Case, emphasis, verb and full stop do not count."""
    assert read_directive(mark.format(form.format(subject))) == (subject, True)


@given(SUBJECTS, st.sampled_from(BANS), st.sampled_from(MARKS))
def test_a_prohibition_is_read_whatever_its_form(
    subject: str, form: str, mark: str
) -> None:
    """Both have the same subject."""
    assert read_directive(mark.format(form.format(subject))) == (subject, False)


@pytest.mark.parametrize(
    "sentence",
    [
        *("", "Tabs.", "The user must always agree", "Used by tools", "Prefers tabs"),
        *("Use it", "Never use this", "Use tabs only in Makefiles", "Use these:"),
        *(
            "Use tabs unless a file has spaces",
            "~~Use tabs~~",
            "\u274c Use tabs",
            "Use",
        ),
        *(f"Use {'x' * 200}", "Note: use tabs", "Do use tabs"),
    ],
)
def test_what_depends_on_other_text_is_no_directive(sentence: str) -> None:
    """Conditions, references, labels and struck text."""
    assert read_directive(sentence) is None


def test_directives_of_a_text_are_its_unconditional_sentences() -> None:
    """Items and the beginnings of paragraphs."""
    text = """\
# Style

Use tabs. Never use globals. It is simpler. Use magic.

- Prefer `const`
  over and over
1. Avoid default exports.

> Use quotes.

```
Use code.
```
<!-- Use comments. -->
"""
    assert read_directives(text) == {
        "tabs": True,
        "globals": False,
        "const over and over": True,
        "default exports": False,
    }


@pytest.mark.parametrize(
    "text",
    [
        "## For tests\n- Use tabs",
        "## Bad\n\nUse tabs",
        "**Don't**\n- Use tabs",
        "In Makefiles:\n- Use tabs",
        "In Makefiles:\n\nUse tabs",
        "**When in doubt:**\n\n- x\n- Use tabs",
        "- Makefiles\n  - Use tabs",
        "Use tabs\n\nNever use tabs",
        "| Use tabs |",
    ],
)
def test_directives_below_a_condition_do_not_count(text: str) -> None:
    """Nor those that the text itself contradicts."""
    assert read_directives(text) == {}


def test_a_condition_ends_with_its_list() -> None:
    """The next paragraph, item or section is on its own."""
    text = "For YAML:\n- Use tabs\n\nUse spaces\n- Avoid x:\n  - Use y\n- Avoid z\n"
    assert read_directives(text) == {"spaces": True, "x": False, "z": False}


@given(st.text(alphabet="#-* \n:.`aUseNvr'\u2019<>|1)~", max_size=400))
def test_any_text_is_read(text: str) -> None:
    """No exception, and subjects without marks of their own."""
    assert all(subject.strip() == subject for subject in read_directives(text))


@pytest.mark.parametrize(
    "text",
    [
        "Use " * 100_000,
        "- Use *" * 50_000,
        "Never use `" * 50_000,
        ". Use x" * 50_000,
        "".join(f"- Use x{number}\n" for number in range(100_000)),
        " " * 500_000,
    ],
)
def test_a_crafted_text_is_bounded(text: str) -> None:
    """In time and in number."""
    begin = time.process_time()
    assert len(read_directives(text)) <= MAX_DIRECTIVES
    assert time.process_time() - begin < 2
