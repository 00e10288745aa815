"""Row `new`: searches that no server has answered before, next to remembered ones."""

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import median
from typing import Final

from benchmarks import corpus, load, servers, verify
from benchmarks.arithmetic import figure, ratio
from benchmarks.bench import Bench, Outcome, Section
from benchmarks.requests import FOUND, HOT_SEARCHES, ToolCall, hot, searches, write_file
from benchmarks.servers import Running
from benchmarks.throughput import Loads, rehearse, require_right, tabulate

SERVED: Final = 300
CONNECTIONS: Final = 16
SENT: Final = 2_000
"""Searches of one load."""
MISSING: Final = 10
"""Of them, in percent, without hits."""
REPEATED: Final = 10
"""Of them, in percent, repeats of an earlier one."""
MANY: Final = 50
"""Results of a large search."""
BARE_MICROSECONDS: Final = 140
"""Processor time of a bare Tornado request on the machine of the goals."""
WORKLOAD: Final = "distinct searches"
NEW_KINDS: Final = (
    f"new search, up to {FOUND} hits",
    f"new search, {MANY} hits",
    "new search, no hits",
)

_LARGE: Final = {"limit": MANY, "max_chars": 80_000}


def new(bench: Bench) -> Outcome:
    """Measure mostly distinct searches in all servers, and each kind in ours."""
    outcome = Outcome()
    loads = _load_all(bench)
    found = tabulate(loads, SERVED, (WORKLOAD,), (CONNECTIONS,))
    note = (
        f"{SENT:,} searches, sent once to a server that was just started: "
        f"{MISSING} % without hits, {REPEATED} % repeats of an earlier one."
    )
    found.sections[0] = replace(found.sections[0], note=note)
    outcome.add(found)
    outcome.add(tabulate_kinds(*_load_kinds(bench)))
    return outcome


def distinct(count: int, sent: int) -> list[ToolCall]:
    """Return mostly distinct searches over a corpus, the same in every run.

    None of them is one of the hot ones.
    """
    pick = random.Random("distinct")
    missing, repeated = sent * MISSING // 100, sent * REPEATED // 100
    fresh = sent - missing - repeated
    found = corpus.queries(count, HOT_SEARCHES + fresh)[HOT_SEARCHES:]
    queries = [*found, *corpus.missing(missing)]
    pick.shuffle(queries)
    for _ in range(repeated):
        place = pick.randrange(1, len(queries) + 1)
        queries.insert(place, queries[pick.randrange(place)])
    return searches(queries)


def kinds(count: int, sent: int) -> Mapping[str, Sequence[ToolCall]]:
    """Return the loads of which the costs are compared, by kind."""
    known = corpus.queries(count, HOT_SEARCHES + sent)
    large = [q for q in corpus.common(count, MANY, sent) if q not in set(known)]
    new = (
        searches(known[HOT_SEARCHES:]),
        [ToolCall("search_articles", {"query": query, **_LARGE}) for query in large],
        searches(corpus.missing(sent, start=sent)),
    )
    remembered = searches(known[:HOT_SEARCHES]) * (sent // HOT_SEARCHES)
    return {"remembered": remembered, **dict(zip(NEW_KINDS, new, strict=True))}


def _load_all(bench: Bench) -> Loads:
    """Load every server in turn, each round with a server that was just started."""
    root = bench.corpus(SERVED)
    loads: Loads = defaultdict(list)
    calls = distinct(SERVED, SENT)
    each = list({call.arguments["query"]: call for call in calls}.values())
    own = verify.collect_fresh(bench, servers.OURS, root, each)
    for number in range(bench.rounds):
        bench.report(f"{WORKLOAD}, round {number + 1} of {bench.rounds}")
        for server in random.sample(servers.ALL, len(servers.ALL)):
            with bench.serving(server, root) as running:
                _warm(bench, running)
                path = write_file(calls, running.wire, bench.folder)
                seen = load.run_once(running, path, CONNECTIONS)
                loads[WORKLOAD, CONNECTIONS, server.name].append(seen)
                if number == bench.rounds - 1:
                    require_right(bench, running, root, each, own)
    return loads


def _load_kinds(bench: Bench) -> tuple[Sequence[float], Mapping[str, Sequence[float]]]:
    """Return the processor µs of a bare request, and of each kind, by round."""
    root, calls = bench.corpus(SERVED), kinds(SERVED, SENT)
    bare: list[float] = []
    costs: dict[str, list[float]] = {name: [] for name in calls}
    for number in range(bench.rounds):
        bench.report(f"new searches by kind, round {number + 1} of {bench.rounds}")
        with bench.serving(servers.BARE, root) as running:
            mix = write_file(hot(SERVED)["mix"], running.wire, bench.folder)
            load.run(running, mix, CONNECTIONS, bench.seconds)
            bare.append(load.run(running, mix, CONNECTIONS, bench.seconds).cpu)
        with bench.serving(servers.OURS, root) as running:
            _warm(bench, running)
            for name in random.sample(list(calls), len(calls)):
                path = write_file(calls[name], running.wire, bench.folder)
                costs[name].append(load.run_once(running, path, CONNECTIONS).cpu)
    return bare, costs


def _warm(bench: Bench, running: Running) -> None:
    """Load a server with hot calls and one search without hits, until it is idle."""
    rehearse(bench, running, hot(SERVED)["mix"])
    verify.collect(running, searches(corpus.missing(1, start=10 * SENT)))
    running.settle()


def tabulate_kinds(
    bare: Sequence[float], costs: Mapping[str, Sequence[float]]
) -> Outcome:
    """Return what a new search costs more than a remembered one, by kind."""
    remembered, *further = costs
    rows, facts = [], dict[str, float]()
    for name, values in costs.items():
        over = [
            (one - other) * BARE_MICROSECONDS / least
            for one, other, least in zip(values, costs[remembered], bare, strict=True)
        ]
        more = figure(median(over)) if name in further else ""
        times = figure(ratio(values, bare))
        rows.append((name, figure(median(values)), times, more))
        facts[f"new/{name}"] = median(over)
    title = "Kinds of searches, ours, processor µs"
    columns = ("search", "each", ": Tornado, fixed bytes", "above remembered, scaled")
    note = (
        f"{SERVED} articles, {CONNECTIONS} connections. Scaled: to a machine on which "
        f"a request to Tornado with fixed bytes takes {BARE_MICROSECONDS} µs."
    )
    return Outcome([Section(title, columns, rows, note)], facts)
