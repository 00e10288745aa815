"""Change notifications of the visible articles."""

from typing import Any

import pytest
from support.knowledge import KnowledgeBase
from support.library import loaded, rescan

from asdlc_kb.articles.library import ArticleLibrary
from asdlc_kb.mcp.subscriptions.events import (
    Event,
    PromptsChanged,
    ResourcesChanged,
    ResourceUpdated,
    ToolsChanged,
)
from asdlc_kb.providers.articles.events import list_events

TOOLS, PROMPTS, RESOURCES = ToolsChanged(), PromptsChanged(), ResourcesChanged()


def updated(*names: str) -> list[Event]:
    """Return the events of resources with changed text."""
    return [ResourceUpdated(f"kb://article/{name}") for name in names]


def scan_events(library: ArticleLibrary) -> list[Event]:
    """Return the events of the current state of the disk."""
    before = library.catalog
    return list_events(before, rescan(library))


@pytest.fixture
def library(small_base: KnowledgeBase) -> ArticleLibrary:
    """The small knowledge base, loaded."""
    return loaded(small_base)


def save(
    small_base: KnowledgeBase, library: ArticleLibrary, name: str, **fields: Any
) -> Any:
    """Return the events of saving an article."""
    small_base.write(name, **fields)
    return scan_events(library)


def test_nothing_is_told_of_what_cannot_be_seen(
    small_base: KnowledgeBase, library: ArticleLibrary
) -> None:
    """D-039: a draft that is added, changed or removed causes no notification."""
    path = small_base.write("concepts/new", status="Draft")
    assert scan_events(library) == []
    assert save(small_base, library, "concepts/new", status="Proposed") == []
    assert save(small_base, library, "drafts/only", status="Draft") == []
    path.unlink()
    assert scan_events(library) == []
    assert scan_events(library) == []


def test_a_promotion_changes_the_list_and_what_its_uris_read(
    small_base: KnowledgeBase, library: ArticleLibrary
) -> None:
    """D-039: a client that read "not found" is notified."""
    events = save(small_base, library, "concepts/known-draft", body="x")
    assert events == [RESOURCES, *updated("concepts/known-draft", "known-draft")]


def test_the_first_load_changes_the_lists_alone(small_base: KnowledgeBase) -> None:
    """D-039: no client has read any article before."""
    empty = ArticleLibrary(small_base.root)
    first = empty.catalog
    empty.load()
    assert list_events(first, empty.catalog) == [TOOLS, PROMPTS, RESOURCES]
    for path in small_base.root.rglob("*.md"):
        path.unlink()
    before = rescan(empty)
    small_base.write("concepts/again")
    events = list_events(before, rescan(empty))
    assert ResourceUpdated("kb://article/concepts/again") in events


@pytest.mark.parametrize("status", ["Draft", "Proposed", "Deprecated", "Nonsense"])
def test_a_demotion_changes_the_list_and_what_its_uris_read(
    small_base: KnowledgeBase, library: ArticleLibrary, status: str
) -> None:
    """D-039: demotion is list_changed and updated, by either name."""
    small_base.write("practices/other")
    scan_events(library)
    events = save(small_base, library, "practices/prune", status=status)
    assert events == [RESOURCES, *updated("practices/prune", "prune")]


def test_a_deletion_is_told_as_a_demotion_is(
    small_base: KnowledgeBase, library: ArticleLibrary
) -> None:
    """D-002: hidden is the same as missing."""
    (small_base.root / "concepts/context-engineering.md").unlink()
    names = ("concepts/context-engineering", "context-engineering")
    assert scan_events(library) == [RESOURCES, *updated(*names)]


def test_the_description_is_in_the_list_alone(
    small_base: KnowledgeBase, library: ArticleLibrary
) -> None:
    """The list shows it, the text of the resource does not."""
    small_base.write("concepts/plain")
    scan_events(library)
    events = save(small_base, library, "concepts/plain", description="Other")
    assert events == [RESOURCES]


@pytest.mark.parametrize(
    "field",
    [
        {"supersededBy": "[plain]"},
        {"relatedIds": "[prune]"},
        {"maturity": "Standard"},
        {"publishedDate": "2026-05-17"},
    ],
    ids=str,
)
def test_what_no_resource_shows_is_not_told(
    small_base: KnowledgeBase, library: ArticleLibrary, field: dict[str, str]
) -> None:
    """The specification, resources: updated means that a read gives other text."""
    plain = {"lastUpdated": "2026-05-17"}
    small_base.write("concepts/plain", **plain)
    scan_events(library)
    assert save(small_base, library, "concepts/plain", **plain, **field) == []
    events = save(small_base, library, "concepts/plain", **plain, author="Another")
    assert events == updated("concepts/plain", "plain")


