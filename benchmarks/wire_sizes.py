"""Row `sizes`: bytes of each answer on the wire, with the same facts."""

from collections.abc import Sequence
from statistics import mean
from typing import Final

from benchmarks import servers, verify
from benchmarks.bench import Bench, Outcome, Section
from benchmarks.client import Client
from benchmarks.requests import MIX, ToolCall, hot
from benchmarks.servers import Running, Server

SERVED: Final = 300
MEASURED: Final[Sequence[Server]] = (
    servers.OURS,
    servers.OURS_STATELESS,
    servers.PYTHON_SDK,
    servers.FASTMCP,
    servers.TS_SERVER,
    servers.TS_LOWLEVEL,
)


def sizes(bench: Bench) -> Outcome:
    """Measure heads and bodies of the answers to the hot calls."""
    outcome, rows = Outcome(), []
    root, calls = bench.corpus(SERVED), hot(SERVED)
    distinct = [call for tool in MIX for call in calls[tool]]
    own = verify.collect_fresh(bench, servers.OURS, root, distinct)
    for server in MEASURED:
        bench.report(f"sizes, {server.name}")
        with bench.serving(server, root) as running:
            verify.require_like(running, distinct, own)
            by_tool = {tool: _measure(running, calls[tool]) for tool in MIX}
        mixed = sum(by_tool[tool] * MIX[tool] for tool in MIX) / sum(MIX.values())
        outcome.facts[f"sizes/{server.name}"] = mixed
        cells = (f"{number:,.0f}" for number in (*by_tool.values(), mixed))
        rows.append((server.name, *cells))
    title = "Bytes of an answer on the wire"
    note = (
        f"Means of head and body, {SERVED} articles, uncompressed. Each server answers "
        "with the same articles as text, without structured results."
    )
    outcome.sections.append(Section(title, ("server", *MIX, "mix"), rows, note))
    return outcome


def _measure(running: Running, calls: Sequence[ToolCall]) -> float:
    """Return the mean size of the answers in bytes."""
    with Client(running.port) as client:
        answers = [
            client.exchange(call.request(number, running.wire))
            for number, call in enumerate(calls, 1)
        ]
    return mean(len(head) + 4 + len(body) for head, body in answers)
