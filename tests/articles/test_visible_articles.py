"""Visible articles after changes: equal to those of a catalog made from scratch."""

import itertools
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.articles import make_article

from asdlc_kb.articles import catalog as catalog_module
from asdlc_kb.articles.article import Article, Unreadable
from asdlc_kb.articles.catalog import ArticleCatalog
from asdlc_kb.articles.differences import compare_snapshots
from asdlc_kb.articles.schema import ArticleFields
from asdlc_kb.articles.sorting import sort_key
from asdlc_kb.articles.status import ArticleStatus
from asdlc_kb.exceptions import ArticleError
from asdlc_kb.files.signature import Signature
from asdlc_kb.files.snapshot import CachedFile, ScanResult, Snapshot, merge_scan

IDS = [f"{category}/{slug}" for category in ("concepts", "zoo", "a") for slug in "abc"]
NAMES = [*IDS, *"abcABC", "zoo/A", "one", "ONE TWO", "none", "zoo/none"]
QUERIES = ["", "one", "two", "e t", "tag", "zoo", "nothing"]
TITLES = ["one", "two", "one two"]


def make_value(id: str, kind: str, **fields: Any) -> ArticleFields:
    """Return the value of a file: an article of some status, or an unreadable one."""
    if kind == "unreadable":
        return Unreadable(*id.split("/"))
    return make_article(id, status=ArticleStatus(kind), **fields)


def make_entry(value: ArticleFields, mtime: int) -> CachedFile[ArticleFields]:
    """Return the entry of a file; its digest is that of its value."""
    digest = repr(value).encode()
    return CachedFile(Signature(mtime, mtime, 1, 1, 1), digest, value)


ids = st.sampled_from(IDS)
kinds = st.sampled_from(["Live", "Live", "Experimental", "Draft", "unreadable"])
values = st.builds(
    make_value,
    ids,
    kinds,
    title=st.sampled_from(TITLES),
    tags=st.sampled_from([(), ("tag",), ("tag", "Other"), ("tag", "tag")]),
    description=st.sampled_from(TITLES),
    body=st.sampled_from(["Text.", "Other."]),
    last_updated=st.sampled_from(["2025-01-01", "2025-01-02", "2024-12-31"]),
)
edits = st.lists(values | ids, max_size=4)
"""The value of each changed file; the id of a deleted one."""


def apply(
    snapshot: Snapshot[ArticleFields], edit: list[ArticleFields | str], mtime: int
) -> Snapshot[ArticleFields]:
    """Return the snapshot after an edit."""
    changed: dict[str, CachedFile[ArticleFields] | None] = {}
    for value in edit:
        if isinstance(value, str):
            changed[f"{value}.md"] = None
        else:
            changed[f"{value.id}.md"] = make_entry(value, mtime)
    return merge_scan(snapshot, ScanResult(snapshot, changed, is_partial=True))


def ask(catalog: ArticleCatalog, name: str) -> object:
    """Return what a catalog answers about a name."""

    def attempt(function: Any) -> object:
        try:
            return function(name)
        except ArticleError as error:
            return repr(error)

    return (
        *map(attempt, (catalog.find, catalog.look_up)),
        catalog.match(name),
        catalog.same_slug(name),
        catalog.get_or_none(name),
        catalog.find_near(name),
        catalog.completion.complete(name),
    )


def answers(catalog: ArticleCatalog) -> list[object]:
    """Return everything that a catalog answers."""
    found: list[object] = [
        catalog.articles,
        dict(catalog.by_id),
        catalog.categories,
        dict(catalog.category_counts),
        dict(catalog.tag_counts),
        catalog.statuses,
        catalog.hidden_count,
        set(catalog.folders),
        dict(catalog.digests),
        [catalog.name(article) for article in catalog.articles],
        [ask(catalog, name) for name in NAMES],
    ]
    for category in (None, *catalog.categories):
        found.append(catalog.select(category, 4))
        found.extend(catalog.search(query, category, 4) for query in QUERIES)
        found.append(catalog.completion.complete("", category))
    return found


