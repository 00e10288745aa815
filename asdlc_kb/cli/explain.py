"""Reasons for search results, for `search --explain`."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any, Final

import msgspec

from asdlc_kb.articles.article import Article
from asdlc_kb.cli.search_sources import Findings, SourceSearch
from asdlc_kb.cli.terminal import Line
from asdlc_kb.search.keyword_index import score_fields
from asdlc_kb.search.service.merged_ranking import RankedHit

if TYPE_CHECKING:
    from asdlc_kb.search.query.explanation import (
        ExplainedHit,
        ExplainedWord,
        Explanation,
    )

_INDENT: Final = "    "


@dataclass(frozen=True, slots=True)
class Reasons:
    """Why the results of one source were found."""

    noun: str
    text: str
    """The query without filters."""
    explanation: "Explanation | None"
    """That of a full-text search."""
    points: tuple[Mapping[str, int], ...] = ()
    """Points by field of each article that keyword search found."""


def explain_findings(finder: SourceSearch, findings: Findings) -> Reasons:
    """Return the reasons for the results of a source."""
    if findings.request is None:
        points = tuple(
            score_fields(item.entry, findings.text)
            for item in findings.items
            if isinstance(item.entry, Article)
        )
        return Reasons(findings.noun, findings.text, None, points)
    index = finder.index_of(findings)
    explanation = index.explain(findings.request, findings.full_text)
    return Reasons(findings.noun, findings.text, explanation)


def add_reasons(
    rows: Sequence[Mapping[str, Any]],
    ranked: Sequence[RankedHit],
    reasons: Sequence[Reasons],
) -> dict[str, Any]:
    """Return rows of ranked results as JSON values, each with its reasons."""
    why = [list(_list_hits(each)) for each in reasons]
    return {
        "searches": [_describe_search(each) for each in reasons],
        "results": [
            {**row, "why": why[hit.source][hit.number]}
            for row, hit in zip(rows, ranked, strict=True)
        ],
    }


def _describe_search(reasons: Reasons) -> dict[str, Any]:
    described = {"source": reasons.noun, "text": reasons.text}
    explanation = reasons.explanation
    if explanation is None:
        return {**described, "mode": "keyword"}
    return {
        **described,
        "mode": "fulltext",
        "words": [
            {
                "typed": word.typed,
                "stems": list(word.stems),
                "weight": word.weight,
                "isReplaced": word.is_replaced,
                "variants": [
                    {"word": other, "weight": weight} for other, weight in word.variants
                ],
                "parts": list(word.parts),
            }
            for word in explanation.words
        ],
        "ignored": list(explanation.ignored),
        "phrases": msgspec.to_builtins(explanation.phrases),
    }


def _list_hits(reasons: Reasons) -> Iterator[dict[str, Any]]:
    if reasons.explanation is None:
        for points in reasons.points:
            yield {"score": sum(points.values()), "points": dict(points)}
        return
    for hit in reasons.explanation.hits:
        yield {
            "score": hit.score,
            "pageScore": hit.page_score,
            "sectionScore": hit.section_score,
            "sectionShare": hit.section_share,
            "factor": hit.factor,
            "rest": hit.rest,
            "matches": msgspec.to_builtins(hit.matches),
        }


def add_reason_lines(
    lines: Sequence[Iterable[Line]],
    ranked: Sequence[RankedHit],
    reasons: Sequence[Reasons],
) -> Iterator[Line]:
    """Yield the lines of ranked results, each with its reasons.

    Before them, those of what was searched for in each source.
    """
    yield from chain.from_iterable(map(_show_search, reasons))
    why = [list(_show_hits(each)) for each in reasons]
    for result, hit in zip(lines, ranked, strict=True):
        yield from chain(result, why[hit.source][hit.number])


def _show_search(reasons: Reasons) -> Iterator[str]:
    """Yield what was searched for in a source."""
    if not reasons.text.strip():
        yield f"{reasons.noun}: no words to search for"
        return
    if reasons.explanation is None:
        yield f"{reasons.noun}: '{reasons.text}' as it is, by keyword"
        return
    yield f"{reasons.noun}: full text"
    for word in reasons.explanation.words:
        yield f"{_INDENT}{_show_word(word)}"
    if reasons.explanation.ignored:
        yield f"{_INDENT}not searched for: {', '.join(reasons.explanation.ignored)}"
    for phrase in reasons.explanation.phrases:
        adjacent = " ".join(phrase.stems)
        yield f"{_INDENT}side by side: {adjacent}, weight {phrase.weight:.2f}"


def _show_word(word: "ExplainedWord") -> str:
    stems = " or ".join(word.stems)
    searched = f"{word.typed}: searched as {stems}, weight {word.weight:.2f}"
    others = ", ".join(f"{other} ({weight:.2f})" for other, weight in word.variants)
    if word.parts:
        return f"{word.typed}: unknown, searched as {' and '.join(word.parts)}"
    if word.is_replaced:
        return f"{word.typed}: unknown, searched as {others}"
    return f"{searched}; also {others}" if others else searched


def _show_hits(reasons: Reasons) -> Iterator[list[str]]:
    """Yield the lines of each result."""
    if not reasons.text.strip():
        explanation = reasons.explanation
        results = reasons.points if explanation is None else explanation.hits
        yield from repeat([], len(results))
    elif reasons.explanation is None:
        for points in reasons.points:
            fields = " + ".join(f"{name} {n}" for name, n in points.items())
            yield [f"{_INDENT}points {sum(points.values())}" + _equals(fields)]
    else:
        yield from map(_show_hit, reasons.explanation.hits)


def _show_hit(hit: "ExplainedHit") -> list[str]:
    share = hit.section_share
    parts = (
        f"{1 - share:.1f} x page {hit.page_score:.2f} "
        f"+ {share:.1f} x sections {hit.section_score:.2f}"
    )
    if hit.factor != 1:
        parts = f"{hit.factor:.1f} x ({parts})"
    if hit.rest:
        parts = f"{parts} {'+' if hit.rest > 0 else '-'} {abs(hit.rest):.2f} otherwise"
    matches = (
        f"{_INDENT * 2}{match.term}: {', '.join(match.fields)}"
        + (f", weight {match.weight:.2f}" if match.weight else "")
        for match in hit.matches
    )
    return [f"{_INDENT}score {hit.score:.2f}{_equals(parts)}", *matches]


def _equals(parts: str) -> str:
    return f" = {parts}" if parts else ""
