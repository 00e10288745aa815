"""The passage that answers best."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.search.analyzer import make_stem
from asdlc_kb.search.languages import find_stemmer
from asdlc_kb.search.query.snippet import make_snippet

TEXT = """First comes what nobody asked for. It goes on for a while.
The cache is cleared by a command. Then the cache is empty!
    clear --cache now
An unrelated end."""


def split(
    text: str, *words: str, length: int = 60, language: str = ""
) -> tuple[str, ...]:
    """Return the parts of the passage for words of equal weight."""
    stem = make_stem(find_stemmer(language))
    weights = {stem(word): 1.0 for word in words}
    return make_snippet(text, weights, length, language)


def snippet(text: str, *words: str, length: int = 60) -> str:
    """Return the passage with its matches marked."""
    return "**".join(split(text, *words, length=length))


def test_the_passage_has_the_most_words_and_marks_them() -> None:
    """Whatever their form; whole sentences."""
    assert snippet(TEXT, "clear", "caches") == (
        "The **cache** is **cleared** by a command. Then the **cache** is empty!"
    )


def test_lines_of_code_stay_lines_with_their_indent() -> None:
    """Without the indent that all of them have."""
    text = "Set the zebra:\n\n    if zebra:\n        run(zebra)\n"
    assert snippet(text, "zebra", "run") == (
        "Set the **zebra**:\nif zebra:\n    run(zebra)"
    )


def test_code_is_shown_but_not_marked() -> None:
    """A mark in it would look like a part of it."""
    excerpt = snippet(TEXT, "now", length=20)
    assert excerpt == "clear --cache now"


def test_a_text_without_a_match_begins_at_its_beginning() -> None:
    """The beginning of the text; empty for an empty text."""
    assert snippet(TEXT, "zebra", length=40) == "First comes what nobody asked for."
    assert snippet("", "zebra") == snippet("\n  \n", "zebra") == ""


def test_accents_and_case_do_not_matter() -> None:
    """They are shown as they are."""
    assert snippet("Das CAFÉ dort.", "cafe") == "Das **CAFÉ** dort."


def test_characters_of_one_word_are_marked_together() -> None:
    """In scripts without blanks, and the parts of an identifier."""
    assert snippet("请配置服务器。", "配", "置") == "请**配置**服务器。"
    text = snippet("Set scrape_interval or scrape it.", "scrape", "interval")
    assert text == "Set **scrape_interval** or **scrape** it."


def test_a_long_sentence_is_cut_around_its_match() -> None:
    """At blanks, with an ellipsis."""
    text = " ".join(["before"] * 50 + ["zebra"] + ["after"] * 50)
    excerpt = snippet(text, "zebra", length=60)
    assert excerpt.startswith("… before") and excerpt.endswith("after …")
    assert "**zebra**" in excerpt
    assert len(excerpt) <= 60 + len("… **** …")


def test_stars_of_the_text_are_no_marks() -> None:
    """Python, globs and pointers have them."""
    text = "Unpack it: UserInDB(**user_dict) and **/AGENTS.md are\n  user_dict  too."
    assert split(text, "user", "dict", length=90) == (
        *("Unpack it: UserInDB(**", "user_dict", ") and **/AGENTS.md are "),
        *("user_dict", " too."),
    )


@given(
    st.text(alphabet=st.sampled_from("ab.! \n缓é*`"), max_size=400),
    st.sets(st.sampled_from(["a", "b", "ab", "缓", "aé"]), max_size=3),
    st.integers(20, 80),
)
def test_a_passage_is_of_the_text_and_no_longer_than_asked(
    text: str, words: set[str], length: int
) -> None:
    """Without the marks, ignoring blanks; on one line."""
    parts = split(text, *words, length=length)
    plain = "".join(parts).removeprefix("… ").removesuffix(" …")
    assert "".join(plain.split()) in "".join(text.split())
    assert len(plain) <= length + 2
    assert "\n" not in plain
    assert len(parts) % 2 or not parts
    assert all(parts[1::2])


@pytest.mark.parametrize("text", ["a " * 100_000, "a" * 200_000, "a.\n" * 60_000])
def test_a_long_section_is_no_trouble(text: str) -> None:
    """Only its beginning is read."""
    assert len(snippet(text, "a")) < 400


def test_what_follows_a_match_far_down_is_part_of_its_passage() -> None:
    """And the text's beginning is the passage without a match."""
    lines = [f"Line {n}." for n in range(40)]
    lines[30] = "The zebra. It is striped."
    text = "\n".join(lines)
    assert snippet(text, "zebra") == "The **zebra**. It is striped. Line 31."
    assert snippet(text, "okapi") == "Line 0. Line 1. Line 2."