@pytest.mark.parametrize("max_changes", [0, 500])
@given(st.lists(edits, min_size=1, max_size=6), st.booleans())
def test_a_catalog_after_any_edits_equals_one_from_scratch(
    max_changes: int, steps: list[list[ArticleFields | str]], is_asked: bool
) -> None:
    """Articles are added, changed, hidden, deleted, renamed and moved.

    The catalog before answers as before: a request may still use it.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(catalog_module, "MIN_REBUILD_FILES", max_changes)
        snapshot: Snapshot[ArticleFields] = Snapshot()
        catalog = ArticleCatalog(snapshot)
        for mtime, edit in enumerate(steps):
            before = answers(catalog) if is_asked else None
            snapshot = apply(snapshot, edit, mtime)
            later = catalog.updated(snapshot)
            if is_asked:
                assert answers(catalog) == before
            changes = compare_snapshots(catalog, later)
            assert read_changes(catalog, later) == (
                changes.added,
                changes.removed,
                changes.edited,
            )
            catalog = later
            if is_asked:
                assert answers(catalog) == answers(ArticleCatalog(snapshot))
        assert answers(catalog) == answers(ArticleCatalog(snapshot))


def read_changes(before: ArticleCatalog, after: ArticleCatalog) -> object:
    """Return the changes by reading every article."""
    old, new = dict(before.by_id), dict(after.by_id)
    return (
        tuple(article for id, article in new.items() if id not in old),
        tuple(article for id, article in old.items() if id not in new),
        tuple(
            (old[id], article)
            for id, article in new.items()
            if id in old and old[id] != article
        ),
    )


def test_an_edit_of_a_text_shares_the_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing that names or counts articles is made again; the text is the new one."""
    articles = [make_article(id, body="Before.") for id in IDS]
    snapshot = apply(Snapshot(), list(articles), 0)
    catalog = ArticleCatalog(snapshot)
    catalog.precompute()
    answers(catalog)
    edited = make_article(IDS[4], body="After.")
    for name in ("VisibleArticles.of", "ArticleNames", "KeywordSearch.of"):
        monkeypatch.setattr(f"asdlc_kb.articles.catalog.{name}", None)
    later = catalog.updated(apply(snapshot, [edited], 1))
    assert later.find(IDS[4]) is later.look_up("ZOO/B") is edited
    assert later.search("Title of b", "zoo", 1).articles[0] is edited
    assert catalog.look_up("ZOO/B").body == "Before."
    assert later.visible.by_slug is catalog.visible.by_slug


HIDDEN_EDITS: list[list[ArticleFields | str]] = [
    [make_value("a/c", "Draft", body="After.")],
    [make_value("zoo/c", "Proposed"), "a/c"],
    [make_value("zoo/c", "Draft"), make_value("a/b", "Live")],
]


@pytest.mark.parametrize("edit", HIDDEN_EDITS)
def test_a_change_of_hidden_files_shares_all_that_clients_see(
    edit: list[ArticleFields | str],
) -> None:
    """D-293: edited, deleted and new drafts, after a visible file was read again."""
    values = [make_value("a/b", "Live"), make_value("a/c", "Draft")]
    snapshot = apply(Snapshot(), [*values, make_value("zoo/b", "unreadable")], 0)
    catalog = ArticleCatalog(snapshot)
    catalog.precompute()
    answers(catalog)
    later = catalog.updated(apply(snapshot, edit, 1))
    assert (later.generation, later.visible) == (catalog.generation, catalog.visible)
    of_files = {"snapshot", "by_id", "hidden_count", "_files_by_folder"}
    assert vars(later).keys() == vars(catalog).keys()
    for name in vars(catalog).keys() - of_files:
        assert vars(later)[name] is vars(catalog)[name]
    assert answers(later) == answers(ArticleCatalog(later.snapshot))


