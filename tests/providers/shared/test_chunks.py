"""A text that is too large for one result comes in chunks, its outline first."""

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET, UnsetType

from asdlc_kb.markup.sections import split_sections
from asdlc_kb.mcp.protocol.errors import ToolFailure
from asdlc_kb.providers.shared.chunks import (
    Chunk,
    OutlineEntry,
    cut_chunk,
    describe_chunk,
    show_chunk,
    show_outline,
)
from asdlc_kb.providers.shared.size_budget import MIN_CHARS, SizeBudget

CODE = "code\n" * 30
PAGE = "# Title\n\nIntro.\n\n" + "".join(
    f"## Section {number}\n\n{'Some words. ' * 40}\n\n### Detail\n\n```\n{CODE}```\n\n"
    for number in range(8)
)


def take(
    text: str,
    max_chars: int,
    cursor: str | UnsetType = UNSET,
    *,
    is_json: bool = False,
) -> Chunk:
    """Return a part of a text, whose outline is its own, for an answer of a size."""
    sections = partial(split_sections, text)
    return cut_chunk(text, cursor, sections, SizeBudget(max_chars, is_json))


def outline_of(part: Chunk) -> tuple[OutlineEntry, ...]:
    """Return the outline of a part, without entries if it has none."""
    return () if isinstance(part.outline, UnsetType) else part.outline


def parts_of(text: str, max_chars: int) -> list[Chunk]:
    """Return all chunks of a text, each requested with the cursor before."""
    parts = [take(text, max_chars)]
    while cursor := parts[-1].next_cursor:
        parts.append(take(text, max_chars, cursor))
    return parts


def test_a_text_that_fits_is_whole() -> None:
    """Nothing is added to it."""
    part = take(PAGE, len(PAGE))
    assert part.is_whole
    assert show_chunk(part) == PAGE
    assert not describe_chunk(part)


def test_the_first_part_begins_with_the_outline() -> None:
    """Headings with anchors and sizes; deeper ones count in those above."""
    first, second, *_ = parts_of(PAGE, 4_000)
    assert first.text.startswith("# Title\n\nIntro.\n")
    outline = outline_of(first)
    headings = [(e.heading, e.anchor, e.level) for e in outline[:4]]
    assert headings == [
        ("Title", "title", 1),
        ("Section 0", "section-0", 2),
        ("Detail", "detail", 3),
        ("Section 1", "section-1", 2),
    ]
    assert not first.omitted
    assert outline[0].characters == len(PAGE)
    one = PAGE[PAGE.index("## Section 1") : PAGE.index("## Section 2")]
    assert outline[3].characters == len(one)
    shown = show_chunk(first)
    assert shown.startswith(
        f"Outline:\n\n- Title (#title, {len(PAGE):,} characters)\n  - Section 0 (#"
    )
    assert shown.endswith(f"\n\n---\n\n{first.text}")
    assert describe_chunk(first, "Or so.") == (
        f"Characters 1 to {first.end:,} of {len(PAGE):,}.",
        f'Next: cursor "{first.next_cursor}".',
        "Or so.",
    )
    assert (second.outline, second.start) == (UNSET, first.end)
    assert show_chunk(second) == second.text


def test_the_last_part_says_that_it_is() -> None:
    """A client knows when it has all."""
    last = parts_of(PAGE, 3_000)[-1]
    assert last.end == last.total == len(PAGE)
    (note,) = describe_chunk(last, "Or so.")
    assert note.endswith(f" to {len(PAGE):,} of {len(PAGE):,}. This is the last part.")


def test_sections_are_not_cut_where_they_fit() -> None:
    """A chunk ends with a section or a paragraph, never inside a fence."""
    for part in parts_of(PAGE, 2_500):
        assert part.text.count("```") % 2 == 0
        assert part.text.endswith("\n\n")


