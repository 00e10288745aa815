"""Explanations of searches: words as searched, fields that match, parts of scores."""

from dataclasses import replace

import pytest
from support.texts import document, index, section

from asdlc_kb.search.policy import QUERY_POLICY
from asdlc_kb.search.query.explanation import Explanation
from asdlc_kb.search.service.fulltext import FullText
from asdlc_kb.search.values import SearchRequest, SearchResults

DEPLOY = document(
    "deploy.md",
    "Deployment",
    "Requests go to nginx.",
    section("Proxy retries", "It retries each request to the filesystem.", 9),
    tags=("proxy",),
)
CACHE = document("cache.md", "Cache", "A cache of nginx requests.")
OLD = document("old/cache.md", "Cache", "A cache of nginx requests.")
FULLTEXT, SOURCE = index(DEPLOY, CACHE, OLD)


def explain(query: str, **fields: object) -> tuple[Explanation, SearchResults]:
    """Search everything, and explain the results."""
    request = SearchRequest(query, 10, SOURCE.accepts)
    request = replace(request, **fields)  # type: ignore[arg-type]
    results = FULLTEXT.search(request)
    explanation = FULLTEXT.explain(request, results)
    assert explanation is not None
    return explanation, results


@pytest.mark.parametrize(
    ("query", "typed", "searched"),
    [
        ("retrying", "retrying", "retri"),
        ("filesytem", "filesytem", "filesystem"),
        ("reques", "reques", "requests"),
        ("proxyretries", "proxyretries", "proxy"),
    ],
)
def test_a_word_has_what_was_searched_for_it(
    query: str, typed: str, searched: str
) -> None:
    """Its stem, or what replaces it: a correction, a completion, two words."""
    explanation, results = explain(query)
    (word,) = explanation.words
    assert word.typed == typed
    variants = [other for other, _ in word.variants]
    assert searched in (*word.stems, *variants, *word.parts)
    assert word.is_replaced == (query != "retrying")
    assert results.total


def test_stop_words_are_searched_with_less_weight_or_not_at_all() -> None:
    """Depending on the length of the query."""
    (the, nginx), ignored = (
        explain("the nginx")[0].words,
        explain("the nginx")[0].ignored,
    )
    assert (the.weight, nginx.weight, ignored) == (QUERY_POLICY.soft_weight, 1.0, ())
    long = explain("the retries of each request to the nginx")[0]
    assert "the" in long.ignored
    assert "the" not in [word.typed for word in long.words]


def test_a_match_has_the_fields_of_the_page() -> None:
    """Title, headings, tags and text, the rarest term first."""
    explanation, _ = explain("proxy requests deployment")
    (deploy,) = (hit for hit in explanation.hits if hit.key == "deploy.md")
    fields = {match.term: match.fields for match in deploy.matches}
    assert fields["proxi"] == ("heading", "tags")
    assert fields["deploy"] == ("title",)
    assert fields["request"] == ("text",)
    weights = [match.weight for match in deploy.matches]
    assert weights == sorted(weights, reverse=True)


def test_the_parts_of_a_score_add_up() -> None:
    """For each hit that both lists have."""
    explanation, results = explain("nginx requests")
    assert [hit.key for hit in explanation.hits] == [hit.key for hit in results.hits]
    for hit in explanation.hits:
        share = hit.section_share
        parts = (1 - share) * hit.page_score + share * hit.section_score
        assert hit.score == pytest.approx(hit.factor * parts, abs=0.001)
        assert (hit.factor, hit.rest) == (1, 0)


def test_what_the_parts_do_not_explain_is_the_rest() -> None:
    """As a score that the ranking estimated."""
    request = SearchRequest("nginx", 10, SOURCE.accepts)
    results = FULLTEXT.search(request)
    raised = tuple(replace(hit, score=hit.score + 1.5) for hit in results.hits)
    explanation = FULLTEXT.explain(request, replace(results, hits=raised))
    assert explanation is not None
    assert {hit.rest for hit in explanation.hits} == {1.5}


def test_a_secondary_page_has_a_factor() -> None:
    """As one of an old version does."""
    explanation, _ = explain("cache", is_secondary=lambda key: key.startswith("old/"))
    factors = {hit.key: hit.factor for hit in explanation.hits}
    assert factors == {"cache.md": 1.0, "old/cache.md": QUERY_POLICY.secondary_share}
    for hit in explanation.hits:
        parts = (
            1 - hit.section_share
        ) * hit.page_score + hit.section_share * hit.section_score
        assert hit.score == pytest.approx(hit.factor * parts, abs=0.001)


def test_phrases_are_those_side_by_side() -> None:
    """Pairs of the query, as stems."""
    explanation, _ = explain("nginx requests")
    assert ("nginx", "request") in [phrase.stems for phrase in explanation.phrases]


def test_without_results_there_are_the_words() -> None:
    """So that a query that finds nothing is explained, too."""
    explanation, results = explain("zqxj")
    assert not results.total
    assert [word.typed for word in explanation.words] == ["zqxj"]
    assert explanation.hits == ()


def test_an_index_that_is_not_built_explains_nothing() -> None:
    """It has no words either."""
    request = SearchRequest("x", 1, SOURCE.accepts)
    assert FullText(None).explain(request, SearchResults()) is None
