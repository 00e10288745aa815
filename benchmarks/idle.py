"""Row `idle`: processor time of a server without requests."""

import time
from typing import Final

from benchmarks import servers
from benchmarks.arithmetic import figure
from benchmarks.bench import Bench, Outcome, Section

SIZES: Final = (1_000, 100_000)
"""Files that are served."""
SECONDS: Final = 20.0
"""For which a server is measured, from when it is first idle."""
KINDS: Final = ("articles", "documentation pages")


def idle(bench: Bench) -> Outcome:
    """Measure the share of one core that an idle server takes."""
    outcome, rows = Outcome(), []
    sizes = bench.articles or SIZES[: 1 if bench.is_quick else None]
    for count in sizes:
        root = bench.corpus(count)
        pages = servers.ours_docs(bench.folder / f"idle-{count}")
        for name, server in zip(KINDS, (servers.OURS, pages), strict=True):
            bench.report(f"idle, {count} {name}")
            with bench.serving(server, root) as running:
                running.settle()
                before, began = running.cpu_seconds(), time.perf_counter()
                time.sleep(SECONDS)
                used = running.cpu_seconds() - before
                share = used / (time.perf_counter() - began) * 100
            rows.append((f"{count:,}", name, figure(share)))
            outcome.facts[f"idle/{name}/{count}"] = share
    title = "An idle server, percent of one core"
    note = f"Over {SECONDS:.0f} s, once the work after the start is done."
    columns = ("files", "served as", "%")
    outcome.sections.append(Section(title, columns, rows, note))
    return outcome
