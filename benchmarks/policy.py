"""`python -m benchmarks.policy [DIR]...`: effect of each step of the search policy.

Each step is left out alone, and the same queries are asked again. They are the cases of
our own content and, of trees of documentation, queries that are made of their pages: a
page has to come up for its own title, heading, words or path. The queries are divided
into two halves: weights are chosen on the first, and hold if the second agrees.
"""

import argparse
import random
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import mean
from typing import Final, NamedTuple

from asdlc_kb.articles.documents import ArticleSource
from asdlc_kb.articles.library import ArticleLibrary as Articles
from asdlc_kb.docs.documents import PageSource
from asdlc_kb.docs.library import DocLibrary as Pages
from asdlc_kb.search.evaluation import Case, Fixtures, evaluate_cases, read_fixtures
from asdlc_kb.search.policy import INDEX_POLICY, QUERY_POLICY, IndexPolicy, QueryPolicy
from asdlc_kb.search.service.fulltext import FullText
from asdlc_kb.search.values import DocumentSource, SearchDocument, SearchRequest
from benchmarks.bench import Section
from benchmarks.cache import ROOT
from benchmarks.report import table

MOST: Final = 150
"""Pages of each tree that queries are made of."""

HALVES: Final = ("dev", "test")

SHORTEST: Final = 6
"""Minimum characters of a word that is cut or misspelt."""

STEPS: Final[Mapping[str, QueryPolicy | IndexPolicy]] = {
    "unknown words are corrected": replace(QUERY_POLICY, corrections=0),
    "and completed": replace(QUERY_POLICY, completions=0),
    "and split": replace(QUERY_POLICY, split_weight=0.0),
    "adjacent words are joined": replace(QUERY_POLICY, join_words=1),
    "the last word may be unfinished": replace(QUERY_POLICY, last_words=0),
    "stop words count little, or not at all": replace(
        QUERY_POLICY, soft_words=80, soft_weight=1.0
    ),
    "a repeated word counts by its root": replace(QUERY_POLICY, repeat_power=1.0),
    "adjacent words are matched as pairs": replace(QUERY_POLICY, pair_weight=0.0),
    "parts of an identifier are matched as a phrase": replace(
        QUERY_POLICY, identifier_words=0
    ),
    "the whole query in a title or heading": replace(QUERY_POLICY, phrase_weight=0.0),
    "the query equals a title or heading": replace(QUERY_POLICY, exact_weight=0.0),
    "words of the query equal a title or heading": replace(QUERY_POLICY, named_words=0),
    "changelogs count less": replace(QUERY_POLICY, demoted_share=1.0),
    "separate score of the title": replace(QUERY_POLICY, title_weight=0.0),
    "title three times in the text": replace(INDEX_POLICY, title_copies=1),
    "tags twice in the text": replace(INDEX_POLICY, tag_copies=1),
    "words of the path": replace(INDEX_POLICY, path_copies=0),
    "heading four times in its section": replace(INDEX_POLICY, heading_copies=1),
    "the best section counts too": replace(QUERY_POLICY, section_share=0.0),
    "and further sections": replace(QUERY_POLICY, next_share=0.0),
}
"""The policy without each of its steps."""


class QuerySet(NamedTuple):
    """A source, and queries of one kind with their expected documents."""

    kind: str
    source: DocumentSource
    fixtures: Fixtures
    half: str = ""


def main(arguments: list[str]) -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="benchmarks.policy", description=__doc__)
    parser.add_argument("docs", nargs="*", type=Path, help="a tree of documentation")
    docs: list[Path] = parser.parse_args(arguments).docs
    query_sets = [_ours()]
    for root in docs:
        query_sets += make_query_sets(PageSource(Pages(root).load()))
    for section in _measure(query_sets):
        print(table(section))
    return 0


def _ours() -> QuerySet:
    content = ROOT / "content"
    fixtures = read_fixtures(content / "retrieval.toml")
    cases = tuple(
        case for case in fixtures.case if case.must_include and case.source != "docs"
    )
    source = ArticleSource(Articles(content).load())
    return QuerySet("ours", source, Fixtures(cases))