def test_an_outline_without_end_is_cut() -> None:
    """Ten thousand headings of one level are not all listed."""
    text = "## Heading\n" * 10_000
    part = take(text, MIN_CHARS)
    assert len(outline_of(part)) + part.omitted == 10_000
    assert len(show_chunk(part)) <= MIN_CHARS


def test_lower_levels_are_left_out_first() -> None:
    """With their number; the others keep their anchors and sizes."""
    part = take(PAGE, 2_000)
    assert {entry.level for entry in outline_of(part)} == {1, 2}
    assert all(entry.anchor and entry.characters for entry in outline_of(part))
    assert (len(outline_of(part)), part.omitted) == (9, 8)


def test_of_a_level_that_does_not_fit_the_first_sections_are_listed() -> None:
    """With the number of the others: an outline of the title alone leads nowhere."""
    options = "".join(
        f"## option_{n:02}\n\n{'Words. ' * 30}\n\n### Example\n\n" for n in range(60)
    )
    part = take(f"# Options\n\n{options}## Last\n", 3_000)
    outline = show_outline(outline_of(part))
    assert outline.startswith("- Options\n  - option_00\n  - option_01\n")
    assert "Example" not in outline
    assert 650 < len(outline) <= 750
    assert part.omitted == 122 - len(outline_of(part))
    assert f"{outline}\n- … {part.omitted} more\n\n---\n\n# Opt" in show_chunk(part)


def test_the_outline_takes_its_room_from_the_first_part() -> None:
    """Whatever surrounds a chunk, the result stays within its limit."""
    text = "".join(f"## Heading {n}\n" for n in range(15)) + "some words\n" * 900
    first = take(text, 3_000)
    assert len(show_outline(outline_of(first))) > 600
    assert 2_900 - 300 < len(show_chunk(first)) <= 3_000


@pytest.mark.parametrize("other", [PAGE + "more", PAGE.replace("Intro", "Other"), "x"])
def test_a_cursor_of_another_text_is_refused(other: str) -> None:
    """D-011: the page changed meanwhile: a clear tool error, not a wrong chunk."""
    cursor = take(PAGE, 3_000).next_cursor
    with pytest.raises(ToolFailure, match="Invalid cursor"):
        take(other, 3_000, cursor)


@given(
    st.lists(
        st.sampled_from(
            ["# A\n\n", "### B\n", "Word " * 60 + "\n\n", "```\n", "- x\n", "é" * 700]
        ),
        max_size=60,
    ),
    st.integers(min_value=MIN_CHARS, max_value=4_000),
)
def test_parts_joined_are_the_text(blocks: list[str], max_chars: int) -> None:
    """Nothing is lost or repeated, and no result exceeds its limit."""
    text = "".join(blocks)
    parts = parts_of(text, max_chars)
    assert "".join(part.text for part in parts) == text
    for part in parts:
        assert len(show_chunk(part)) <= max_chars
        assert part.text or not text
    if len(parts) > 1:
        assert len(show_outline(outline_of(parts[0]))) <= max_chars // 4


@pytest.mark.parametrize("text", ['"quoted" ' * 300, "\\n\n" * 900, PAGE])
@pytest.mark.parametrize("chars", [1_500, 3_000, 5_000])
def test_a_part_fits_the_size_that_is_left(text: str, chars: int) -> None:
    """An escape is two characters of JSON."""
    whole, part = "", take(text, chars, is_json=True)
    while True:
        assert SizeBudget(chars).spend(part.text).chars >= 0 or len(part.text) <= 500
        whole += part.text
        if not (cursor := part.next_cursor):
            break
        part = take(text, chars, cursor, is_json=True)
    assert whole == text


def test_a_part_without_any_size_left_goes_on() -> None:
    """An answer of nothing would be the end of the text."""
    first = take(PAGE, 0)
    assert first.text and first.next_cursor
    assert take("x" * (MIN_CHARS // 2), -100).is_whole
