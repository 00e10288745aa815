"""References to what a page does not define."""

import pytest

from asdlc_kb.markup.dialects.cross_references import resolve_references


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("see [`User`][app.models.User] now", "see `User` now"),
        ("see [`bool`][] and [the\nenum][enum]", "see `bool` and the\nenum"),
        ("[Part][part]\n\n## P {#part}", "[Part](#part)\n\n## P {#part}"),
        ('[Part][part] <a id="part"></a>', '[Part](#part) <a id="part"></a>'),
        ("[a][x.y], [b][z]", "a, b"),
        ("[a][^1]\n\n[a]: a.md", "[a][][^1]\n\n[a]: a.md"),
    ],
)
def test_an_undefined_reference_is_a_link_in_the_page_or_its_text(
    text: str, shown: str
) -> None:
    """No brackets are left."""
    assert resolve_references(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "[a][Some Page]\n\n[some page]: a.md",
        "[a][b]\n\n  [b]: a.md",
        "[A  b][]\n\n[a b]: a.md",
        "![alt][gone]",
        "[^1][^2] and [a][^1]",
        "x[i][j] and `[a][b]` and \\[a][b]",
        "```\n[a][b]\n```",
        "[a](b) [c] [d]",
    ],
)
def test_other_brackets_are_unchanged(text: str) -> None:
    """Defined references, pictures, footnotes and code."""
    assert resolve_references(text) == text
