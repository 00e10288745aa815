"""Synonyms in a full-text search."""

from dataclasses import replace

import pytest
from support.texts import document, index

from asdlc_kb.search.index.index_snapshot import IndexSnapshot, VisibleIndex
from asdlc_kb.search.policy import QUERY_POLICY, QueryPolicy
from asdlc_kb.search.query.execution import run_search
from asdlc_kb.search.query.found_synonyms import find_synonyms
from asdlc_kb.search.synonyms import parse_synonyms
from asdlc_kb.search.values import SearchDocument, SearchRequest, SearchResults

RULES = """\
k8s, kubernetes
pull request, PR, merge request
sso => single sign-on
continuous integration, build pipeline
fabel, fable
it, information technology
"""
POLICY = replace(QUERY_POLICY, synonyms=parse_synonyms(RULES, "words.txt"))


def open_snapshot(*documents: SearchDocument) -> IndexSnapshot:
    """Return an index snapshot of some documents."""
    snapshot = index(*documents)[0]._snapshot
    assert snapshot is not None
    return snapshot


PAGES = (
    document("k8s.md", "Short", "Run it on k8s with care."),
    document("kubernetes.md", "Long", "Run it on Kubernetes with care."),
    document("pr.md", "Review", "Open a PR early."),
    document("pull.md", "Changes", "Open a pull request early."),
    document("apart.md", "Apart", "A request to pull the cart."),
    document("sign.md", "Access", "Use single sign-on here."),
    document("fable.md", "Stories", "A fable of foxes."),
    document("table.md", "Tables", "A table of foxes, a table."),
    document("build.md", "Builds", "The build pipeline is slow."),
)
FULL = open_snapshot(*PAGES)


def search(
    query: str, *hidden: str, policy: QueryPolicy = POLICY, full: IndexSnapshot = FULL
) -> SearchResults:
    """Return the results for a reader who may not see some keys."""
    request = SearchRequest(query, 10, lambda key, digest: key not in hidden)
    return run_search(full, request, policy)


def keys(query: str, *hidden: str) -> list[str]:
    """Return the keys of the results, best first."""
    return [hit.key for hit in search(query, *hidden).hits]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("k8s", ["k8s.md", "kubernetes.md"]),
        ("kubernetes", ["kubernetes.md", "k8s.md"]),
        ("PR", ["pr.md", "pull.md"]),
        ("pull request", ["pull.md", "apart.md", "pr.md"]),
        ("pull requests", ["pull.md", "apart.md", "pr.md"]),
        ("continuous integration", ["build.md"]),
        ("sso", ["sign.md"]),
    ],
)
def test_a_word_or_phrase_finds_its_synonyms_below_itself(
    query: str, expected: list[str]
) -> None:
    """In any form of its words; one way if the rule says so."""
    found = keys(query)
    assert found[0] == expected[0]
    assert set(found) == set(expected)


def test_a_rule_of_one_way_is_no_rule_of_the_other() -> None:
    """What is searched for does not find what is typed."""
    full = open_snapshot(*PAGES, document("sso.md", "Doors", "The SSO of doors."))
    found = {hit.key for hit in search("single sign-on", full=full).hits}
    assert "sign.md" in found
    assert "sso.md" not in found
    assert {hit.key for hit in search("sso", full=full).hits} == {"sso.md", "sign.md"}


def test_passages_have_the_words_of_synonyms_marked() -> None:
    """Also those of phrases."""
    assert search("PR").hits[1].snippet == "Open a **pull** **request** early."
    assert search("pull request").hits[0].snippet == (
        "Open a **pull** **request** early."
    )
    assert "**Kubernetes**" in search("k8s").hits[1].snippet


def test_a_word_with_a_synonym_is_not_corrected() -> None:
    """The synonym replaces an unknown word, and the answer says so."""
    results = search("fabel foxes")
    assert results.corrected == (("fabel", "fable"),)
    assert results.hits[0].key == "fable.md"
    assert search("sso").corrected == (("sso", "single sign on"),)
    assert search("k8s").corrected == ()
    other = search("tabel foxes")
    assert other.corrected == (("tabel", "table"),)


def test_a_required_word_is_found_by_its_synonym_only_if_it_is_unknown() -> None:
    """A plus sign stands for the word; quotes always do."""
    assert keys("+k8s") == ["k8s.md"]
    assert keys("+k8s", "k8s.md") == ["kubernetes.md"]
    assert keys('"k8s"') == ["k8s.md"]
    assert keys('"k8s"', "k8s.md") == []
    assert keys('care -"k8s"') == ["kubernetes.md"]


def test_a_title_of_the_synonyms_is_the_title_of_the_query() -> None:
    """It comes before a page that only mentions them."""
    full = open_snapshot(
        *PAGES,
        document("guide.md", "Kubernetes clusters", "How they work."),
        document("notes.md", "Notes", "Kubernetes clusters, and Kubernetes clusters."),
    )
    assert search("k8s clusters", full=full).hits[0].key == "guide.md"


def test_synonyms_of_hidden_documents_are_none() -> None:
    """D-192: what only they have finds, corrects and discloses nothing."""
    assert keys("k8s", "kubernetes.md") == ["k8s.md"]
    gone = search("sso", "sign.md")
    assert (gone.hits, gone.corrected, gone.suggestion) == ((), (), None)
    assert search("sso", "sign.md") == search(
        "sso", full=open_snapshot(*(p for p in PAGES if p.key != "sign.md"))
    )


def test_stop_words_have_synonyms_only_alone() -> None:
    """`it` is mostly no abbreviation."""
    full = open_snapshot(
        document("it.md", "Jobs", "Information technology."),
        document("a.md", "Other", "Run it well, however it may be."),
    )
    assert {hit.key for hit in search("it", full=full).hits} == {"it.md", "a.md"}
    assert [hit.key for hit in search("run it", full=full).hits] == ["a.md"]


def test_a_query_with_both_words_counts_each_once() -> None:
    """The synonym of a word that is typed as well adds nothing."""
    assert (
        search("k8s kubernetes").hits
        == search("k8s kubernetes", policy=replace(POLICY, max_synonyms=0)).hits
    )


def test_the_number_of_synonyms_is_bounded() -> None:
    """Phrases of a query, and synonyms of each."""
    view = VisibleIndex(FULL, lambda key, digest: True)
    words = ["k8s", "pr", None, "pull", "request", "kubernetes"]
    found = find_synonyms(words, view, POLICY)
    assert [(one.begin, one.end) for one in found] == [(0, 1), (1, 2), (3, 5), (5, 6)]
    assert found[2].synonyms == (("pr",),)
    apart = find_synonyms(["pull", None, "request"], view, POLICY)
    assert apart == []
    few = find_synonyms(words, view, replace(POLICY, max_synonyms=1))
    assert [(one.begin, one.end) for one in few] == [(0, 1)]
    many = parse_synonyms("k8s, kubernetes, fable, table, build", "x")
    (one,) = find_synonyms(
        ["k8s"], view, replace(POLICY, synonyms=many, max_synonyms=2)
    )
    assert one.synonyms == (("kubernetes",), ("fable",))
