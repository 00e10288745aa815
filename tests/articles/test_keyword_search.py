"""Keyword search over changing articles, in the order of lists."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.articles import make_article
from support.knowledge import KnowledgeBase, settled_clock
from support.library import rescan

from asdlc_kb.articles.article import Article
from asdlc_kb.articles.keyword_search import KeywordSearch
from asdlc_kb.articles.library import ArticleLibrary
from asdlc_kb.articles.sorting import sort_key
from asdlc_kb.search.keyword_index import KeywordIndex
from asdlc_kb.search.synonyms import parse_synonyms

NAMES = [f"{category}/{slug}" for category in ("concepts", "zoo") for slug in "abcd"]
words = st.text("ab ", max_size=4)
articles = st.builds(
    make_article,
    st.sampled_from(NAMES),
    title=words,
    tags=st.lists(words, max_size=2).map(tuple),
    description=words,
    last_updated=st.sampled_from(["2025-01-01", "2025-01-02", "2025-01-03"]),
)
catalogs = st.lists(articles, unique_by=lambda a: a.id, max_size=8)


def ordered(articles: list[Article]) -> tuple[Article, ...]:
    """Return articles in the order of every list."""
    return tuple(sorted(articles, key=sort_key))


def differences(
    before: list[Article], after: list[Article]
) -> tuple[list[Article], list[Article]]:
    """Return the removed and the added articles; a changed one is in both."""
    return [a for a in before if a not in after], [a for a in after if a not in before]


def restated(
    articles: list[Article], query: str, category: str | None
) -> list[Article]:
    """Rank as D-012 states, the slow way."""

    def score(article: Article) -> int:
        title = 3 * (query in article.title)
        tags = 2 * any(query in tag for tag in article.tags)
        return title + tags + (query in article.description)

    if not query:
        return [a for a in ordered(articles) if category in (None, a.category)]
    hits = [a for a in ordered(articles) if score(a) and category in (None, a.category)]
    return sorted(hits, key=score, reverse=True)


@given(
    st.lists(catalogs, min_size=1, max_size=4),
    words,
    st.sampled_from([None, "concepts", "zoo", "none"]),
    st.integers(0, 9),
)
def test_search_after_any_changes_ranks_by_the_rule(
    catalogs: list[list[Article]], query: str, category: str | None, limit: int
) -> None:
    """Articles are added, removed, changed and moved; the former index stays."""
    lookup = KeywordSearch.of(ordered(catalogs[0]))
    for before, after in itertools.pairwise(catalogs):
        followed = lookup.updated(ordered(after), *differences(before, after))
        wanted = restated(before, query, category)
        assert lookup.find(query, category, limit) == (
            tuple(wanted[:limit]),
            len(wanted),
        )
        lookup = followed
    wanted = restated(catalogs[-1], query, category)
    assert lookup.find(query, category, limit) == (tuple(wanted[:limit]), len(wanted))


def test_slots_do_not_grow_for_ever() -> None:
    """An article edited every day gets a new slot each time, up to a point."""
    lookup, before = KeywordSearch.of(()), tuple[Article, ...]()
    for day in range(5_000):
        date = f"20{day // 336:02}-{day // 28 % 12 + 1:02}-{day % 28 + 1:02}"
        after = (make_article("a/b", last_updated=date),)
        lookup, before = lookup.updated(after, before, after), after
        assert len(lookup.find("title", None, 5)[0]) == 1
        assert lookup._slots[0] <= 1_100


def test_many_changes_at_once_rebuild_the_index() -> None:
    """A checkout of another branch changes everything; the result is the same."""
    old = ordered([make_article(f"a/x-{n}", title=f"old {n}") for n in range(3_000)])
    new = ordered(
        [
            make_article(f"a/x-{n}", title=f"new {n}", last_updated="2026-01-01")
            for n in range(3_000)
        ]
    )
    followed = KeywordSearch.of(old).updated(new, old, new)
    assert followed.find("old", None, 5) == ((), 0)
    assert followed.find("new", "a", 5) == (new[:5], 3_000)


def test_an_edit_of_a_text_changes_no_index_of_keywords(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The search has the edited article; its title, tags and description are equal."""
    articles = [make_article(name, title=name, body="Before.") for name in NAMES]
    lookup = KeywordSearch.of(ordered(articles))
    edited = make_article(NAMES[2], title=NAMES[2], body="After.")
    after = [edited if article.id == edited.id else article for article in articles]
    monkeypatch.setattr("asdlc_kb.search.keyword_index._Field.__init__", None)
    later = lookup.updated(ordered(after), (articles[2],), (edited,))
    found, total = later.find(NAMES[2], None, 5)
    assert (found, total) == ((edited,), 1)
    assert found[0] is edited


@given(st.lists(st.integers(0, 400), unique=True, min_size=1))
def test_articles_anywhere_in_the_list_take_slots_of_few_others(
    numbers: list[int],
) -> None:
    """Added one after the other, and removed again; slots stay in list order."""
    listed = ordered([make_article(f"a/x-{n:03}-m") for n in range(401)])
    lookup = KeywordSearch.of(listed)
    for number in numbers:
        article = make_article(f"a/x-{number:03}-z")
        listed = ordered([*listed, article])
        lookup = lookup.updated(listed, (), (article,))
        slots = list(lookup._slots)
        assert slots == sorted(set(slots), reverse=True)
    assert lookup.find("title", None, 1_000) == (listed, len(listed))
    assert lookup.find("title", "a", 1_000) == (listed, len(listed))


def test_an_article_in_the_middle_changes_few_slots(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As one that is published, or renamed, years after its date."""
    listed = ordered([make_article(f"a/x-{n}") for n in range(3_000)])
    lookup, changed = KeywordSearch.of(listed), list[int]()
    update = KeywordIndex.updated

    def record(
        index: KeywordIndex[Article], changes: dict[int, Article | None]
    ) -> KeywordIndex[Article]:
        changed.append(len(changes))
        return update(index, changes)

    monkeypatch.setattr(KeywordIndex, "updated", record)
    for number in range(20):
        article = make_article(f"a/x-15{number:02}-new")
        listed = ordered([*listed, article])
        lookup = lookup.updated(listed, (), (article,))
    assert len(changed) == 20
    assert max(changed) <= 100


def test_articles_with_only_a_synonym_come_last(knowledge: KnowledgeBase) -> None:
    """D-192: below every literal match, however little that scores; then 3/2/1."""
    knowledge.write("concepts/described", description="On a pull request", title="C")
    knowledge.write("concepts/tagged", tags="[PR]", title="B")
    knowledge.write("concepts/titled", title="Every PR")
    knowledge.write("concepts/both", title="PR", description="A pull request")
    knowledge.write("concepts/practice", title="A practice of expression")
    rules = parse_synonyms("pull request, PR", "words.txt")
    library = ArticleLibrary(knowledge.root, clock=settled_clock, synonyms=rules)
    catalog = library.load()

    def find(query: str, limit: int = 9) -> list[str]:
        articles = library.catalog.search(query, None, limit).articles
        return [article.slug for article in articles]

    assert find("Pull Request") == ["both", "described", "titled", "tagged"]
    assert find("pull request", 3) == ["both", "described", "titled"]
    assert catalog.search("pull request", None, 1).total == 4
    assert catalog.search("pull request", "concepts", 9).total == 4
    assert set(find("pr")) == {"both", "titled", "tagged", "practice", "described"}
    assert find("pr")[-1] == "described"
    knowledge.write("concepts/later", title="No PR, later")
    rescan(library)
    assert find("pull request")[2:4] == ["later", "titled"]
