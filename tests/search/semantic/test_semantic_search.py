"""Search with meaning: what it finds, and what it never does."""

import asyncio
import logging

import pytest
from support.embedding import TopicModel, open_with_model
from support.processes import list_loaded
from support.texts import Texts, document, find, index, keys, section

from asdlc_kb.exceptions import OperationalError
from asdlc_kb.search.semantic.semantic_search import SemanticSearch
from asdlc_kb.search.service.fulltext import FullText
from asdlc_kb.search.service.indexer import Indexer
from asdlc_kb.search.values import SearchDocument, SearchRequest

BOUND = 60.0

CATS = document("pets/cats.md", "Cats", "The feline sleeps all day, every day.")
CARS = document(
    "cars.md",
    "Vehicles",
    "A motor needs oil. Some motor is loud.",
    section("Parts", "Of an engine a piston moves fastest.", 9),
)
SLEEP = document("sleep.md", "Rest", "How long people sleep at night.")
BREAD = document("bread.md", "Food", "Bake with flour in the oven.")
ALL = (CATS, CARS, SLEEP, BREAD)
QUESTION = "how long does a kitten sleep?"


def searchable(*documents: SearchDocument) -> tuple[FullText, Texts]:
    """Return an index that compares meaning, up to date, and its source."""
    fulltext, _ = open_with_model()
    source = Texts(*documents)
    fulltext.sync(source)
    fulltext.embed()
    return fulltext, source


def test_a_question_finds_what_means_the_same() -> None:
    """Its words alone find another page first, or nothing."""
    question = "does my kitten purr?"
    assert keys(find(index(*ALL), question)) == []
    results = find(searchable(*ALL), question)
    assert keys(results)[0] == "pets/cats.md"
    assert results.hits[0].snippet == "The feline sleeps all day, every day."


def test_words_still_count_more() -> None:
    """The page with the words stays first, and the similar one moves up."""
    by_words = find(index(*ALL), QUESTION)
    found = find(searchable(*ALL), QUESTION)
    assert keys(found)[:2] == ["sleep.md", "pets/cats.md"]
    assert found.hits[0].score < by_words.hits[0].score
    assert found.hits[1].score > by_words.hits[1].score


def test_a_page_without_the_words_is_shown_with_its_similar_section() -> None:
    """Not with its first one."""
    fulltext, source = searchable(*ALL)
    hit = find((fulltext, source), "why would this piston rattle?").hits[0]
    assert (hit.key, hit.heading, hit.line) == ("cars.md", "Parts", 9)


@pytest.mark.parametrize(
    "query",
    [
        "kitten",
        "kitten purr cat engine",
        'how does a "kitten" purr?',
        "how does a +kitten purr?",
        "how does a kitten purr? -canary",
        "title:kitten how does it purr?",
        "how does a kitten pur*",
        "is it the?",
        "what is that?",
    ],
)
def test_only_plain_questions_are_compared(query: str) -> None:
    """Names, single words and operators are searched for as they are."""
    assert find(searchable(*ALL), query) == find(index(*ALL), query)


def test_a_question_on_another_subject_finds_nothing_more() -> None:
    """Nothing is similar enough."""
    question = "who won the football match yesterday?"
    assert find(searchable(*ALL), question) == find(index(*ALL), question)


def test_until_the_vectors_are_there_words_count_alone() -> None:
    """An index is searched before the first update of its vectors, too."""
    fulltext, _ = open_with_model()
    source = Texts(*ALL)
    fulltext.sync(source)
    assert find((fulltext, source), QUESTION) == find(index(*ALL), QUESTION)


def test_a_hidden_page_is_no_candidate() -> None:
    """It changes neither order nor scores: as if it was never indexed."""
    question = "does my kitten purr?"
    hidden = document("secret.md", "Secret", "The kitten and the feline purr. Kitten.")
    other = document("dogs.md", "Dogs", "A cat is not a dog.")
    with_hidden, _ = searchable(*ALL, other, hidden)
    without = searchable(*ALL, other)
    request = SearchRequest(question, 10, without[1].accepts)
    found, expected = with_hidden.search(request), without[0].search(request)
    assert "secret.md" not in keys(found)
    assert keys(found) == keys(expected)
    assert keys(find((with_hidden, Texts(*ALL, other, hidden)), question))[0] == (
        "secret.md"
    )


def test_a_page_that_was_hidden_since_is_no_candidate() -> None:
    """Before its vectors are removed, and after the index was changed."""
    fulltext, _ = searchable(*ALL)
    remaining = Texts(CARS, SLEEP, BREAD)
    question = "does my kitten purr?"
    assert keys(find((fulltext, remaining), question)) == []
    fulltext.sync(remaining)
    assert keys(find((fulltext, remaining), question)) == []
    fulltext.embed()
    assert keys(find((fulltext, remaining), question)) == []


