"""Share of the questions that a search answers, by the length of its answers."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from statistics import mean
from typing import Final, NamedTuple

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

_OURS: Final = (ARTICLES,)


class Point(NamedTuple):
    """The answers of one length."""

    max_chars: int
    share: float
    """Of the queries whose first answer has the words."""
    characters: float
    """Mean characters of the answers' texts."""


@dataclass(frozen=True)
class Curve:
    """One tool with one set of arguments."""

    tool: str
    variant: str
    queries: int
    points: Sequence[Point]


def measure_curves(checkout: Path) -> Sequence[Curve]:
    """Return the curves of each variant for the documentation and for the articles."""
    return [
        curve
        for tool, sources in (("search_docs", tuple(TREES)), ("search_articles", _OURS))
        for curve in _measure_tool(checkout, tool, sources)
    ]


def _measure_tool(checkout: Path, tool: str, sources: Sequence[str]) -> Iterator[Curve]:
    cells: dict[tuple[str, int], list[tuple[bool, int]]] = {}
    for source in sources:
        with open_session(checkout, source) as session:
            for variant, length in product(VARIANTS, LENGTHS):
                options = {**VARIANTS[variant], "max_chars": length}
                cells.setdefault((variant, length), []).extend(
                    _measure(session, probe) for probe in _list_probes(source, options)
                )
    for variant in VARIANTS:
        answers = {length: cells[variant, length] for length in LENGTHS}
        points = [
            Point(
                length,
                mean(is_found for is_found, _ in cell),
                mean(size for _, size in cell),
            )
            for length, cell in answers.items()
        ]
        yield Curve(tool, variant, len(answers[LENGTHS[0]]), points)


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


def show_curves(curves: Sequence[Curve]) -> list[Section]:
    """Return a table for each tool."""
    sections = []
    for tool in dict.fromkeys(curve.tool for curve in curves):
        chosen = [curve for curve in curves if curve.tool == tool]
        rows = [
            (f"{points[0].max_chars:,}", *map(_show_point, points))
            for points in zip(*(curve.points for curve in chosen), strict=True)
        ]
        sections.append(
            Section(
                f"{tool} by max_chars, {chosen[0].queries} queries",
                ("max_chars", *(f"detail: {curve.variant}" for curve in chosen)),
                rows,
                "Share of the queries whose first answer has the words / mean "
                "characters of its texts.",
            )
        )
    return sections


def _show_point(point: Point) -> str:
    return f"{point.share:.0%} / {point.characters:,.0f}"
