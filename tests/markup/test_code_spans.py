"""Code spans and escaped characters, set aside while a text is changed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.markup.code_spans import STORED, mask_code, store_code


@pytest.mark.parametrize(
    ("text", "bare", "content"),
    [
        ("a `b` c", "a \0000\0 c", ["b"]),
        ("``a ` b`` `", "\0000\0 `", ["a ` b"]),
        (r"\*a\*", "\0000\0a\0001\0", ["*", "*"]),
        ("no code", "no code", []),
    ],
)
def test_code_is_set_aside(text: str, bare: str, content: list[str]) -> None:
    """A run of backquotes that nothing closes is text."""
    stored: list[str] = []
    assert store_code(text, stored) == bare
    assert stored == content


@given(st.text("a`\\* \n", max_size=80))
def test_the_stored_marks_give_the_text_again(text: str) -> None:
    """Whatever the text is."""
    stored: list[str] = []
    bare = store_code(text, stored, has_marks=True)
    assert STORED.sub(lambda match: stored[int(match[1])], bare) == text


@given(st.text("a`\\* \n", max_size=80))
def test_masked_code_keeps_every_position(text: str) -> None:
    """What is outside of code is found where it was."""
    masked = mask_code(text)
    assert [len(line) for line in masked.split("\n")] == [
        len(line) for line in text.split("\n")
    ]
    assert mask_code("a `b` c") == "a     c"
