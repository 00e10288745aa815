"""Marks of what was generated: found again, and edits of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.exceptions import UnreadableFile
from asdlc_kb.project.sync.marks import (
    find_block,
    find_mark,
    has_block_lines,
    is_same_text,
    mark_block,
    mark_file,
    remove_blocks,
    replace_block,
)

FILE = mark_file("---\na: b\n---\n", "Text.\n", "cursor", ".cursor/rules/a.mdc")
BLOCK = mark_block("Text.\n", "cursor")


def test_a_generated_file_names_its_source() -> None:
    """Below the frontmatter, for the people who open it."""
    assert FILE.splitlines()[3].startswith(
        "<!-- Generated from cursor by asdlc-kb rules sync: "
        "edit '.cursor/rules/a.mdc' instead. "
    )
    mark = find_mark(FILE)
    assert mark is not None
    assert (mark.source, mark.is_edited) == ("cursor", False)
    assert find_mark("Text.\n") is None
    strange = find_mark(mark_file("", "T\n", "cursor", "a --> b"))
    assert strange is not None
    assert not strange.is_edited


@pytest.mark.parametrize(
    "edited",
    [
        FILE.replace("Text", "Test"),
        FILE.replace("a: b", "a: c"),
        FILE + "more\n",
        f"before\n{FILE}",
    ],
)
def test_an_edit_of_a_generated_file_is_seen(edited: str) -> None:
    """Anywhere in it."""
    mark = find_mark(edited)
    assert mark is not None
    assert mark.is_edited


@pytest.mark.parametrize("text", [FILE, BLOCK])
def test_other_line_ends_are_no_edit(text: str) -> None:
    """Git may convert them."""
    converted = text.replace("\n", "\r\n")
    assert is_same_text(text, converted)
    mark, block = find_mark(converted), find_block(converted, "cursor")
    assert (mark or block) is not None
    assert not (mark is not None and mark.is_edited)
    assert not (block is not None and block.is_edited)


@given(st.text(max_size=40), st.text(max_size=40))
def test_the_text_around_a_block_stays_as_it_is(before: str, after: str) -> None:
    """Byte for byte: added, changed, and removed again."""
    added = replace_block(before, None, BLOCK)
    block = find_block(added, "cursor")
    assert block is not None
    assert not block.is_edited
    assert added == (f"{before}\n{BLOCK}" if before else BLOCK)
    assert replace_block(added, block, "") == before
    moved = f"{before}\n{BLOCK}{after}"
    block = find_block(moved, "cursor")
    assert block is not None
    new = mark_block("Other.\n", "cursor")
    assert replace_block(moved, block, new) == f"{before}\n{new}{after}"
    if after:
        assert replace_block(moved, block, "") == f"{before}\n{after}"


def test_blocks_of_several_sources_are_apart() -> None:
    """One of each; an edited one is known as such."""
    text = f"A\n{BLOCK}" + mark_block("Other.\n", "claude")
    for source in ("cursor", "claude"):
        block = find_block(text, source)
        assert block is not None
        assert not block.is_edited
    assert find_block(text, "gemini") is None
    edited = find_block(text.replace("Other", "Ours"), "claude")
    assert edited is not None
    assert edited.is_edited
    assert remove_blocks(text) == "A\n"
    assert has_block_lines(text)
    assert has_block_lines(FILE)
    assert not has_block_lines("A\n<!-- a comment -->\n")


@pytest.mark.parametrize(
    "damaged",
    [
        BLOCK + BLOCK,
        BLOCK.splitlines()[0] + "\n",
        BLOCK.splitlines()[-1] + "\n",
        BLOCK.replace("block. ", "block. x"),
    ],
)
def test_a_damaged_block_is_refused(damaged: str) -> None:
    """What is generated in it is not known any more."""
    with pytest.raises(UnreadableFile, match="generated block"):
        find_block(damaged, "cursor")
