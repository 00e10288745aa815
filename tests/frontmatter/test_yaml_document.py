"""YAML of other programs: read as data whatever it says, within bounds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.exceptions import FrontmatterError
from asdlc_kb.frontmatter.yaml_document import (
    MAX_DOCUMENT_DEPTH,
    MAX_DOCUMENT_VALUES,
    read_yaml_document,
)


def test_tags_are_ignored_and_values_stay_as_written() -> None:
    """Tags of Python and of the environment construct nothing."""
    text = """\
name: !ENV [SITE, 'Docs']
emoji: !!python/name:material.extensions.emoji.to_svg
slugify: !!python/object/apply:os.system
  kwds: {case: lower}
version: 1.10
empty:
"""
    assert read_yaml_document(text) == {
        "name": ["SITE", "Docs"],
        "emoji": "",
        "slugify": {"kwds": {"case": "lower"}},
        "version": "1.10",
        "empty": "",
    }


def test_aliases_and_merge_keys_are_resolved() -> None:
    """A key of its own wins over a merged one."""
    text = "a: &x {p: 1, q: 2}\nb: *x\nc: {<<: *x, q: 3}\n"
    assert read_yaml_document(text) == {
        "a": {"p": "1", "q": "2"},
        "b": {"p": "1", "q": "2"},
        "c": {"p": "1", "q": "3"},
    }


def test_aliases_count_each_time_they_are_used() -> None:
    """Ten levels of ten aliases would be ten thousand million values."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    for level in range(1, 11):
        below = ", ".join([f"*a{level - 1}"] * 10)
        lines.append(f"a{level}: &a{level} [{below}]")
    with pytest.raises(FrontmatterError, match=f"{MAX_DOCUMENT_VALUES:,} values"):
        read_yaml_document("\n".join(lines))


def test_depth_is_bounded() -> None:
    """A text that would exhaust the stack is an error with its line."""
    with pytest.raises(FrontmatterError, match=f"{MAX_DOCUMENT_DEPTH} levels"):
        read_yaml_document("a: " + "[" * 100_000)


@given(st.text(st.sampled_from("ab:-&*!|>{}[],'\"\n #%@`\t?<"), max_size=60))
def test_no_text_fails_otherwise(text: str) -> None:
    """It is data, or a FrontmatterError."""
    try:
        read_yaml_document(text)
    except FrontmatterError as error:
        assert error.line >= 1
