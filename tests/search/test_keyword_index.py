"""Keyword search against a plain statement of its rule."""

from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.search.keyword_index import KeywordIndex
from asdlc_kb.search.slot_sets import list_slots
from asdlc_kb.search.synonyms import parse_synonyms


class Keywords(NamedTuple):
    """The searchable fields of a document."""

    title: str
    tags: tuple[str, ...]
    description: str
    aliases: tuple[str, ...] = ()


def search(documents: list[Keywords], query: str) -> list[int]:
    """Return the positions that match, best first."""
    return listed(KeywordIndex(dict(enumerate(documents))), query)


def listed(index: KeywordIndex[Keywords], query: str) -> list[int]:
    """Return the matching slots, best first, then in ascending order."""
    return [slot for tier in index.rank(query) for slot in list_slots(tier)]


def restated(documents: list[Keywords], query: str) -> list[int]:
    """Rank as D-012 states, the slow way."""
    wanted = query.lower()
    scores = []
    for position, document in enumerate(documents):
        score = 0
        if wanted in document.title.lower():
            score += 3
        if any(wanted in tag.lower() for tag in (*document.tags, *document.aliases)):
            score += 2
        if wanted in document.description.lower():
            score += 1
        scores.append((position, score))
    if not query:
        return list(range(len(documents)))
    ranked = []
    for total in (6, 5, 4, 3, 2, 1):
        ranked += [position for position, score in scores if score == total]
    return ranked


LETTERS = "abAB  -é\u00c9\u0130\u0131ßẞ"
SIGMAS = "\u03a3\u03c3\u03c2"
"""Lower case depends on the position in a word, so a part may fold otherwise."""

words = st.text(st.sampled_from(LETTERS + SIGMAS), max_size=6)
names = st.lists(words, max_size=3).map(tuple)
document = st.builds(Keywords, words, names, words, names)
documents = st.lists(document, max_size=8)


@given(documents, words)
def test_search_equals_the_ranking_rule(given_ones: list[Keywords], query: str) -> None:
    """D-012: case-insensitive substring, 3/2/1 added up, best first."""
    assert search(given_ones, query) == restated(given_ones, query)


@given(documents, st.data())
def test_a_piece_of_a_title_finds_its_document(
    given_ones: list[Keywords], data: st.DataObject
) -> None:
    """D-012: any part copied out of a title finds it, in either case."""
    if not given_ones:
        assert search(given_ones, "a") == []
        return
    position = data.draw(st.integers(0, len(given_ones) - 1))
    title = "".join(c for c in given_ones[position].title if c not in SIGMAS)
    start = data.draw(st.integers(0, len(title)))
    piece = title[start : data.draw(st.integers(start, len(title)))]
    given_ones[position] = Keywords(title, (), "")
    assert position in search(given_ones, piece.lower())


DOCUMENTS = [
    Keywords("Context Engineering", ("Prompting",), "The discipline of designing"),
    Keywords("The Spec", ("Context", "contextual"), "A document"),
    Keywords("Levels", (), "How much context is enough"),
    Keywords("Context", ("context",), "On context"),
    Keywords("Other", ("Unrelated",), "Nothing of the kind"),
]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("context", [3, 0, 1, 2]),
        ("CONTEXT", [3, 0, 1, 2]),
        ("ontex", [3, 0, 1, 2]),
        ("context engineering", [0]),
        ("engineering context", []),
        ("contxt", []),
        ("t", [0, 1, 3, 4, 2]),
        (" ", [0, 1, 2, 3, 4]),
        ("", [0, 1, 2, 3, 4]),
        (".*", []),
        ("%", []),
    ],
)
def test_queries_over_example_documents(query: str, found: list[int]) -> None:
    """D-012: the whole query is one substring; no words, no fuzziness, no patterns."""
    assert search(DOCUMENTS, query) == found


def test_weights_add_up() -> None:
    """D-012: title 3, tag 2 (once, however many), description 1."""
    hit, miss = "needle", "straw"
    by_score = [
        (miss, (), hit),
        (miss, (hit, hit, hit), miss),
        (hit, (), miss),
        (hit, (), hit),
        (hit, (hit,), miss),
        (hit, (hit, hit), hit),
    ]
    assert search([Keywords(*fields) for fields in by_score], hit) == [5, 4, 3, 2, 1, 0]


def test_tag_and_description_together_equal_a_title() -> None:
    """D-012: 2 + 1 is 3: then the order of the documents decides."""
    keywords = Keywords("straw", ("needle",), "needle")
    title = Keywords("needle", (), "straw")
    assert search([keywords, title], "needle") == [0, 1]
    assert search([title, keywords], "needle") == [0, 1]


def test_equal_scores_keep_the_order_of_the_documents() -> None:
    """D-006: the second key is the given order: newest first, by the caller."""
    documents = [Keywords(f"same {n}", (), "") for n in range(50)]
    assert search(documents, "same") == list(range(50))


