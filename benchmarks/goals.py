"""Performance goals, and whether a run met them."""

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from benchmarks import servers
from benchmarks.arithmetic import figure
from benchmarks.bench import Section
from benchmarks.idle import KINDS
from benchmarks.new_searches import NEW_KINDS, WORKLOAD

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

_SDKS: Final = {
    "Python SDK": ("ours/python",),
    "faster one of the TypeScript SDK v2": ("ours/ts-server", "ours/ts-lowlevel"),
}
_CACHED: Final = servers.CACHED
_UNCACHED: Final = servers.OURS_UNCACHED.name


def _distinct(pair: str) -> str:
    return f"{WORKLOAD}/{pair}/300/16"


def _list_sizes(
    name: str, row: str, bounds: Mapping[int, float], unit: str
) -> Iterator[Goal]:
    """Yield a goal for each number of articles."""
    for count, bound in bounds.items():
        yield Goal(f"{count:,} {name}", "≤", bound, unit, (f"{row}/{count}",))


def _list_starts() -> Iterator[Goal]:
    cached = {30: 0.18, 3_000: 0.30, 30_000: 0.9, 100_000: 3}
    uncached = {30: 0.20, 300: 0.4, 3_000: 0.44, 30_000: 2.8}
    for name, bounds in ((_CACHED, cached), (_UNCACHED, uncached)):
        label = f"articles, first answer, {name.removeprefix('ours, ')}"
        yield from _list_sizes(label, f"startup/{name}", bounds, " s")


GOALS: Final = (
    Goal("mix, logs off : Tornado, fixed bytes", "≥", 5.5, "x", (_mix("quiet/bare"),)),
    Goal("mix : Tornado, fixed bytes", "≥", 4, "x", (_mix("ours/bare"),)),
    Goal("mix : Python SDK", "≥", 12, "x", (_mix("ours/python"),)),
    Goal("mix : FastMCP 4", "≥", 30, "x", (_mix("ours/fastmcp"),)),
    Goal(
        "mix, 2026-07-28 : faster one of the TypeScript SDK v2",
        "≥",
        12,
        "x",
        (_mix("ours/ts-server"), _mix("ours/ts-lowlevel")),
    ),
    Goal("mix at 64 connections, p99 : p50", "≤", 4, "x", ("mix/tail/300/64",)),
    Goal(
        "distinct searches : Tornado, fixed bytes",
        "≥",
        1.5,
        "x",
        (_distinct("ours/bare"),),
    ),
    *(
        Goal(f"distinct searches : {name}", "≥", 4, "x", tuple(map(_distinct, pairs)))
        for name, pairs in _SDKS.items()
    ),
    *(
        Goal(f"{kind} : remembered, scaled CPU", "≤", bound, " µs", (f"new/{kind}",))
        for kind, bound in zip(NEW_KINDS, (60, 120, 250), strict=True)
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
    *_list_starts(),
    Goal(
        "longest block of the loop at the first search, 30,000 articles",
        "≤",
        10,
        " ms",
        tuple(f"first/block/{name}/30000" for name in (_CACHED, _UNCACHED)),
    ),
    *_list_sizes(
        "articles, loaded from the cache",
        f"memory/loaded/{_CACHED}",
        {30: 36, 3_000: 45, 30_000: 110},
        " MiB",
    ),
    Goal("30 articles, no cache", "≤", 45, " MiB", (f"memory/loaded/{_UNCACHED}/30",)),
    Goal(
        "30 articles, after the mix",
        "≤",
        45,
        " MiB",
        tuple(f"memory/mixed/{name}/30" for name in (_CACHED, _UNCACHED)),
    ),
    Goal("each further article, loaded", "≤", 14, " KiB", ("memory/loaded/each",)),
    Goal("each further article, mixed", "≤", 14, " KiB", ("memory/mixed/each",)),
    Goal(
        "idle with 1,000 files, of one core",
        "≤",
        0.1,
        " %",
        tuple(f"idle/{kind}/1000" for kind in KINDS),
    ),
    Goal(
        "idle with 100,000 files, of one core",
        "≤",
        1,
        " %",
        tuple(f"idle/{kind}/100000" for kind in KINDS),
    ),
    Goal("atomic save to visible, median", "≤", 20, " ms", ("writes/atomic/300",)),
    Goal(
        "an edit of 30,000 pages, searchable",
        "≤",
        0.5,
        " s",
        ("edits/searchable/30000",),
    ),
    Goal("an edit of 30,000 pages, CPU", "≤", 50, " ms", ("edits/cpu/30000",)),
    Goal(
        "idle stream",
        "≤",
        7,
        " KiB",
        ("streams/each/subscriptions/listen", "streams/each/GET of a session"),
    ),
    Goal(
        "idle streams open",
        "≥",
        10_000,
        "",
        ("streams/open/subscriptions/listen", "streams/open/GET of a session"),
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
    Goal("an article's page : nginx, static file, CPU", "≤", 2, "x", ("pages/nginx",)),
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
