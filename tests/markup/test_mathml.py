"""The MathML that a text may have."""

import pytest

from asdlc_kb.markup.html_renderer import render
from asdlc_kb.markup.mathml import ATTRIBUTES, TAGS, is_value


@pytest.mark.parametrize(
    "value", ["", "true", "normal", "1em", "-0.17em", "#f00", "50%"]
)
def test_words_colours_and_short_lengths_are_values(value: str) -> None:
    """What converters write."""
    assert is_value(value)


@pytest.mark.parametrize(
    "value", ["999em", "1em;x", "url(x)", "javascript:x", "a b c d e f g", "\n", "A"]
)
def test_other_values_are_removed(value: str) -> None:
    """What could draw elsewhere, or load something."""
    assert not is_value(value)
    shown = render(f'<math><mspace width="{value}"></mspace></math>').text
    assert "width" not in shown


def test_only_presentation_elements_are_shown() -> None:
    """No annotations, actions, pictures or links."""
    assert not TAGS & {"annotation", "annotation-xml", "maction", "mglyph", "semantics"}
    assert not any("href" in names or "style" in names for names in ATTRIBUTES.values())
    shown = render("<math><mi href=x>a</mi><maction>b</maction></math>").text
    assert shown == "<p><math><mi>a</mi>b</math></p>\n"
