"""Texts and values of files, cleaned and reported."""

from asdlc_kb.files.clean_text import FieldCleaner, clean_text, find_escapes
from asdlc_kb.frontmatter.nodes import Mapping, Scalar


def test_a_text_is_cleaned_and_each_problem_has_its_first_place() -> None:
    """One problem for removed characters, one for those that may show nothing."""
    cleaned = clean_text("a.md", "one\ntwo\u200b \u202e\n\ue000\n")
    assert (cleaned.text, cleaned.removed) == ("one\ntwo \n\ue000\n", 2)
    assert [str(problem) for problem in cleaned.problems] == [
        "a.md:2:4: KB015 2 invisible characters (1 ignorable character, "
        "1 bidirectional control), the first U+200B, left out: remove them",
        "a.md:3:1: KB015 1 character that may show nothing (1 private-use character), "
        "the first U+E000, served: check what they are for",
    ]
    assert cleaned.unseen == {"\ue000"}
    plain = clean_text("a.md", "plain \u00e9\n")
    assert plain == ("plain \u00e9\n", 0, (), frozenset())


def cleaner_of(*unseen: str) -> FieldCleaner:
    """Return a cleaner for a file with these possibly invisible characters."""
    return FieldCleaner("a.md", Mapping({}, 2, 1), [], 5, frozenset(unseen))


def test_a_value_is_reported_at_its_own_place() -> None:
    """Escapes stand for characters that the text of the file does not have."""
    value = Scalar("T\u200b\ue000", False, 3, 8)
    cleaner = cleaner_of()
    assert cleaner.clean(value) == "T\ue000"
    assert cleaner.removed == 6
    assert [str(problem).partition(" (")[0] for problem in cleaner.problems] == [
        "a.md:3:8: KB015 escapes of 1 invisible character",
        "a.md:3:8: KB015 escapes of 1 character that may show nothing",
    ]


def test_what_the_text_has_itself_is_reported_once() -> None:
    """Private use in a title is counted with the rest of its file."""
    value = Scalar("T\ue000", False, 3, 8)
    known, new = cleaner_of("\ue000"), cleaner_of("\ue001")
    assert (known.clean(value), new.clean(value)) == (value.text, value.text)
    assert known.problems == []
    (problem,) = new.problems
    assert "1 private-use character" in problem.message


def test_escapes_in_data_are_reported_once() -> None:
    """Data is served as written, so its author is asked to remove them."""
    assert find_escapes("a.json", "plain") is None
    assert str(find_escapes("a.json", "x\u200b")) == (
        "a.json:1:1: KB015 escapes of 1 invisible character (1 ignorable character), "
        "the first U+200B: remove them"
    )
