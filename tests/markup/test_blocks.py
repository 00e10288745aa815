"""Fenced code, skipped HTML and headings, found line by line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.markup.blocks import (
    AT_MARGIN,
    NESTED,
    BlockScanner,
    FenceTracker,
    LineKind,
    choose_fence,
    find_fenced,
    find_heading_ends,
    find_headings,
    read_heading,
)

LETTERS = {
    LineKind.TEXT: "t",
    LineKind.FENCE: "f",
    LineKind.CODE: "c",
    LineKind.HTML: "h",
}


def kinds_of(text: str, scanner: BlockScanner | FenceTracker | None = None) -> str:
    """Return the kinds of a text's lines, one letter each."""
    scanner = scanner or BlockScanner()
    return "".join(LETTERS[scanner.classify(line)] for line in text.split("\n"))


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("a\n```\n# b\n```\nc", "tfcft"),
        ("a\n~~~ sh\n```\n~~~\nc", "tfcft"),
        ("````\n```\n``` x\n`````  \nc", "fccft"),
        ("```\nnever closed", "fc"),
        ("a ``` b\n```x``` is a span\n~~~ a`b\nc", "ttfc"),
        ("- ```sh\n  # b\n  ```\nc", "fcft"),
        ("1. ```sh\n   # b\n   ```\nc", "fcft"),
        ("> ```\n> b\n> ```\nc", "fcft"),
        ("```\n- ```\n```\nc", "fcft"),
    ],
)
def test_code_begins_and_ends_with_a_fence(text: str, kinds: str) -> None:
    """A fence ends with its own character, at least as long, with nothing after it."""
    assert kinds_of(text) == kinds
    assert kinds_of(text, FenceTracker(NESTED)) == kinds


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("a\n<!-- b\nc -->\nd", "thht"),
        ("<!-- b -->\n<!-->\nd", "hht"),
        ("<!-- never closed\n```", "hh"),
        ("```\n<!--\n```\nb", "fcft"),
        ("<SCRIPT src=x>\n# b\n</script >\nd", "hhht"),
        ("<style>\n</styles>\n</style>\nd", "hhht"),
        ("<scripted>\na <!-- b", "tt"),
    ],
)
def test_comments_scripts_and_styles_are_apart(text: str, kinds: str) -> None:
    """From the line with the start to the line with the end."""
    assert kinds_of(text) == kinds


def test_names_of_tags_have_ascii_letters_only() -> None:
    """A long s is the same letter for a pattern that ignores case."""
    scanner = BlockScanner()
    assert scanner.classify("<\N{LATIN SMALL LETTER LONG S}cript>") is LineKind.TEXT
    assert scanner.classify("<STYLE>") is LineKind.HTML
    assert scanner.classify("</\N{LATIN SMALL LETTER LONG S}tyle>") is LineKind.HTML
    assert scanner.is_open


def test_the_text_behind_a_comment_is_known() -> None:
    """It is text, on a line that began as a comment."""
    scanner = BlockScanner()
    rests = []
    for line in ("<!-- a", "b", "c --> d", "<!-- e -->"):
        assert scanner.classify(line) is LineKind.HTML
        rests.append(scanner.rest)
    assert rests == ["", "", " d", ""]
    assert not scanner.is_open


def test_at_the_margin_lists_and_quotations_are_text() -> None:
    """Where the containers of a line are unknown, only the margin is certain."""
    text = "- ```\n> ~~~\n    ```\n   ```\nb\n~~~\n```"
    assert kinds_of(text, FenceTracker(AT_MARGIN)) == "tttfccf"


@given(st.lists(st.sampled_from(["```", "~~~ x", "``` a`b", "    ```", "a", ""])))
def test_ranges_of_code_are_its_lines(lines: list[str]) -> None:
    """Both readers agree, for any text."""
    text = "\n".join(lines)
    tracker = FenceTracker(AT_MARGIN)
    coded = [line for line in lines if tracker.classify(line) is not LineKind.TEXT]
    blocks = [text[start:end].split("\n") for start, end in find_fenced(text)]
    assert [line for block in blocks for line in block] == coded


@pytest.mark.parametrize(
    ("line", "heading"),
    [
        ("# A", (1, "A")),
        ("   ###### B ##", (6, "B")),
        ("## C#", (2, "C#")),
        ("#", (1, "")),
        ("# ##", (1, "")),
        ("#A", None),
        ("####### A", None),
        ("    # A", None),
        ("A", None),
    ],
)
def test_a_heading_has_number_signs(line: str, heading: tuple[int, str] | None) -> None:
    """As CommonMark defines an ATX heading."""
    assert read_heading(line) == heading
    found = [(6, *heading)] if heading else []
    assert list(find_headings(f"above\n{line}\nbelow")) == found


def test_a_heading_may_end_with_an_underline() -> None:
    """Each end is that of a line, its line end included."""
    text = "a\n===\n#\n# b\n#c\nd\n- - -\n   -\ne"
    ends = [text[:end].rstrip("\n").split("\n")[-1] for end in find_heading_ends(text)]
    assert ends == ["===", "# b", "   -"]


@pytest.mark.parametrize(
    ("code", "fence"),
    [
        ("x", "```"),
        ("a ``b``", "```"),
        ("```\nx\n```", "````"),
        ("`" * 50_000, "`" * 50_001),
    ],
)
def test_a_fence_is_longer_than_any_in_its_code(code: str, fence: str) -> None:
    """Also for code of nothing but backquotes, without a search for each length."""
    assert choose_fence(code) == fence