def test_a_new_body_changes_no_list(
    small_base: KnowledgeBase, library: ArticleLibrary
) -> None:
    """The list does not show the text."""
    small_base.write("concepts/plain")
    scan_events(library)
    for fields in ({"body": "Other\n"}, {"body": "Other\n", "tags": "[Other]"}):
        events = save(small_base, library, "concepts/plain", **fields)
        assert events == updated("concepts/plain", "plain")


@pytest.mark.parametrize(
    "fields",
    [
        {"title": "Other"},
        {"lastUpdated": "2025-02-02"},
        {"status": "Experimental"},
    ],
)
def test_what_the_list_shows_changes_it(
    small_base: KnowledgeBase, library: ArticleLibrary, fields: dict[str, str]
) -> None:
    """Title, date and status are in the list, and are read too."""
    small_base.write("concepts/plain")
    scan_events(library)
    events = save(small_base, library, "concepts/plain", **fields)
    assert events == [RESOURCES, *updated("concepts/plain", "plain")]


def test_a_slug_of_two_categories_is_updated_by_its_long_name_only(
    small_base: KnowledgeBase, library: ArticleLibrary
) -> None:
    """D-008: a slug that two articles share reads neither."""
    events = save(small_base, library, "handbook/twice", title="Other")
    assert events == [RESOURCES, *updated("handbook/twice")]


def test_a_second_article_of_a_slug_changes_what_the_slug_reads(
    small_base: KnowledgeBase, library: ArticleLibrary
) -> None:
    """D-008: a slug that becomes ambiguous reads nothing any more; one that ceases to
    be ambiguous reads something that could not be read before.
    """
    path = small_base.write("handbook/prune")
    names = updated("handbook/prune", "prune")
    assert scan_events(library) == [RESOURCES, *names]
    path.unlink()
    assert scan_events(library) == [RESOURCES, *names]


def test_a_slug_that_moves_reads_another_article(
    small_base: KnowledgeBase, library: ArticleLibrary
) -> None:
    """Its short name stays and its text does not."""
    path = small_base.root / "practices/prune.md"
    path.rename(small_base.root / "concepts/prune.md")
    assert scan_events(library) == [
        *(TOOLS, PROMPTS, RESOURCES),
        *updated("practices/prune", "concepts/prune", "prune"),
    ]


def test_the_first_article_of_a_category_changes_the_tools(
    small_base: KnowledgeBase, library: ArticleLibrary
) -> None:
    """D-007: the schemas' enums contain the visible categories."""
    changed = [TOOLS, RESOURCES, *updated("new/a", "a")]
    assert save(small_base, library, "new/a") == changed
    (small_base.root / "new/a.md").unlink()
    assert scan_events(library) == changed


@pytest.mark.parametrize(
    ("category", "slug"), [("practices", "prune"), ("patterns", "the-spec")]
)
def test_the_last_article_of_a_prompts_category_changes_the_prompts(
    small_base: KnowledgeBase, library: ArticleLibrary, category: str, slug: str
) -> None:
    """D-106: a prompt is offered if its category has an article."""
    name = f"{category}/{slug}"
    changed = [TOOLS, PROMPTS, RESOURCES, *updated(name, slug)]
    assert save(small_base, library, name, status="Draft") == changed
    assert save(small_base, library, name) == changed


def test_names_of_any_script_are_told_as_lists_spell_them(
    small_base: KnowledgeBase, library: ArticleLibrary
) -> None:
    """RFC 3986: percent-encoded, as in resources/list."""
    small_base.write("concepts/größe")
    scan_events(library)
    events = save(small_base, library, "concepts/größe", body="Other\n")
    assert events == updated("concepts/gr%C3%B6%C3%9Fe", "gr%C3%B6%C3%9Fe")


def test_many_changes_at_once_are_each_told_once(
    small_base: KnowledgeBase, library: ArticleLibrary
) -> None:
    """D-038: one announcement, whatever happened in between."""
    small_base.write("concepts/context-engineering", status="Draft")
    small_base.write("practices/prune", body="Other\n", description="d" * 250)
    small_base.write("concepts/one")
    small_base.write("concepts/two")
    events = scan_events(library)
    assert events[0] == RESOURCES
    assert len(events) == len(set(events)) == 9
    assert set(events[1:]) == set(
        updated(
            *("concepts/context-engineering", "context-engineering"),
            *("practices/prune", "prune"),
            *("concepts/one", "one", "concepts/two", "two"),
        )
    )
