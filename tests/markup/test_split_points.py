"""Points where a Markdown text may be split."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.markup.heading_scanner import MAX_EXACT_CHARACTERS
from asdlc_kb.markup.split_points import SplitPoint, find_split_points

TEXT = """\
# Title

Some text
of two lines.

- one
- two
  more

```
code
code
```

## Next

    indented
    code
"""


def cut(text: str, size: int) -> list[str]:
    """Return a text in pieces."""
    borders = find_split_points(text)
    pieces, at = [], 0
    while at < len(text):
        end = borders.find_end(at, size)
        pieces.append(text[at:end])
        at = end
    return pieces


def test_every_line_says_what_begins_there() -> None:
    """Headings, blocks, items, lines, and lines of code."""
    borders = find_split_points(TEXT)
    named = dict(
        zip(
            (TEXT[s:].split("\n")[0] for s in borders.starts),
            borders.kinds,
            strict=True,
        )
    )
    assert named["# Title"] == named["## Next"] == SplitPoint.SECTION
    assert named["Some text"] == named["- one"] == SplitPoint.BLOCK
    assert named["- two"] == SplitPoint.ITEM
    assert named["of two lines."] == named["  more"] == SplitPoint.LINE
    assert named["code"] == named["    code"] == SplitPoint.CODE


@pytest.mark.parametrize(
    ("size", "first"),
    [
        (len(TEXT) - 1, TEXT[: TEXT.index("## Next")]),
        (TEXT.index("## Next"), TEXT[: TEXT.index("## Next")]),
        (TEXT.index("## Next") - 1, TEXT[: TEXT.index("```")]),
        (TEXT.index("- two") + 1, TEXT[: TEXT.index("- one")]),
    ],
)
def test_the_best_border_is_taken(size: int, first: str) -> None:
    """A section's before a paragraph's before a line's, in the later half."""
    assert cut(TEXT, size)[0] == first


def test_code_is_cut_only_where_it_is_too_long() -> None:
    """Never inside a fence if avoidable: a short piece before it is better."""
    text = "Text.\n\n```\n" + "code\n" * 10 + "```\n"
    assert cut(text, 60)[0] == "Text.\n\n"
    assert cut(text, 40)[:2] == ["Text.\n\n", "```\n" + "code\n" * 7]


def test_the_head_of_a_table_stays_with_its_first_row() -> None:
    """Names of columns without a row say nothing."""
    table = "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n"
    text = "Text.\n\n" + table
    assert cut(text, 30)[:2] == ["Text.\n\n", table[: table.index("| 3")]]
    assert cut("- x\n\n  " + table.replace("\n|", "\n  |"), 34)[0] == "- x\n\n"


def test_a_line_that_is_too_long_is_cut_anywhere() -> None:
    """It makes progress without any border."""
    assert cut("x" * 25, 10) == ["x" * 10, "x" * 10, "x" * 5]


@given(
    st.text(alphabet="# -`~*>x1.\n\r\t|\0é", max_size=300),
    st.integers(min_value=1, max_value=90),
)
def test_pieces_joined_are_the_text(text: str, size: int) -> None:
    """Nothing is lost or repeated, and no piece is too long or empty."""
    pieces = cut(text, size)
    assert "".join(pieces) == text
    assert all(0 < len(piece) <= size for piece in pieces)


@given(
    st.lists(
        st.sampled_from(["Text.\n\n", "## H\n\n", "- a\n- b\n\n", "F"]), max_size=30
    )
)
def test_no_short_fence_is_cut(blocks: list[str]) -> None:
    """Whatever is around it."""
    fence = "```\na\nb\nc\n```\n\n"
    text = "".join(fence if block == "F" else block for block in blocks)
    for piece in cut(text, 40):
        assert piece.count("```") % 2 == 0


LONG = "# One\n\ntext\nmore\n\n```\n# no\n\ncode\n```\n\n## Two\n\n- a\n- b\n\n"


def test_a_long_text_is_cut_where_it_looks_best() -> None:
    """Sections, blocks and code are those of the grammar."""
    text = LONG * (MAX_EXACT_CHARACTERS // len(LONG) + 1)
    rough, exact = find_split_points(text), find_split_points(LONG)
    kinds = rough.kinds[: len(exact.kinds) - 1]
    for line, (seen, known) in enumerate(zip(kinds, exact.kinds, strict=False)):
        if known in (SplitPoint.SECTION, SplitPoint.CODE):
            assert seen == known, LONG.split("\n")[line]
        if seen == SplitPoint.CODE:
            assert known == SplitPoint.CODE
    assert rough.starts == [0, *(at + 1 for at, c in enumerate(text) if c == "\n")]


def test_the_parts_of_a_long_text_are_the_text() -> None:
    """For any text, each part ends somewhere."""
    text = "- a\r\n" * MAX_EXACT_CHARACTERS
    borders, at = find_split_points(text), 0
    while at < len(text):
        end = borders.find_end(at, 50_000)
        assert at < end <= at + 50_000
        at = end
