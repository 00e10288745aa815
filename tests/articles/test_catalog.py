"""Queries on the visible articles of one snapshot."""

import pytest
from support.canary import CANARY
from support.knowledge import HIDDEN_COUNT, VISIBLE_COUNT, KnowledgeBase
from support.library import answer, loaded, rescan

from asdlc_kb.articles.article_filter import ArticleQuery
from asdlc_kb.articles.catalog import ArticleCatalog, Mode
from asdlc_kb.articles.sorting import sort_key
from asdlc_kb.exceptions import (
    ArticleAmbiguous,
    ArticleNotFound,
    ArticleUnreadable,
    UnknownCategory,
)
from asdlc_kb.files.snapshot import Snapshot

LAST = "links-to-hidden"
"""The visible article of every knowledge base: the oldest."""


def slugs(
    catalog: ArticleCatalog, category: str | None = None, limit: int = 50
) -> list[str]:
    """Return the slugs of a list."""
    return [article.slug for article in catalog.select(category, limit).articles]


def test_an_empty_snapshot_has_no_articles() -> None:
    """Before the first scan everything is empty and nothing fails."""
    catalog = ArticleCatalog(Snapshot())
    assert (catalog.articles, catalog.categories, catalog.hidden_count) == ((), (), 0)
    assert catalog.search("", None, 50).total == 0
    assert catalog.completion.complete("") == []
    with pytest.raises(ArticleNotFound, match=r"^Article 'x' not found$"):
        catalog.find("x")


def test_only_visible_articles_are_in_any_answer(knowledge: KnowledgeBase) -> None:
    """D-001: Draft, Proposed, Deprecated and misspelt statuses are in no list."""
    knowledge.write("concepts/live", status="Live")
    knowledge.write("patterns/risky", status="Experimental")
    catalog = loaded(knowledge).catalog
    assert slugs(catalog) == ["live", "risky", LAST]
    assert len(catalog.articles) == VISIBLE_COUNT + 2
    assert catalog.hidden_count == HIDDEN_COUNT
    assert catalog.categories == ("concepts", "patterns")
    assert (
        catalog.completion.complete(CANARY)
        == catalog.completion.complete("known")
        == []
    )
    for query in (CANARY, "hidden", "shared"):
        found = [a.slug for a in catalog.search(query, None, 50).articles]
        assert found == ([LAST] if query == "hidden" else [])


@pytest.mark.parametrize("prefix", ["", "concepts/"])
def test_hidden_and_missing_are_told_alike(
    knowledge: KnowledgeBase, prefix: str
) -> None:
    """D-004: exactly `Article 'x' not found` for both."""
    catalog = loaded(knowledge).catalog
    for slug in ("known-draft", "does-not-exist"):
        with pytest.raises(ArticleNotFound) as caught:
            catalog.find(f"{prefix}{slug}")
        assert str(caught.value) == f"Article '{prefix}{slug}' not found"
        assert caught.value.slug == f"{prefix}{slug}"


@pytest.mark.parametrize(
    "name",
    [
        *("Known", "KNOWN", "known.md", "concepts/known.md", "concepts//known"),
        *("/known", "known/", "patterns/known", "../concepts/known", "concepts\\known"),
        *("known\0", "known ", " known", "kno%77n", "./known", "", "/", "concepts/"),
    ],
    ids=ascii,
)
def test_names_are_exact(knowledge: KnowledgeBase, name: str) -> None:
    """Another case, a suffix, escapes and `..` find nothing."""
    knowledge.write("concepts/known")
    catalog = loaded(knowledge).catalog
    assert answer(catalog, "known") == answer(catalog, "concepts/known") == "Known"
    assert answer(catalog, name) == f"Article '{name}' not found"


def test_lists_are_newest_first_then_by_category_then_by_slug(
    knowledge: KnowledgeBase,
) -> None:
    """D-006: the order of every list, the three usual categories first."""
    for name, date in (
        ("zeta/new", "2025-06-01"),
        ("practices/a", "2025-01-15"),
        ("concepts/z", "2025-01-15"),
        ("concepts/b", "2025-01-15"),
        ("patterns/a2", "2025-01-15"),
        ("alpha/a3", "2025-01-15"),
        ("alpha-2/a4", "2025-01-15"),
        ("Alpha.x/a5", "2025-01-15"),
        ("concepts/old", "0001-01-01"),
        ("concepts/future", "9999-12-31"),
    ):
        knowledge.write(name, lastUpdated=date)
    catalog = loaded(knowledge).catalog
    assert slugs(catalog) == [
        *("future", "new", "b", "z", "a2", "a", "a5", "a3", "a4", LAST, "old"),
    ]
    assert catalog.categories == (
        *("concepts", "patterns", "practices", "Alpha.x", "alpha", "alpha-2", "zeta"),
    )


