"""Footnotes of a text, and the forms of their anchors."""

import re

import pytest

from asdlc_kb.markup.footnotes import find_anchors, find_footnotes
from asdlc_kb.markup.html_renderer import render

TEXT = """\
A[^b] and `[^c]` and B[^1], again[^b], none[^d].

```
[^c]
```

[^1]: One.
[^b]: B has a note[^e].
[^c]: Not referenced.

> [^e]: E.
"""


def test_footnotes_are_numbered_as_on_the_website() -> None:
    """By their first reference, in code none; one without a definition is text."""
    notes = find_footnotes(TEXT)
    assert [(note.number, note.label) for note in notes] == [
        *((1, "b"), (2, "1"), (3, "e")),
    ]
    shown = render(TEXT).text
    assert shown.count('class="footnote-item"') == len(notes)
    for note, text in zip(notes, ("B has", "One", "E"), strict=True):
        assert re.search(rf'<li id="fn{note.number}"[^>]*>\s*<p>{text}', shown)
        assert f'href="#fn{note.number}" id="fnref{note.number}"' in shown


@pytest.mark.parametrize(
    ("written", "anchor"),
    [
        *(("fn:b", "fn1"), ("fnref:b", "fnref1"), ("fn:1", "fn2"), ("fn1", "fn1")),
        *(("fnref2", "fnref2"), ("fn-e", "fn3"), ("user-content-fnref-e", "fnref3")),
    ],
)
def test_an_anchor_has_the_forms_of_other_generators(written: str, anchor: str) -> None:
    """By label, or by number as on the website."""
    assert find_anchors(TEXT)[written][0] == anchor


def test_a_text_without_footnotes_has_no_anchors() -> None:
    """Nor has a definition or a reference alone."""
    for text in ("", "a [b](c)", "a[^1]", "[^1]: a", "`[^1]`\n\n[^1]: a"):
        assert find_anchors(text) == {}