def make_query_sets(source: DocumentSource) -> Iterator[QuerySet]:
    """Yield queries of each kind and half, made of pages, the same in every run."""
    pick = random.Random(1)
    keys = sorted(source.digests())
    chosen = pick.sample(keys, min(MOST, len(keys)))
    kinds: dict[tuple[str, str], list[Case]] = {}
    for number, key in enumerate(chosen):
        for kind, query in _make_queries(source.document(key), pick):
            half = HALVES[number % len(HALVES)]
            kinds.setdefault((kind, half), []).append(Case(query, (key,)))
    for (kind, half), cases in kinds.items():
        yield QuerySet(kind, source, Fixtures(tuple(cases)), half)


def _make_queries(
    page: SearchDocument, pick: random.Random
) -> Iterator[tuple[str, str]]:
    if page.title:
        yield "title", page.title
    headings = [s.heading for s in page.sections if len(s.heading.split()) > 2]
    if headings:
        heading = pick.choice(headings)
        yield "heading", heading
        words = heading.split()
        at = pick.randrange(len(words) - 1)
        yield (
            "joined",
            " ".join([*words[:at], words[at] + words[at + 1], *words[at + 2 :]]),
        )
        if len(words[-1]) >= SHORTEST:
            yield "unfinished", heading[: -len(words[-1]) // 3]
    lines = (re.split(r"[.\n]", s.text) for s in page.sections)
    sentences = [w for one in lines for w in map(str.split, one) if 8 <= len(w) <= 30]
    if sentences:
        words = [word for word in pick.choice(sentences) if pick.random() < 0.6]
        yield "words", " ".join(words) or page.title
        yield "misspelt", _misspell(words, pick) or page.title
    if page.path:
        yield "path", re.sub(r"\W+|_", " ", page.path)


def _misspell(words: Sequence[str], pick: random.Random) -> str:
    """Return the words with one character of one of them dropped."""
    long = [at for at, word in enumerate(words) if len(word) >= SHORTEST]
    changed = list(words)
    if long:
        at = pick.choice(long)
        gap = pick.randrange(1, len(words[at]) - 1)
        changed[at] = words[at][:gap] + words[at][gap + 1 :]
    return " ".join(changed)


def _measure(query_sets: Sequence[QuerySet]) -> Iterator[Section]:
    """Yield the loss without each step, in hundredths of the mean reciprocal rank.

    Of each half, and of what is not divided.
    """
    whole = _score(query_sets, QUERY_POLICY)
    without = {}
    for name, policy in STEPS.items():
        print(name, file=sys.stderr, flush=True)
        without[name] = _score(query_sets, policy)
    for half in dict.fromkeys(half for half, _ in whole):
        kinds = [kind for kind in whole if kind[0] == half]
        rows = [
            ("all steps: MRR@10 x 100", *(f"{mean(whole[k]):.1f}" for k in kinds)),
            *(
                (name, *(_format_loss(mean(whole[k]), mean(lost[k])) for k in kinds))
                for name, lost in without.items()
            ),
        ]
        counts = ", ".join(f"{len(whole[kind])} {kind[1]}" for kind in kinds)
        yield Section(
            f"What each step is worth{half and f', {half} half'}",
            ("step", *(kind for _, kind in kinds)),
            rows,
            f"What is lost when it is left out. Queries: {counts}.",
        )


def _format_loss(whole: float, without: float) -> str:
    worth = round(whole - without, 1)
    return f"{worth:+.1f}" if worth else "0"


def _score(
    query_sets: Sequence[QuerySet], policy: QueryPolicy | IndexPolicy
) -> dict[tuple[str, str], list[float]]:
    """Return 100 times the reciprocal ranks of all queries, by half and kind."""
    indexes: dict[int, FullText] = {}
    scores: dict[tuple[str, str], list[float]] = {}
    for one in query_sets:
        index = indexes.get(id(one.source))
        if index is None:
            index = indexes[id(one.source)] = _open(policy)
            index.sync(one.source)
        scores.setdefault((one.half, one.kind), []).extend(_ask(index, one))
    return scores


def _open(policy: QueryPolicy | IndexPolicy) -> FullText:
    if isinstance(policy, IndexPolicy):
        return FullText(None, index_policy=policy)
    return FullText(None, query_policy=policy)


def _ask(index: FullText, query_set: QuerySet) -> Iterator[float]:
    digests = query_set.source.digests()

    def find(case: Case, limit: int) -> list[str]:
        request = SearchRequest(
            case.query, limit, lambda key, digest: digests.get(key) == digest
        )
        results = index.search(request)
        return [hit.key for hit in results.hits]

    for outcome in evaluate_cases(query_set.fixtures, find).outcomes:
        yield 100 * outcome.mrr


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
