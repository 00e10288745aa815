"""Performance goals, and whether a run met them."""

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from benchmarks.arithmetic import figure
from benchmarks.bench import Section

_COMPARE: Final[Mapping[str, Callable[[float, float], bool]]] = {
    "≥": operator.ge,
    "≤": operator.le,
}


@dataclass(frozen=True)
class Goal:
    """A bound on the worst of some facts."""

    name: str
    sign: str
    bound: float
    unit: str
    facts: tuple[str, ...]

    def evaluate(self, facts: Mapping[str, float]) -> tuple[str, str, str]:
        """Return the goal, the measured value, and whether it is met."""
        stated = f"{self.name} {self.sign} {self.bound:g}{self.unit}"
        if not all(name in facts for name in self.facts):
            return stated, "", "not measured"
        worst = min if self.sign == "≥" else max
        measured = worst(facts[name] for name in self.facts)
        is_met = _COMPARE[self.sign](measured, self.bound)
        return stated, f"{figure(measured)}{self.unit}", "yes" if is_met else "**no**"


def _mix(pair: str) -> str:
    return f"mix/{pair}/300/16"


FLAT: Final = 1.6
"""Maximum cost ratio of work that does not depend on the size of the corpus."""

GOALS: Final = (
    Goal("mix, logs off : Tornado, fixed bytes", "≥", 0.85, "x", (_mix("quiet/bare"),)),
    Goal("mix : Tornado, fixed bytes", "≥", 0.75, "x", (_mix("ours/bare"),)),
    Goal("mix : Python SDK", "≥", 2, "x", (_mix("ours/python"),)),
    Goal("mix : FastMCP 4", "≥", 7, "x", (_mix("ours/fastmcp"),)),
    Goal(
        "mix, 2026-07-28 : faster one of the TypeScript SDK v2",
        "≥",
        1.5,
        "x",
        (_mix("ours/ts-server"), _mix("ours/ts-lowlevel")),
    ),
    Goal("hot request, 30,000 : 30 articles", "≤", FLAT, "x", ("growth/30/30000",)),
    Goal(
        "new search : naive loop, 30,000 articles",
        "≤",
        0.125,
        "x",
        ("search/alone/naive/30000",),
    ),
    Goal(
        "search without hits, 30,000 : 30 articles",
        "≤",
        FLAT,
        "x",
        ("search/missed/30/30000",),
    ),
    Goal(
        "repeated search, 30,000 : 30 articles",
        "≤",
        FLAT,
        "x",
        ("search/repeated/30/30000",),
    ),
    Goal("first answer, 300 articles", "≤", 0.4, " s", ("startup/300",)),
    Goal("first answer, 3,000 articles", "≤", 1.5, " s", ("startup/3000",)),
    Goal("first answer, 30,000 articles", "≤", 6, " s", ("startup/30000",)),
    Goal("30 articles, loaded", "≤", 45, " MiB", ("memory/loaded/30",)),
    Goal("30 articles, after the mix", "≤", 45, " MiB", ("memory/mixed/30",)),
    Goal("each further article, loaded", "≤", 14, " KiB", ("memory/loaded/each",)),
    Goal("each further article, mixed", "≤", 14, " KiB", ("memory/mixed/each",)),
    Goal("atomic save to visible, median", "≤", 50, " ms", ("writes/atomic/300",)),
    Goal(
        "idle stream",
        "≤",
        16,
        " KiB",
        ("streams/each/subscriptions/listen", "streams/each/GET of a session"),
    ),
    Goal(
        "save to the last of 1,000 streams",
        "≤",
        100,
        " ms",
        ("streams/last/subscriptions/listen", "streams/last/GET of a session"),
    ),
    Goal("full text of 100 pages, build", "≤", 100, " ms", ("docs/build/100",)),
    Goal("full text of 100 pages, reopen", "≤", 10, " ms", ("docs/reopen/100",)),
    Goal("full text of 100 pages, p50", "≤", 2, " ms", ("docs/p50/100",)),
    Goal("full text of 1,000 pages, build", "≤", 1000, " ms", ("docs/build/1000",)),
    Goal("full text of 1,000 pages, reopen", "≤", 150, " ms", ("docs/reopen/1000",)),
    Goal(
        "full text of 1,000 pages, one change",
        "≤",
        200,
        " ms",
        ("docs/one change/1000",),
    ),
    Goal("full text of 5,000 pages, p50", "≤", 4, " ms", ("docs/p50/5000",)),
    Goal("full text of 5,000 pages, p95", "≤", 15, " ms", ("docs/p95/5000",)),
    Goal("search_docs over HTTP, 400 pages, p50", "≤", 5, " ms", ("docs/http/ours",)),
    Goal("memory of full text of 100 pages", "≤", 10, " MB", ("docs/memory/made",)),
    Goal(
        "the event loop while 1,000 pages change, worst",
        "≤",
        20,
        " ms",
        ("changes/late/list_doc_pages", "changes/late/search_docs"),
    ),
    Goal(
        "hidden text out of the files of 5,000 pages, worst",
        "≤",
        2,
        " s",
        tuple(f"changes/hidden/5000/{documents}" for documents in (0, 200, 1_000)),
    ),
    Goal(
        "an article's page : get_article, CPU and time",
        "≤",
        2,
        "x",
        ("pages/cost", "pages/time"),
    ),
    Goal("an article's page, gzip", "≤", 30, " KiB", ("pages/weight",)),
    Goal("the site of 3,000 articles as files", "≤", 30, " s", ("build/3000",)),
    Goal(
        "the site of 3,000 articles as files, peak",
        "≤",
        250,
        " MiB",
        ("build/peak/3000",),
    ),
    Goal("list_rules of 200, p50", "≤", 100, " ms", ("project/list_rules",)),
    Goal(
        "get_project_context of 300, p50",
        "≤",
        200,
        " ms",
        ("project/get_project_context",),
    ),
    Goal(
        "list_articles, p99",
        "≤",
        200,
        " ms",
        ("list_articles/p99/300/16",),
    ),
    Goal("get_article, p99", "≤", 300, " ms", ("get_article/p99/300/16",)),
    Goal(
        "search_articles, p99",
        "≤",
        400,
        " ms",
        ("search_articles/p99/300/16",),
    ),
)


def section(facts: Mapping[str, float], goals: Sequence[Goal] = GOALS) -> Section:
    """Return the table of the goals; a ratio compares requests a second, or costs."""
    return Section(
        "Goals",
        ("goal", "measured", "met?"),
        [goal.evaluate(facts) for goal in goals],
        "Mixes and latencies at 16 connections with 300 articles. Of a pair of "
        "values, the worse one counts.",
    )
