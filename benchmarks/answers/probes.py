"""The calls that are measured: the fixed questions in each form, lists and articles."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from benchmarks.answers.questions import Subject, read_subjects
from benchmarks.answers.trees import TREES

ARTICLES: Final = "articles"
"""The source that is this project's own content."""

HELD_OUT: Final = "undici"
"""The tree whose questions chose no default."""

SOURCES: Final = (ARTICLES, *TREES)

Arguments = Mapping[str, Any]


@dataclass(frozen=True)
class Probe:
    """One call, and what its answer should contain."""

    kind: str
    """The row of the tables to which it belongs."""
    source: str
    tool: str
    arguments: Arguments
    words: Sequence[str] = ()
    """Empty: nothing is looked for."""
    further: "Probe | None" = field(default=None)
    """The call that reads the right document, once the answer has named it."""


def list_probes(source: str) -> Iterator[Probe]:
    """Yield the calls to one source."""
    subjects = read_subjects(source)
    if source != ARTICLES:
        kind = "documentation, question"
        if source == HELD_OUT:
            kind = "documentation, question, not seen before"
        for subject in subjects:
            yield ask_docs(source, kind, subject)
        for subject in subjects:
            kind = "documentation, question, rows only"
            yield ask_docs(source, kind, subject, detail="list")
        return
    for subject in subjects:
        yield ask_articles("articles, question", subject.question, subject)
    for subject in subjects:
        kind = "articles, question, rows only"
        yield ask_articles(kind, subject.question, subject, detail="list")
    for subject in subjects:
        yield ask_articles("articles, phrase", subject.phrase, subject)
    for subject in subjects:
        slug = subject.document.rpartition("/")[2]
        probe = ask_articles("articles, keyword", subject.keyword, subject)
        yield Probe(
            probe.kind, source, probe.tool, probe.arguments, (slug,), probe.further
        )
    yield Probe("list of articles", source, "list_articles", {})
    for subject in subjects:
        yield _read_article("one article", subject)


def ask_articles(kind: str, query: str, subject: Subject, **arguments: object) -> Probe:
    """Return a search of the articles for a subject."""
    return Probe(
        kind,
        ARTICLES,
        "search_articles",
        {"query": query, **arguments},
        subject.words,
        _read_article(kind, subject),
    )


def ask_docs(source: str, kind: str, subject: Subject, **arguments: object) -> Probe:
    """Return a search of a documentation tree for a subject."""
    path = {"path": subject.document}
    return Probe(
        kind,
        source,
        "search_docs",
        {"query": subject.question, **arguments},
        subject.words,
        Probe(kind, source, "get_doc_page", path, subject.words),
    )


def _read_article(kind: str, subject: Subject) -> Probe:
    slug = {"slug": subject.document}
    return Probe(kind, ARTICLES, "get_article", slug, subject.words)