def test_the_place_of_an_article_sorts_as_its_list(knowledge: KnowledgeBase) -> None:
    """D-037: cursors hold places: their order as strings is the list's."""
    categories = ["concepts", "patterns", "a", "a-b", "a.b", "é"]
    slugs = ["x", "x-y", "x.y", "xy"]
    for category in categories:
        for slug in slugs:
            knowledge.write(f"{category}/{slug}")
    articles = loaded(knowledge).catalog.articles[:-VISIBLE_COUNT]
    places = [sort_key(article) for article in articles]
    assert places == sorted(set(places))
    assert [article.category for article in articles[::4]] == categories
    assert [article.slug for article in articles[:4]] == slugs


def test_a_list_can_be_cut_and_filtered_and_still_counts(
    knowledge: KnowledgeBase,
) -> None:
    """D-103: `category` and `limit`; the total counts what is visible."""
    for number in range(5):
        knowledge.write(f"patterns/p{number}", lastUpdated=f"2025-01-0{number + 1}")
    catalog = loaded(knowledge).catalog
    selection = catalog.select("patterns", 2)
    assert [article.slug for article in selection.articles] == ["p4", "p3"]
    assert selection.total == 5
    assert slugs(catalog, "concepts") == [LAST]
    assert catalog.select(None, 1).total == 6


def test_search_ranks_by_weight_and_then_as_lists_do(knowledge: KnowledgeBase) -> None:
    """D-012: title 3, tag 2, description 1, then newest first."""
    old = {"lastUpdated": "2024-01-01"}
    plain = {"title": "T", "tags": "[none]", "description": "none"}
    knowledge.write("concepts/in-all", **{**plain, "title": "Needle", **old})
    knowledge.write("concepts/in-tag-old", **{**plain, "tags": "[NEEDLES]", **old})
    knowledge.write("concepts/in-tag-new", **{**plain, "tags": "[a needle]"})
    knowledge.write("patterns/in-text", **{**plain, "description": "the needle"})
    knowledge.write("patterns/in-body", **{**plain, "body": "needle"})
    catalog = loaded(knowledge).catalog
    found = catalog.search("needle", None, 50)
    assert [article.slug for article in found.articles] == [
        *("in-all", "in-tag-new", "in-tag-old", "in-text"),
    ]
    assert found.total == 4
    assert catalog.search("needle", "patterns", 50).total == 1
    cut = catalog.search("needle", None, 1)
    assert ([article.slug for article in cut.articles], cut.total) == (["in-all"], 4)
    assert catalog.search("", None, 50) == catalog.select(None, 50)


@pytest.mark.parametrize("category", ["concepts", "Concepts", " CONCEPTS", "concepts/"])
def test_a_category_is_found_in_any_case(
    knowledge: KnowledgeBase, category: str
) -> None:
    """D-015: a slash is no part of it."""
    knowledge.write("concepts/x", title="X")
    catalog = loaded(knowledge).catalog
    assert catalog.resolve_category(category) == "concepts"
    assert catalog.select(category, 50) == catalog.select("concepts", 50)
    assert catalog.search("x", category, 50) == catalog.search("x", "concepts", 50)
    assert catalog.resolve_category(None) is None


@pytest.mark.parametrize("category", ["nope", "", CANARY, "concept", "zoo/x"])
def test_an_unknown_category_is_told_with_the_visible_ones(
    knowledge: KnowledgeBase, category: str
) -> None:
    """D-007: a category of hidden articles alone does not exist."""
    knowledge.write("zoo/x")
    catalog = loaded(knowledge).catalog
    for ask in (catalog.select, lambda c, n: catalog.search("x", c, n)):
        with pytest.raises(UnknownCategory) as caught:
            ask(category, 50)
        assert str(caught.value) == (
            f"Unknown category '{category}'. Categories: concepts, zoo"
        )
        assert caught.value.known == ("concepts", "zoo")


def test_without_articles_there_are_no_categories_yet() -> None:
    """The error says so instead of an empty list."""
    with pytest.raises(UnknownCategory, match=r"Categories: none yet$"):
        ArticleCatalog(Snapshot()).select("concepts", 50)


def test_a_slug_that_two_visible_articles_share_needs_its_category(
    knowledge: KnowledgeBase,
) -> None:
    """D-008: the error names both, and both can be addressed."""
    for category in ("practices", "zoo", "patterns"):
        knowledge.write(f"{category}/twice", title=f"In {category}")
    knowledge.write("concepts/once", relatedIds="[twice, zoo/twice, patterns/none]")
    catalog = loaded(knowledge).catalog
    with pytest.raises(ArticleAmbiguous) as caught:
        catalog.find("twice")
    assert caught.value.candidates == ("patterns/twice", "practices/twice", "zoo/twice")
    assert str(caught.value) == (
        "Article 'twice' is ambiguous: use one of patterns/twice, practices/twice, "
        "zoo/twice"
    )
    assert answer(catalog, "zoo/twice") == "In zoo"
    names = [catalog.name(article) for article in catalog.articles]
    assert sorted(names) == sorted(
        ["once", LAST, "patterns/twice", "practices/twice", "zoo/twice"]
    )
    assert all(catalog.find(name) for name in names)


