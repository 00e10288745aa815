"""Tables of what was measured, as Markdown."""

from collections.abc import Mapping, Sequence
from statistics import mean
from typing import Final

from benchmarks.answers.client_views import CLIENTS
from benchmarks.answers.measurement import Introduction, Measured
from benchmarks.bench import Section

_MAX_CALLS: Final = 2
"""Calls after which the words are looked for."""

_CHANGE: Final = " Before, then now."

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
        "model." + (_CHANGE if before else ""),
    )


def show_findings(now: Rows, before: Rows) -> Section:
    """Return how many answers have their words in every client, and after how long."""
    rows = [
        (
            f"{kind} ({len(measured)})",
            *(
                _show_change(show(measured), show(before.get(kind, ())))
                for show in (_count_found, _count_found_later, _mean_calls)
            ),
        )
        for kind, measured in now.items()
        if any(one.probe.words for one in measured)
    ]
    return Section(
        "Answers that have what was asked for, in every client",
        ("call", "the first one", "the first or a further one", "calls, mean"),
        rows,
        "For a question and a phrase: the words of the passage that answers, in the "
        "text that the model gets. For a keyword: the article's name. The further call "
        "reads the document that the first answer names. Three calls are counted where "
        "two do not suffice." + (_CHANGE if before else ""),
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


def _count_found(measured: Sequence[Measured]) -> str:
    return str(sum(_needs(one) == 1 for one in measured)) if measured else ""


def _count_found_later(measured: Sequence[Measured]) -> str:
    return str(sum(_needs(one) <= _MAX_CALLS for one in measured)) if measured else ""


def _mean_calls(measured: Sequence[Measured]) -> str:
    return f"{mean(map(_needs, measured)):.2f}" if measured else ""


def _needs(measured: Measured) -> int:
    """Return the calls after which every client has the words."""
    received = measured.views.values()
    if all(one.is_found for one in received):
        return 1
    return 2 if all(one.is_found_later for one in received) else _MAX_CALLS + 1


def _show_change(now: str, before: str) -> str:
    return f"{before} → {now}" if before and before != now else now
