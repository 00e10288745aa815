"""Labels of MyST, to which any page can link."""

from asdlc_kb.markup.dialects.myst import MYST
from asdlc_kb.markup.dialects.myst_labels import find_labels
from asdlc_kb.markup.dialects.source import Output
from asdlc_kb.markup.dialects.translator import translate


def test_labels_stand_above_blocks_and_in_options() -> None:
    """Also in directives; each is a place on the website."""
    text = (
        "(A-b)=\n# H\n\n:::{note}\n:name: c\n(d:e)=\n\n## I\n:::\n\n"
        "```{code-block} py\n---\nlabel: f\n---\n(no)=\n```\n\n"
        ":::{tip #g .x}\n\ny\n:::\n\n```{math}\n:label: h\nx\n```\n"
    )
    found = [*find_labels(text)]
    assert found == ["a-b", "c", "d:e", "f", "g", "h"]
    shown = translate(text, MYST, Output.HTML)
    assert all(f'<a id="{label}"></a>' in shown for label in found)


def test_labels_in_code_are_none() -> None:
    """Unlike the text of a directive, examples show marks."""
    code = "(a)=\n:::{note}\n:name: b\n:::\n"
    assert not [*find_labels(f"```\n{code}```\n~~~{{code}} md\n{code}~~~\n")]
    assert [*find_labels(f"````\n{code}```\n````\n(c)=\n")] == ["c"]
