"""Sizes of answers on this project's own content, over MCP: they may not grow."""

from collections.abc import Iterator, Mapping, Sequence
from statistics import mean
from typing import Final

import pytest

from benchmarks.answers.client_views import CLIENTS
from benchmarks.answers.measurement import (
    Answer,
    Session,
    measure_introduction,
    open_session,
)
from benchmarks.answers.probes import ARTICLES, list_probes
from benchmarks.answers.questions import has_words
from benchmarks.cache import ROOT

MAX_SEARCH_CHARS: Final = 5_000
"""Default of `max_chars`, which bounds the first text of a search."""

MEAN_CHARS: Final = {
    "articles, question": 5_000,
    "articles, question, rows only": 2_600,
    "articles, phrase": 5_000,
    "articles, keyword": 1_400,
}
"""Characters that a model may get for a search, on average."""

Answers = Mapping[str, Sequence[tuple[Answer, Sequence[str]]]]
"""The answers of each kind of call, each with the words it should have."""


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    """Serve the articles."""
    with open_session(ROOT, ARTICLES) as session:
        yield session


@pytest.fixture(scope="module")
def answers(session: Session) -> Answers:
    """Return the answers to the fixed questions, phrases and keywords."""
    found: dict[str, list[tuple[Answer, Sequence[str]]]] = {}
    for probe in list_probes(ARTICLES):
        answer = session.call(probe.tool, probe.arguments)
        found.setdefault(probe.kind, []).append((answer, probe.words))
    return found


@pytest.mark.parametrize("kind", MEAN_CHARS)
@pytest.mark.parametrize("client", CLIENTS)
def test_a_search_costs_few_characters_in_each_client(
    answers: Answers, client: str, kind: str
) -> None:
    """Whatever a client makes of texts, structure and links."""
    view = CLIENTS[client]
    sizes = [len(view(answer.result)) for answer, _ in answers[kind]]
    assert mean(sizes) <= MEAN_CHARS[kind]


@pytest.mark.parametrize("kind", MEAN_CHARS)
def test_the_text_of_a_search_obeys_the_default_of_max_chars(
    answers: Answers, kind: str
) -> None:
    """One text, and at most a second one about what was left out."""
    for answer, _ in answers[kind]:
        text, *notes = answer.result["content"]
        assert len(text["text"]) <= MAX_SEARCH_CHARS
        assert len(notes) <= 1
        assert all(len(note["text"]) <= 500 for note in notes)


@pytest.mark.parametrize(
    ("kind", "least"),
    [("articles, question", 17), ("articles, phrase", 17), ("articles, keyword", 20)],
)
def test_the_first_answer_has_what_was_asked_for(
    answers: Answers, kind: str, least: int
) -> None:
    """Of 20 each."""
    found = [
        all(has_words(view(answer.result), words) for view in CLIENTS.values())
        for answer, words in answers[kind]
    ]
    assert sum(found) >= least


def test_an_article_is_hardly_longer_than_its_text(answers: Answers) -> None:
    """No part of an answer repeats another one."""
    for answer, words in answers["one article"]:
        (text,) = answer.result["content"]
        assert has_words(text["text"], words)
        assert answer.wire <= 1.25 * len(text["text"].encode())
        assert "structuredContent" not in answer.result


def test_what_a_model_is_told_before_any_call_is_short() -> None:
    """With all three sources; every conversation pays for it."""
    introduction = measure_introduction(ROOT)
    assert introduction.instructions <= 1_000
    assert introduction.tools <= 16_000
