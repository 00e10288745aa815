"""Queries over some documents of an index, and over old versions of pages."""

from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.texts import document, index, keys, section

from asdlc_kb.search.values import SearchRequest, SearchResults

WORDS = "cache proxy server timeout header cookie session token limit retry".split()


def make_page(key: str, number: int, version: str = "") -> object:
    """Return a page of a few of the words."""
    pick = Random(number)
    text = " ".join(pick.choices(WORDS, k=12))
    folders = tuple(filter(None, ("v" * bool(version), version and f"v/{version}")))
    return document(
        key,
        f"{pick.choice(WORDS)} {number}",
        f"{text} {version}",
        section(pick.choice(WORDS), " ".join(pick.choices(WORDS, k=8)), 9),
        category="v" if version else "root",
        folders=folders,
    )


CURRENT = [make_page(f"{n}.md", n) for n in range(30)]
OLD = [make_page(f"v/{v}/{n}.md", n, v) for v in ("1", "2") for n in range(30)]
ONLY_OLD = document("v/1/gone.md", "Removed walrus", "A walrus and a cache.")
FULLTEXT, SOURCE = index(*CURRENT, *OLD, ONLY_OLD)  # type: ignore[arg-type]
EVERY = sorted(SOURCE.documents)


def is_old(key: str) -> bool:
    """Whether a page is one of a former version."""
    return key.startswith("v/")


def search(
    query: str,
    limit: int = 100,
    *,
    keys: frozenset[str] | None = None,
    category: str | None = None,
    is_secondary: Callable[[str], bool] | None = None,
) -> SearchResults:
    """Search all pages, as a reader with access to all."""
    request = SearchRequest(query, limit, SOURCE.accepts, category=category)
    return FULLTEXT.search(replace(request, keys=keys, is_secondary=is_secondary))


@given(
    st.frozensets(st.sampled_from(EVERY), max_size=40),
    st.lists(st.sampled_from([*WORDS, "walrus", "-cookie", "+proxy"]), max_size=3),
)
def test_results_are_those_of_all_that_are_among_the_keys(
    some: frozenset[str], words: list[str]
) -> None:
    """Exactly, and in the same relation of page scores; none is lost."""
    query = " ".join(words)
    every, only = search(query), search(query, keys=some)
    assert set(keys(only)) == set(keys(every)) & some
    assert only.total == len(only.hits)


def test_keys_are_a_filter_before_the_limit() -> None:
    """The worst page is found if only its key is searched."""
    worst = search("cache").hits[-1].key
    assert keys(search("cache", 1, keys=frozenset({worst}))) == [worst]
    assert search("cache", keys=frozenset()).total == 0
    assert search("cache", keys=frozenset({"unknown.md"})).total == 0


def test_only_words_of_the_keys_are_suggested_and_corrected() -> None:
    """No word of another page is offered."""
    current = frozenset(key for key in EVERY if not is_old(key))
    assert search("walrsu").corrected == (("walrsu", "walrus"),)
    narrowed = search("walrsu", keys=current)
    assert (narrowed.corrected, narrowed.suggestion, narrowed.total) == ((), None, 0)


@pytest.mark.parametrize("category", ["v", "V/1", "v/1/"])
def test_every_folder_above_a_page_is_a_category(category: str) -> None:
    """As an argument, and as an operator."""
    folder = category.lower().strip("/") + "/"
    for results in (search("cache", category=category), search(f"category:{category}")):
        found = set(keys(results)) - {"v/1/gone.md"}
        assert found
        assert all(key.startswith(folder) for key in found)


def test_the_same_page_of_an_old_version_never_stands_first() -> None:
    """For any word or two, whatever else an old page has."""
    for query in (*WORDS, *(f"{a} {b}" for a in WORDS for b in WORDS[:4])):
        ranks = {
            key: at for at, key in enumerate(keys(search(query, is_secondary=is_old)))
        }
        for key, rank in ranks.items():
            current = key.rpartition("/")[2]
            if is_old(key) and current in ranks:
                assert ranks[current] < rank, (query, key)


def test_a_page_that_only_an_old_version_has_is_found() -> None:
    """First, if nothing else has the words; and no page is lost."""
    assert keys(search("walrus cache", is_secondary=is_old))[0] == "v/1/gone.md"
    for query in ("cache", "cache proxy", "walrus"):
        plain, ranked = search(query), search(query, is_secondary=is_old)
        assert set(keys(plain)) == set(keys(ranked))
        assert plain.total == ranked.total


def test_pages_of_one_kind_keep_their_ranking() -> None:
    """Whether all are secondary or none is."""
    plain = search("cache proxy")
    assert search("cache proxy", is_secondary=lambda key: True) == plain
    assert search("cache proxy", is_secondary=lambda key: False) == plain


def test_only_visible_pages_are_divided() -> None:
    """A page that is gone is unknown to its catalog, though still in a late index."""
    gone = {"v/1/3.md", "5.md"}

    def accepts(key: str, digest: bytes) -> bool:
        return key not in gone

    def is_secondary(key: str) -> bool:
        assert key not in gone
        return is_old(key)

    request = SearchRequest("cache", 100, accepts, is_secondary=is_secondary)
    found = keys(FULLTEXT.search(request))
    assert set(found) == set(keys(search("cache"))) - gone
    again = replace(request, accepts=SOURCE.accepts, is_secondary=is_old)
    assert keys(FULLTEXT.search(again)) == keys(search("cache", is_secondary=is_old))


def test_pages_of_a_ranking_can_be_paged() -> None:
    """Each once, across the limits of lists."""
    whole = keys(search("cache", is_secondary=is_old))
    request = SearchRequest("cache", 7, SOURCE.accepts, is_secondary=is_old)
    pages = [
        key
        for offset in range(0, len(whole), 7)
        for key in keys(FULLTEXT.search(replace(request, offset=offset)))
    ]
    assert pages == whole
