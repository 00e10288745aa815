"""Words similar to an unknown word."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.texts import document, index

from asdlc_kb.search.edit_distance import count_edits
from asdlc_kb.search.index.index_snapshot import VisibleIndex
from asdlc_kb.search.index.vocabulary import Vocabulary
from asdlc_kb.search.policy import QUERY_POLICY
from asdlc_kb.search.query.speller import Speller

WORDS = "configuration configure configured deployment deploy server caching cache"


def speller(*, hidden: str = "") -> Speller:
    """Return a speller over a page of words, and a hidden one."""
    fulltext, _ = index(
        document("a.md", "Page", f"{WORDS} server server"),
        document("b.md", "Other", f"server cache {hidden}"),
    )
    snapshot = fulltext._snapshot
    assert snapshot is not None
    return Speller(
        VisibleIndex(snapshot, lambda key, digest: not hidden or key == "a.md")
    )


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("sever", "server"),
        ("serverr", "server"),
        ("srever", "server"),
        ("cofnigurtaion", "configuration"),
        ("deplyomet", "deployment"),
    ],
)
def test_a_word_is_corrected(word: str, meant: str) -> None:
    """A letter less, more, another, two swapped; in long words twice."""
    assert speller().correct(word)[0][0] == meant


@pytest.mark.parametrize("word", ["aerver", "erver", "esrver", "xserver"])
def test_the_first_letter_is_corrected_apart(word: str) -> None:
    """It is rarely wrong: other explanations of a word come first."""
    assert speller().correct(word) == []
    assert speller().correct_start(word) == [("server", QUERY_POLICY.other_start)]


def test_no_word_is_taken_for_one_that_nobody_searches_for() -> None:
    """`gather` is not `rather`, nor `whith` `which`."""
    fulltext, source = index(document("a.md", "Page", "rather which gates"))
    assert fulltext._snapshot is not None
    words = Speller(VisibleIndex(fulltext._snapshot, source.accepts))
    assert words.correct_start("gather") == []
    assert words.correct("whith") == []
    assert words.correct("gatess")[0][0] == "gates"


@pytest.mark.parametrize("word", ["zebra", "svr", "cachxyz", "xeployment9"])
def test_what_is_far_from_every_word_is_not_corrected(word: str) -> None:
    """Two edits are tried in long words only, and with the first letter as typed."""
    assert speller().correct(word) == []


def test_the_commonest_words_complete_one() -> None:
    """Most pages first, without the word itself."""
    assert set(speller().complete("conf", 9)) == {
        "configuration",
        "configure",
        "configured",
    }
    assert len(speller().complete("conf", 2)) == 2
    assert speller().complete("server", 5) == []


def test_a_word_is_split_into_two_known_ones() -> None:
    """At any place but the edges."""
    assert speller().split("cacheserver") == ("cache", "server")
    assert speller().split("cachezebra") is None


def test_a_short_rest_beside_a_stop_word_is_no_word() -> None:
    """`json` is not "js on"."""
    full, source = index(document("a.md", "Page", "js on the page, json not"))
    assert full._snapshot is not None
    view = VisibleIndex(full._snapshot, source.accepts)
    assert Speller(view).split("json") is None
    assert Speller(view).split("onpage") == ("on", "page")


def test_no_number_is_suggested() -> None:
    """Another one is another thing."""
    full, source = index(document("a.md", "Page", "E0603 codes 8601"))
    assert full._snapshot is not None
    speller = Speller(VisibleIndex(full._snapshot, source.accepts))
    assert speller.suggest("e0609", is_part=False) == ""
    assert speller.suggest("codex", is_part=False) == "codes"
    assert speller.correct("e060") == speller.correct_start("f0603") == []


def test_words_that_only_a_hidden_page_has_are_no_words() -> None:
    """D-087: neither as correction, nor as completion, nor as part."""
    seen, unseen = speller(hidden="xylophone"), speller()
    assert unseen.correct("xylophoen") == []
    assert seen.correct("xylophoen") == []
    assert seen.complete("xylo", 5) == []
    assert seen.split("serverxylophone") is None


LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"


def edit_once(word: str) -> set[str]:
    """Return all strings one deletion, insertion, substitution or swap away."""
    edited: set[str] = set()
    for at in range(len(word) + 1):
        before, after = word[:at], word[at:]
        edited.add(before + after[1:])
        edited.add(before + after[1:2] + after[:1] + after[2:])
        for letter in LETTERS:
            edited |= {before + letter + after, before + letter + after[1:]}
    return edited


SHORT = st.text(alphabet="abz9λ", min_size=4, max_size=6)


@given(st.sets(SHORT, min_size=1, max_size=12), SHORT)
def test_corrections_are_the_known_words_among_all_edited_ones(
    words: set[str], word: str
) -> None:
    """Of equal counts in order; of another script only after the first letter."""
    fulltext, source = index(document("a.md", "Page", " ".join(words)))
    assert fulltext._snapshot is not None
    view = VisibleIndex(fulltext._snapshot, source.accepts)
    words_only = {other for other in words if not any(map(str.isdigit, other))}
    near = edit_once(word) & words_only
    same = sorted(other for other in near if other[0] == word[0])
    if not word.isascii():
        is_near = (
            w for w in words_only if w[0] == word[0] and count_edits(word, w, 1) <= 1
        )
        same = sorted({*same, *is_near})
    most = QUERY_POLICY.corrections
    assert [other for other, _ in Speller(view).correct(word)] == same[:most]
    others = sorted(near.difference(same))
    assert [other for other, _ in Speller(view).correct_start(word)][
        : len(others)
    ] == others[:most]


def test_a_word_is_compared_again_only_for_more_edits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The suggestion of a query repeats no comparison of its corrections."""
    speller_of_words = speller()
    assert len(speller_of_words.reach("serber", 3)) == 1
    monkeypatch.setattr(Vocabulary, "find_near", None)
    assert speller_of_words.reach("serber", 1) == [("server", 1)]
    assert speller_of_words.reach("serber", 0) == []