def test_changed_content_is_not_found_by_its_old_meaning() -> None:
    """Its vectors are those of another digest."""
    fulltext, _ = searchable(*ALL)
    changed = Texts(document("pets/cats.md", "Cats", "Bread."), CARS, SLEEP, BREAD)
    fulltext.sync(changed)
    assert keys(find((fulltext, changed), "does my kitten purr?")) == []


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"category": "guides"}, ["pets/cats.md"]),
        ({"category": "other"}, []),
        ({"keys": frozenset({"cars.md", "bread.md"})}, []),
        ({"keys": frozenset({"pets/cats.md", "bread.md"})}, ["pets/cats.md"]),
    ],
)
def test_conditions_hold_for_similar_pages(
    fields: dict[str, object], expected: list[str]
) -> None:
    """A category, or the pages of an edition."""
    fulltext, source = searchable(*ALL)
    question = "does my kitten purr?"
    request = SearchRequest(question, 10, source.accepts, **fields)  # type: ignore[arg-type]
    assert keys(fulltext.search(request))[:1] == expected


def test_similar_pages_of_old_versions_come_behind() -> None:
    """As they do by their words."""
    old = document("v1/cats.md", "Cats", "The feline of old, a cat.")
    fulltext, source = searchable(*ALL, old)
    request = SearchRequest(
        "does my kitten purr?",
        10,
        source.accepts,
        is_secondary=lambda key: key.startswith("v1/"),
    )
    assert keys(fulltext.search(request)) == ["pets/cats.md", "v1/cats.md"]


def test_a_small_index_is_not_said_to_match_nothing() -> None:
    """Where meaning counts, that takes a search in a thread."""
    fulltext, source = searchable(*ALL)
    request = SearchRequest("does my kitten purr?", 10, source.accepts)
    assert fulltext.search_unmatched(request) is None


async def test_the_indexer_embeds_after_each_change() -> None:
    """Searches are answered before, too."""
    fulltext, model = open_with_model()
    sources = [Texts(CATS)]
    indexer = Indexer(fulltext, lambda: sources[-1], delay=0)
    running = asyncio.ensure_future(indexer.run())
    try:
        for documents, count in (((CATS,), 1), (ALL, 5)):
            sources.append(Texts(*documents))
            indexer.request_update()
            async with asyncio.timeout(BOUND):
                while fulltext.semantic is None or len(fulltext.semantic) < count:
                    await asyncio.sleep(0.01)
    finally:
        running.cancel()
    assert len(model.embedded) == 5


async def test_a_model_that_fails_leaves_search_by_words(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """And is reported once for each change."""

    def fail() -> TopicModel:
        raise OperationalError("no model")

    fulltext, source = FullText(None, semantic=SemanticSearch(fail)), Texts(*ALL)
    released = asyncio.Event()
    loop = asyncio.get_running_loop()

    def release() -> None:
        loop.call_soon_threadsafe(released.set)

    indexer = Indexer(fulltext, lambda: source, release_memory=release)
    running = asyncio.ensure_future(indexer.run())
    async with asyncio.timeout(BOUND):
        await released.wait()
    running.cancel()
    assert find((fulltext, source), QUESTION) == find(index(*ALL), QUESTION)
    failed = [one for one in caplog.records if one.message == "embedding failed"]
    assert [one.__dict__["error"] for one in failed] == ["no model"]
    assert [one.levelno for one in failed] == [logging.ERROR]


def test_a_closed_index_embeds_nothing() -> None:
    """Another process may use its folder by then."""
    fulltext, model = open_with_model()
    fulltext.sync(Texts(*ALL))
    fulltext.close()
    fulltext.embed()
    assert model.embedded == []


def test_libraries_are_loaded_with_the_first_update() -> None:
    """A server without the setting, and its start with it, load none of them."""
    loaded = list_loaded(
        "import sys\n"
        "from asdlc_kb.search.semantic.semantic_search import open_semantic_search\n"
        "from asdlc_kb.search.service.fulltext import FullText\n"
        "FullText(None, semantic=open_semantic_search(print))\n"
        "print(*sys.modules)\n"
    )
    assert "asdlc_kb.search.service.fulltext" in loaded
    assert loaded.isdisjoint({"numpy", "tokenizers", "wordllama"})


def test_after_a_rebuild_vectors_are_not_those_of_other_pages() -> None:
    """Slots begin again, and the vectors follow later."""
    fulltext, _ = searchable(CATS, CARS, SLEEP)
    fulltext.is_damaged = True
    renumbered = Texts(CARS, SLEEP, CATS)
    fulltext.sync(renumbered)
    question = "does my kitten purr?"
    assert keys(find((fulltext, renumbered), question)) == []
    fulltext.embed()
    assert keys(find((fulltext, renumbered), question))[0] == "pets/cats.md"
