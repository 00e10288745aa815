"""The blocks of a long text that are shown for a query."""

from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.search.query.passage import choose_blocks

WEIGHTS = {"heron": 2.0, "nest": 1.0}
BLOCKS = (
    "Reeds.\n\n",
    "A heron.\n\n",
    "A nest.\n\n",
    "Herons and nests.\n\n",
    "End.\n",
)


def choose(blocks: tuple[str, ...] | list[str], max_chars: int) -> str:
    """Return the chosen part of a text of blocks."""
    starts = list(accumulate(map(len, blocks[:-1]), initial=0))
    begin, end = choose_blocks("".join(blocks), starts, WEIGHTS, max_chars)
    return "".join(blocks)[begin:end]


@pytest.mark.parametrize(
    ("max_chars", "chosen"),
    [
        (1_000, BLOCKS),
        (30, BLOCKS[:3]),
        (19, BLOCKS[1:3]),
        (10, BLOCKS[3:4]),
    ],
)
def test_the_heaviest_run_of_blocks_is_chosen(
    max_chars: int, chosen: tuple[str, ...]
) -> None:
    """Each word counts once; the first such run. A single block may be too long."""
    assert choose(BLOCKS, max_chars) == "".join(chosen)


def test_without_a_match_the_text_is_shown_from_its_start() -> None:
    """As many blocks as fit."""
    assert choose(("One. ", "Two. ", "Three."), 11) == "One. Two. "


@given(st.lists(st.sampled_from(BLOCKS), min_size=1, max_size=12), st.integers(0, 80))
def test_a_choice_is_blocks_within_the_limit(blocks: list[str], max_chars: int) -> None:
    """A single block may be longer; none is heavier than the chosen run."""
    chosen = choose(blocks, max_chars)
    assert len(chosen) <= max_chars or chosen in BLOCKS

    def weigh(text: str) -> float:
        return sum(weight for word, weight in WEIGHTS.items() if word in text.lower())

    assert all(weigh(block) <= weigh(chosen) for block in blocks)
