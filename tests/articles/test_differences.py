"""Differences between two catalogs, and their listeners."""

from typing import Any

import pytest
from support.knowledge import KnowledgeBase
from support.library import fetch, loaded, rescan

from asdlc_kb.articles.catalog import ArticleCatalog
from asdlc_kb.articles.differences import ArticleChanges, compare_snapshots
from asdlc_kb.exceptions import ArticleNotFound


def names(changes: ArticleChanges) -> tuple[list[str], list[str], list[str]]:
    """Return the ids of added, removed and edited articles."""
    return (
        [article.id for article in changes.added],
        [article.id for article in changes.removed],
        [after.id for _, after in changes.edited],
    )


def change(knowledge: KnowledgeBase, name: str, **fields: Any) -> ArticleChanges:
    """Return the changes caused by saving an article."""
    library = loaded(knowledge)
    before = library.catalog
    knowledge.write(name, **fields)
    return compare_snapshots(before, rescan(library))


def test_the_same_content_has_no_changes(knowledge: KnowledgeBase) -> None:
    """D-039: a save that changes nothing causes no notification."""
    knowledge.write("concepts/a")
    assert names(change(knowledge, "concepts/a")) == ([], [], [])


def test_a_new_article_is_added(knowledge: KnowledgeBase) -> None:
    """An article that became visible counts as added."""
    assert names(change(knowledge, "concepts/a")) == (["concepts/a"], [], [])


def test_a_deleted_article_is_removed_as_it_was(knowledge: KnowledgeBase) -> None:
    """D-069: a deleted file is gone at once."""
    path = knowledge.write("concepts/a", title="As It Was")
    library = loaded(knowledge)
    before = library.catalog
    path.unlink()
    changes = compare_snapshots(before, rescan(library))
    assert names(changes) == ([], ["concepts/a"], [])
    assert changes.removed[0].title == "As It Was"


@pytest.mark.parametrize(
    "fields",
    [
        {"title": "Other"},
        {"body": "Other\n"},
        {"tags": "[Other]"},
        {"lastUpdated": "2025-02-02"},
        {"status": "Experimental"},
    ],
)
def test_an_edited_article_is_given_before_and_after(
    knowledge: KnowledgeBase, fields: dict[str, str]
) -> None:
    """An edit concerns one article, whichever part of it changed."""
    knowledge.write("concepts/a")
    changes = change(knowledge, "concepts/a", **fields)
    assert names(changes) == ([], [], ["concepts/a"])
    ((before, after),) = changes.edited
    assert before != after
    assert (before.title, before.body) != ("Other", "Other\n")


@pytest.mark.parametrize("status", ["Draft", "Proposed", "Deprecated", "Nonsense"])
def test_a_promotion_adds_and_a_demotion_removes(
    knowledge: KnowledgeBase, status: str
) -> None:
    """D-002: hidden is the same as missing."""
    knowledge.write("concepts/a", status=status)
    assert names(change(knowledge, "concepts/a")) == (["concepts/a"], [], [])
    assert names(change(knowledge, "concepts/a", status=status)) == (
        *([], ["concepts/a"], []),
    )


def test_what_happens_to_hidden_articles_is_no_change(knowledge: KnowledgeBase) -> None:
    """D-039: editing a draft causes no notification."""
    for fields in (
        {"status": "Draft", "body": "Other\n"},
        {"status": "Proposed"},
        {"status": "Deprecated", "title": "Other"},
    ):
        changes = change(knowledge, "concepts/known-draft", **fields)
        assert names(changes) == ([], [], [])
    assert names(change(knowledge, "concepts/new", status="Draft")) == ([], [], [])


def test_a_move_is_a_removal_and_an_addition(knowledge: KnowledgeBase) -> None:
    """An article is identified by its folder and file name."""
    path = knowledge.write("concepts/a")
    library = loaded(knowledge)
    before = library.catalog
    (knowledge.root / "patterns").mkdir()
    path.rename(knowledge.root / "patterns" / "b.md")
    changes = compare_snapshots(before, rescan(library))
    assert names(changes) == (["patterns/b"], ["concepts/a"], [])


def test_listeners_get_each_change_with_both_catalogs(
    knowledge: KnowledgeBase,
) -> None:
    """Listeners see the new catalog in force."""
    library = loaded(knowledge)
    received: list[tuple[ArticleCatalog, ArticleCatalog]] = []
    in_force: list[bool] = []
    library.listen(lambda *catalogs: lambda: received.append(catalogs))
    library.listen(lambda _, after: lambda: in_force.append(library.catalog is after))
    first = library.catalog
    rescan(library)
    assert received == []
    knowledge.write("concepts/a")
    second = rescan(library)
    knowledge.write("concepts/known-draft", status="Draft", body="Other\n")
    third = rescan(library)
    assert received == [(first, second), (second, third)]
    assert in_force == [True, True]
    assert compare_snapshots(second, third) == ArticleChanges((), (), ())


def test_a_read_by_name_tells_of_what_it_found(knowledge: KnowledgeBase) -> None:
    """D-066: a read by name publishes the next snapshot for all requests."""
    knowledge.write("concepts/a")
    library = loaded(knowledge)
    received: list[ArticleChanges] = []
    library.listen(
        lambda *catalogs: lambda: received.append(compare_snapshots(*catalogs))
    )
    fetch(library, "a")
    assert received == []
    knowledge.write("concepts/a", status="Draft")
    with pytest.raises(ArticleNotFound):
        fetch(library, "a").find("a")
    assert [names(changes) for changes in received] == [([], ["concepts/a"], [])]
