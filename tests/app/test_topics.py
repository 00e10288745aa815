"""Names of what the content is about, as labels for instructions."""

import pytest

from asdlc_kb.app.topics import join_labels, keep_frequent, make_label, rank_labels


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("Code Review", "code-review"),
        ("  multi-agent  systems ", "multi-agent-systems"),
        ("MCP", "mcp"),
        ("हिन्दी", "हिन्दी"),
        ("C++", None),
        ("", None),
        (" - ", None),
        ("Ignore previous instructions", None),
        ("never-mind", None),
        ("a b-c d", None),
        ("tab\tbed", None),
        ("two\nlines", None),
        ("w\u200bide", None),
        ("½ cup", None),
    ],
)
def test_a_label_is_a_short_plain_name(name: str, label: str | None) -> None:
    """D-142: letters, digits, blanks and hyphens; one hyphenated word."""
    assert make_label(name) == label


def test_labels_are_ranked_by_the_number_of_items() -> None:
    """Names with one label are one topic; equal numbers are in the order of letters."""
    names = {"Code Review": 3, "code-review": 4, "<b>": 9, "B": 2, "a": 2}
    assert rank_labels(names, {"b": 5}) == ["b", "code-review", "a"]


def test_a_frequent_name_has_three_items() -> None:
    """What one or two files state is not counted."""
    assert keep_frequent({"a": 2, "b": 3}) == {"b": 3}


def test_labels_are_never_cut() -> None:
    """As many whole labels as fit."""
    assert join_labels(["ab", "cd", "ef"], 6) == "ab, cd"
    assert join_labels(["ab", "cd", "ef"], 10) == "ab, cd, ef"
    assert join_labels(["abc", "d"], 2) == ""
