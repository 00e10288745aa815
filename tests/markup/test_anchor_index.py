"""Anchors of a page, in the forms of several generators."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.markup.anchor_index import MAX_ANCHOR_CHARS, AnchorIndex

INDEX = AnchorIndex(
    (
        *("steps", "steps-1", "1-intro", "größe-und-zahl", "a---b", "Mixed", "api-v2"),
        *("x-y", "xy", "", "v1"),
    )
)


@pytest.mark.parametrize(
    ("written", "anchor"),
    [
        *(("steps", "steps"), ("steps_1", "steps-1"), ("STEPS", "steps")),
        *(("intro", "1-intro"), ("_1-intro", "1-intro"), ("mixed", "Mixed")),
        *(
            ("a-b", "a---b"),
            ("grosse-und-zahl", None),
            ("groe-und-zahl", "größe-und-zahl"),
        ),
        ("größe_und_zahl", "größe-und-zahl"),
        *(("api_v2", "api-v2"), ("x-y", "x-y"), ("x_y", None), ("none", None)),
        *(("", None), ("-", None), ("x" * (MAX_ANCHOR_CHARS + 1), None)),
    ],
)
def test_an_anchor_means_one_heading_or_none(written: str, anchor: str | None) -> None:
    """As it is, or else the only one with its letters and digits."""
    assert INDEX.find(written) == anchor


def test_accents_may_be_left_out() -> None:
    """Python-Markdown drops them."""
    assert AnchorIndex(("café-crème",)).find("cafe-creme") == "café-crème"


def test_a_near_anchor_is_suggested() -> None:
    """The most similar one, if any is."""
    assert INDEX.describe_missing("stepz", "here") == (
        "no heading here has the anchor '#stepz': did you mean '#steps'?"
    )
    assert (
        AnchorIndex(["incode"])
        .describe_missing("nope", "here")
        .endswith("'#nope': name a heading")
    )
    assert INDEX.describe_missing("quite another", "in 'a'") == (
        "no heading in 'a' has the anchor '#quite another': name a heading"
    )


@given(st.lists(st.text("aB1-_é", max_size=6)), st.text("aB1-_é", max_size=6))
def test_only_anchors_of_the_page_are_found(anchors: list[str], written: str) -> None:
    """One that is there always means itself."""
    index = AnchorIndex(anchors)
    found = index.find(written)
    assert found is None or found in anchors
    if written and written in anchors:
        assert found == written