@pytest.mark.parametrize("status", ["Draft", "Proposed", "Deprecated", "live", None])
def test_a_hidden_twin_does_not_count(
    knowledge: KnowledgeBase, status: str | None
) -> None:
    """The visible one answers to the bare slug; its twin is never named."""
    knowledge.write("concepts/twice", title="Hidden", status=status)
    knowledge.write("patterns/twice", title="Visible")
    catalog = loaded(knowledge).catalog
    assert answer(catalog, "twice") == "Visible"
    assert answer(catalog, "concepts/twice") == "Article 'concepts/twice' not found"
    assert catalog.name(catalog.find("twice")) == "twice"


def test_an_article_that_breaks_the_schema_is_unreadable_by_both_names(
    knowledge: KnowledgeBase,
) -> None:
    """D-005: the parse failure, without any of the file's text."""
    knowledge.write("concepts/broken", title=None)
    knowledge.write("concepts/twice", lastUpdated="never")
    knowledge.write("patterns/twice", title="Whole")
    catalog = loaded(knowledge).catalog
    for name in ("broken", "concepts/broken", "concepts/twice"):
        with pytest.raises(ArticleUnreadable) as caught:
            catalog.find(name)
        assert str(caught.value) == "Failed to parse article metadata"
        assert caught.value.slug == name
    assert answer(catalog, "twice") == "Whole"
    assert (
        "broken" not in slugs(catalog) and catalog.completion.complete("broken") == []
    )


def test_related_ids_leave_only_with_visible_targets(knowledge: KnowledgeBase) -> None:
    """D-002: hidden, missing and broken targets are not named."""
    knowledge.write("concepts/broken", title=None)
    knowledge.write("patterns/p")
    knowledge.write(
        "concepts/x",
        relatedIds="[p, patterns/p, concepts/p, known-draft, concepts/known-draft, "
        f"{CANARY}/only, none, broken, x, P]",
    )
    library = loaded(knowledge)
    catalog = library.catalog
    assert catalog.related(catalog.find("x")) == ("p", "patterns/p", "x")
    assert catalog.related(catalog.find(LAST)) == ()
    knowledge.write("patterns/p", status="Deprecated")
    knowledge.write("concepts/known-draft", status="Live", title="Public now")
    catalog = rescan(library)
    assert catalog.related(catalog.find("x")) == (
        *("known-draft", "concepts/known-draft", "x"),
    )


def test_completion_offers_names_that_begin_or_else_contain(
    knowledge: KnowledgeBase,
) -> None:
    """Best first: beginning, then the requested category, then by name."""
    for name in ("patterns/spec", "concepts/spec-driven", "concepts/the-spec"):
        knowledge.write(name)
    knowledge.write("patterns/twice")
    knowledge.write("concepts/twice")
    catalog = loaded(knowledge).catalog
    assert catalog.completion.complete("SPEC") == ["spec", "spec-driven", "the-spec"]
    assert catalog.completion.complete("spec", "concepts") == [
        "spec-driven",
        "spec",
        "the-spec",
    ]
    assert catalog.completion.complete("twice") == ["concepts/twice", "patterns/twice"]
    assert len(catalog.completion.complete("")) == 6


@pytest.mark.parametrize(
    ("mode", "query", "found"),
    [
        ("auto", "plover", 1),
        ("auto", "nowhere", None),
        ("auto", " ", VISIBLE_COUNT + 1),
        ("keyword", "nowhere", 0),
        ("fulltext", "plover", None),
        ("fulltext", "", VISIBLE_COUNT + 1),
    ],
)
def test_keywords_come_first_and_full_text_where_they_find_nothing(
    knowledge: KnowledgeBase, mode: Mode, query: str, found: int | None
) -> None:
    """D-012: the same on every transport; an empty query lists all."""
    knowledge.write("concepts/plover", title="Plover")
    catalog = loaded(knowledge).catalog
    first = catalog.search_first(ArticleQuery(query), 50, mode=mode)
    assert (None if first is None else first.total) == found
    with pytest.raises(UnknownCategory):
        catalog.search_first(ArticleQuery(query, "nothing"), 50, mode=mode)


def test_categories_and_tags_are_counted(knowledge: KnowledgeBase) -> None:
    """A tag as it is written, once an article; hidden articles never count."""
    for number in range(3):
        knowledge.write(f"patterns/a{number}", tags="[Common, COMMON, Common]")
    knowledge.write("patterns/hidden", tags="[Common, Rare]", status="Draft")
    catalog = loaded(knowledge).catalog
    assert catalog.category_counts == {"patterns": 3, "concepts": 1}
    assert catalog.tag_counts == {"Common": 3, "COMMON": 3, "One": 1, "Two": 1}