def test_a_query_does_not_match_across_fields_or_tags() -> None:
    """Each field, and each tag, is searched by itself."""
    documents = [Keywords("ab", ("cd", "ef"), "gh")]
    for query in ("abcd", "bc", "ab cd", "cdef", "de", "fg"):
        assert search(documents, query) == []


@given(documents, st.dictionaries(st.integers(0, 12), st.none() | document), words)
def test_an_index_that_followed_changes_equals_a_new_one(
    given_ones: list[Keywords], changes: dict[int, Keywords | None], query: str
) -> None:
    """Slots that are added, removed and reused leave no trace."""
    before = dict(enumerate(given_ones))
    index = KeywordIndex(before)
    ranked = list(index.rank(query))
    after = {slot: doc for slot, doc in (before | changes).items() if doc is not None}
    followed = index.updated(changes)
    assert list(followed.rank(query)) == list(KeywordIndex(after).rank(query))
    assert list(index.rank(query)) == ranked


def test_a_word_of_many_documents_is_followed_too() -> None:
    """Beyond a few slots a word's documents are a bit set."""
    many = {slot: Keywords("same", ("tag",), f"text {slot}") for slot in range(200)}
    index = KeywordIndex(many)
    assert listed(index, "sam") == list(range(200))
    gone = index.updated(dict.fromkeys(range(0, 200, 2)))
    assert listed(gone, "same") == list(range(1, 200, 2))
    assert listed(gone.updated({0: many[0], 300: many[1]}), "same")[-1] == 300
    assert listed(gone.updated(dict.fromkeys(many)), "same") == []


def test_a_line_end_in_a_query_joins_no_tags() -> None:
    """The tags of a document are separate texts, however they are stored."""
    documents = [
        Keywords("t", ("xylophone a", "b"), "d"),
        Keywords("t", ("xylophone a\nb",), "d"),
        *(Keywords("t", (f"tag {number}",), "d") for number in range(30)),
    ]
    assert search(documents, "xylophone a\nb") == [1]
    assert search(documents, "a\nb") == [1]


def test_a_document_that_went_is_in_no_phrase() -> None:
    """A query of blanks checks every document that is left."""
    one, other = (Keywords(f"a {name}", (), "d") for name in "bc")
    index = KeywordIndex({0: one, 1: other}).updated({0: None})
    assert listed(index, " ") == listed(index, "a ") == [1]
    assert listed(index, "a b") == []


@pytest.mark.parametrize(
    "query",
    [
        *("made for", "e for", "for ka", "made for ka", "a rare", "rare b", "  "),
        *("is a rare bird", "a bird", "no made", "e for k", " for ", "for ki is"),
    ],
)
def test_phrases_among_many_documents_are_found_as_by_reading_each(query: str) -> None:
    """D-012: whether a phrase is everywhere, nowhere or between, the rule holds."""
    names = ["ka", "ki", "kola", "rama"]
    documents = [
        Keywords(
            f"{names[number % 4]} {number}",
            (f"made {names[number % 3]}",),
            f"made for {names[number % 4]}" + " is a rare bird" * (number % 30 == 7),
        )
        for number in range(300)
    ]
    assert search(documents, query) == restated(documents, query)


@pytest.mark.parametrize("max_bytes", [0, 500, 1 << 19])
def test_patterns_are_found_alike_whether_they_are_cached_or_not(
    monkeypatch: pytest.MonkeyPatch, max_bytes: int
) -> None:
    """D-012: in any order, again and again, and in little memory."""
    monkeypatch.setattr("asdlc_kb.search.keyword_index._MAX_PATTERN_BYTES", max_bytes)
    documents = [
        Keywords(f"page {n % 7} of {n % 5}", (f"tag {n % 3}",), f"about page {n}")
        for n in range(60)
    ]
    index = KeywordIndex(dict(enumerate(documents)))
    queries = ["page 1", "age 1 of", "tag", "of 3", "about page 1", "page", "e 1"]
    for query in queries + queries[::-1]:
        assert listed(index, query) == restated(documents, query)
    for field in index._fields:
        assert field._cached_bytes <= max_bytes


def test_variants_of_a_query_are_ranked_together() -> None:
    """A field counts once; short synonyms are whole words of it."""
    documents = [
        Keywords("PRs", (), "merge request"),
        Keywords("practice", ("pr",), ""),
        Keywords("x", (), "a merge request of mine"),
        Keywords("practice", (), "express"),
    ]
    rules = parse_synonyms("pull request, PR, merge request", "words.txt")
    index = KeywordIndex(dict(enumerate(documents)))

    def listed(query: str) -> list[int]:
        tiers = index.rank_variants(rules.vary(query))
        return [slot for tier in tiers for slot in list_slots(tier)]

    assert listed("pull request") == [0, 1, 2]
    assert listed("pull request") == [0, 1, 2]
    assert listed("pull request of") == [2]
    assert listed("zzz") == []
