"""Tables of what was measured, as Markdown."""

from collections.abc import Mapping, Sequence
from statistics import mean
from typing import Final

from benchmarks.answers.client_views import CLIENTS
from benchmarks.answers.measurement import Introduction, Measured
from benchmarks.bench import Section

_CLIENT: Final = "Claude Code"
"""The client of what is shown for one."""

Rows = Mapping[str, Sequence[Measured]]
"""What was measured, by kind of call."""


def group_by_kind(measured: Sequence[Measured]) -> Rows:
    """Return what was measured by kind, in order."""
    rows: dict[str, list[Measured]] = {}
    for one in measured:
        rows.setdefault(one.probe.kind, []).append(one)
    return rows


def show_sizes(now: Rows, before: Rows) -> Section:
    """Return the means of each kind of call: bytes, and characters by client."""
    columns = ("call", "bytes on the wire", *CLIENTS)
    rows = []
    for kind in now:
        cells = [_show_change(_mean_wire(now[kind]), _mean_wire(before.get(kind, ())))]
        cells += [
            _show_change(
                _mean_characters(now[kind], client),
                _mean_characters(before.get(kind, ()), client),
            )
            for client in CLIENTS
        ]
        rows.append((f"{kind} ({len(now[kind])})", *cells))
    return Section(
        "Size of the first answer, mean",
        columns,
        rows,
        "Bytes of the response's body, then characters that each client gives to its "
        "model." + (" Before, then now." if before else ""),
    )


def show_findings(now: Rows, before: Rows) -> Section:
    """Return how many answers have their words, by client."""
    rows = []
    for kind, measured in now.items():
        if not any(one.probe.words for one in measured):
            continue
        cells = [
            _show_change(
                _count_found(measured, client),
                _count_found(before.get(kind, ()), client),
            )
            for client in CLIENTS
        ]
        rows.append((f"{kind} ({len(measured)})", *cells))
    return Section(
        "Calls whose answer has what was asked for",
        ("call", *CLIENTS),
        rows,
        "In the first answer / in the first or the one after it, which reads the "
        "document that the first one names. For a question and a phrase: the words of "
        "the passage that answers, in the text that the model gets. For a keyword: the "
        "article's name.",
    )


def show_calls(now: Rows, before: Rows) -> Section:
    """Return the largest first answer of each kind, and the calls that are needed."""
    rows = [
        (
            f"{kind} ({len(measured)})",
            _show_change(_max_characters(measured), _max_characters(before.get(kind))),
            _show_change(_mean_calls(measured), _mean_calls(before.get(kind))),
        )
        for kind, measured in now.items()
    ]
    return Section(
        "Largest answer, and calls needed",
        ("call", "characters of the largest", "calls until the words arrive, mean"),
        rows,
        f"In {_CLIENT}. Three calls are counted where two do not suffice.",
    )


def show_introduction(introductions: Sequence[Introduction]) -> Section:
    """Return what each model is told before any call: now, and before if given."""
    shown = [
        (f"{one.instructions:,}", f"{one.tools:,}", f"{one.tool_count}")
        for one in introductions
    ]
    now, before = shown[0], shown[-1]
    return Section(
        "Before any call, with articles, documentation and a project",
        ("part", "size"),
        [
            ("characters of the instructions", _show_change(now[0], before[0])),
            ("characters of tools/list", _show_change(now[1], before[1])),
            ("tools", _show_change(now[2], before[2])),
        ],
    )


def _mean_wire(measured: Sequence[Measured]) -> str:
    return f"{mean(one.wire for one in measured):,.0f}" if measured else ""


def _mean_characters(measured: Sequence[Measured], client: str) -> str:
    if not measured:
        return ""
    return f"{mean(one.views[client].characters for one in measured):,.0f}"


def _count_found(measured: Sequence[Measured], client: str) -> str:
    if not measured:
        return ""
    first = sum(one.views[client].is_found for one in measured)
    later = sum(one.views[client].is_found_later for one in measured)
    return f"{first} / {later}"


def _max_characters(measured: Sequence[Measured] | None) -> str:
    if not measured:
        return ""
    return f"{max(one.views[_CLIENT].characters for one in measured):,}"


def _mean_calls(measured: Sequence[Measured] | None) -> str:
    if not measured or not any(one.probe.words for one in measured):
        return ""
    received = (one.views[_CLIENT] for one in measured)
    calls = (1 if r.is_found else 2 if r.is_found_later else 3 for r in received)
    return f"{mean(calls):.2f}"


def _show_change(now: str, before: str) -> str:
    return f"{before} → {now}" if before and before != now else now
