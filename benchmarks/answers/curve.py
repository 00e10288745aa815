"""Share of the questions that a search answers, by the length of its answers."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import mean
from typing import Final

from benchmarks.answers.measurement import Session, open_session
from benchmarks.answers.probes import ARTICLES, Probe, ask_articles, ask_docs
from benchmarks.answers.questions import has_words, read_subjects
from benchmarks.answers.trees import TREES
from benchmarks.bench import Section

LENGTHS: Final = (
    1_000,
    1_500,
    2_000,
    3_000,
    4_000,
    5_000,
    6_000,
    8_000,
    10_000,
    20_000,
)
"""Values of `max_chars`."""

VARIANTS: Final[Mapping[str, Mapping[str, str]]] = {
    "default": {},
    "passages": {"detail": "passages"},
    "list": {"detail": "list"},
}
"""Arguments of each curve."""


def measure_curve(checkout: Path) -> Sequence[Section]:
    """Return a table for the documentation and one for the articles."""
    points: dict[str, dict[tuple[str, int], list[tuple[bool, int]]]] = {}
    for source in (*TREES, ARTICLES):
        title = "search_articles" if source == ARTICLES else "search_docs"
        cells = points.setdefault(title, {})
        with open_session(checkout, source) as session:
            for variant, arguments in VARIANTS.items():
                for length in LENGTHS:
                    cell = cells.setdefault((variant, length), [])
                    options = {**arguments, "max_chars": length}
                    cell += (
                        _measure(session, probe)
                        for probe in _list_probes(source, options)
                    )
    return [_show(title, cells) for title, cells in points.items()]


def _list_probes(source: str, options: Mapping[str, object]) -> Iterator[Probe]:
    for subject in read_subjects(source):
        if source != ARTICLES:
            yield ask_docs(source, "curve", subject, **options)
            continue
        for query in (subject.question, subject.phrase):
            yield ask_articles("curve", query, subject, **options)


def _measure(session: Session, probe: Probe) -> tuple[bool, int]:
    """Return whether the texts have the words, and how many characters they have."""
    result = session.call(probe.tool, probe.arguments).result
    text = "\n".join(block["text"] for block in result["content"])
    return has_words(text, probe.words), len(text)


def _show(
    title: str, cells: Mapping[tuple[str, int], Sequence[tuple[bool, int]]]
) -> Section:
    rows = []
    for length in LENGTHS:
        row = [f"{length:,}"]
        for variant in VARIANTS:
            cell = cells[variant, length]
            share = mean(is_found for is_found, _ in cell)
            row.append(f"{share:.0%} / {mean(size for _, size in cell):,.0f}")
        rows.append(row)
    count = len(next(iter(cells.values())))
    return Section(
        f"{title}, {count} queries",
        ("max_chars", *VARIANTS),
        rows,
        "Share of the queries with the words in the first answer / mean characters of "
        "its texts.",
    )