SEEN_EDITS: list[list[ArticleFields | str]] = [
    [make_value("a/b", "Live", body="After.")],
    [make_value("a/b", "Draft")],
    [make_value("a/c", "Live")],
    ["a/b"],
    ["zoo/b"],
    [make_value("zoo/c", "unreadable")],
]


@pytest.mark.parametrize("edit", SEEN_EDITS)
def test_any_other_change_is_a_new_generation(edit: list[ArticleFields | str]) -> None:
    """Files that break the schema count: they are named as such."""
    values = [make_value("a/b", "Live"), make_value("a/c", "Draft")]
    snapshot = apply(Snapshot(), [*values, make_value("zoo/b", "unreadable")], 0)
    catalog = ArticleCatalog(snapshot)
    later = catalog.updated(apply(snapshot, edit, 1))
    assert later.generation == later.snapshot.generation > catalog.generation
    assert later.visible is not catalog.visible


def test_a_digest_that_changed_before_an_edit_is_that_of_the_file() -> None:
    """A comment in the frontmatter is no change of content, but of the file."""
    value = make_article("a/b")
    snapshot = apply(Snapshot(), [value, make_article("a/c")], 0)
    catalog = ArticleCatalog(snapshot)
    assert catalog.digests["a/b"] == repr(value).encode()
    commented = CachedFile[ArticleFields](Signature(1, 1, 1, 1, 1), b"other", value)
    scan = ScanResult(snapshot, {"a/b.md": commented}, is_partial=True)
    snapshot = merge_scan(snapshot, scan)
    assert snapshot.generation == catalog.generation
    later = catalog.updated(apply(snapshot, [make_article("a/c", title="New")], 1))
    assert later.digests["a/b"] == b"other"
    assert later.has_digest("a/b", b"other")


def test_an_article_without_a_date_is_listed_last() -> None:
    """In the preview of its author: a hidden article needs no date."""
    hidden = make_article("a/b", status=ArticleStatus.DRAFT, last_updated="")
    snapshot = apply(Snapshot(), [hidden, make_article("zoo/a")], 0)
    preview = ArticleCatalog(snapshot, includes_hidden=True)
    assert [article.id for article in preview.articles] == ["zoo/a", "a/b"]
    later = preview.updated(apply(snapshot, [make_article("zoo/b")], 1))
    assert [article.id for article in later.articles] == ["zoo/a", "zoo/b", "a/b"]
    assert preview.find("b") is hidden


def test_articles_by_id_are_those_that_are_visible() -> None:
    """A hidden article is as absent as a missing one, however it is asked for."""
    hidden = make_article("a/b", status=ArticleStatus.DRAFT)
    snapshot = apply(Snapshot(), [hidden, make_article("zoo/a")], 0)
    by_id = ArticleCatalog(snapshot).by_id
    assert (list(by_id), len(by_id)) == (["zoo/a"], 1)
    for id in ("a/b", "a/none", "zoo/a.md", ""):
        assert id not in by_id
        assert by_id.get(id) is None
        with pytest.raises(KeyError):
            by_id[id]


def test_the_order_is_that_of_the_sort_keys() -> None:
    """Sorting by one field after the other is only faster."""
    names = [f"{c}/{s}" for c in ("zoo", "concepts", "a") for s in ("b-c", "b", "bc")]
    dates = ("2025-01-02", "2024-12-31", "2025-01-01")
    articles = [
        make_article(f"{name}-{date}", last_updated=date)
        for name, date in itertools.product(names, dates)
    ]
    snapshot = Snapshot(
        entries=MappingProxyType({f"{a.id}.md": make_entry(a, 0) for a in articles})
    )
    listed: tuple[Article, ...] = ArticleCatalog(snapshot).articles
    assert list(listed) == sorted(articles, key=sort_key)
