"""Values of frontmatter."""

import pytest

from asdlc_kb.frontmatter.nodes import is_null


@pytest.mark.parametrize("text", ["", "~", "null", "Null", "NULL"])
def test_yaml_has_five_words_for_nothing(text: str) -> None:
    """YAML 1.2, section 10.3.2."""
    assert is_null(text)


@pytest.mark.parametrize("text", ["nUll", "none", "None", "0", " ", "nil"])
def test_all_other_texts_are_something(text: str) -> None:
    """A title may well be None."""
    assert not is_null(text)
