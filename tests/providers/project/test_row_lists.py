"""Several lists in one result, each cut to as many rows as fit it together."""

from asdlc_kb.providers.project.row_lists import (
    MAX_ROWS,
    RowLists,
    TruncatedRow,
    describe_truncated,
)


def test_every_list_gets_the_same_number_of_rows() -> None:
    """As many as fit; a short list is whole."""
    lists = RowLists({"a": ["x" * 7] * 10, "b": ["x" * 7] * 2})
    # A row has ten characters with its quotes and its separator.
    assert lists.measure(1) == 20
    assert lists.measure(10) == 120
    assert lists.count_fitting(120) == MAX_ROWS
    assert lists.count_fitting(119) == 9
    assert lists.count_fitting(59) == 3
    assert lists.count_fitting(19) == 0
    assert lists.cut(3) == {"a": ("x" * 7,) * 3, "b": ("x" * 7,) * 2}
    assert lists.list_truncated(3) == [TruncatedRow("a", 3, 10)]
    assert lists.list_truncated(10) == []


def test_a_sentence_says_what_was_left_out() -> None:
    """With the tools that have the rest."""
    rows = [TruncatedRow("skills", 45, 1_402), TruncatedRow("agents", 45, 60)]
    assert describe_truncated(rows, {"skills": "list_skills"}) == (
        "Shown: 45 of 1,402 skills, 45 of 60 agents. "
        "The rest: list_skills or a larger max_chars.",
    )
    assert describe_truncated([], {}) == ()
