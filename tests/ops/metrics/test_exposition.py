"""The text of the metrics, as Prometheus' own parser reads it."""

from collections.abc import Callable, Iterable

from hypothesis import given
from hypothesis import strategies as st
from prometheus_client.metrics_core import Metric
from prometheus_client.openmetrics.parser import (
    text_string_to_metric_families as read_openmetrics,
)
from prometheus_client.parser import text_string_to_metric_families

from asdlc_kb.ops.metrics.counters import BOUNDS, GaugeValues, Metrics
from asdlc_kb.ops.metrics.definitions import (
    CALLS,
    FAMILIES,
    LIMITED,
    REQUESTS,
    SEARCHES,
)
from asdlc_kb.ops.metrics.exposition import write_exposition

OPENMETRICS = "application/openmetrics-text; version=1.0.0"
CALL = CALLS.series("tools/call", "get_article", "stateless", "2026-07-28")

Sample = tuple[str, tuple[tuple[str, str], ...]]


def read(text: str) -> dict[Sample, float]:
    """Return every sample of a text."""
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def show(metrics: Metrics, levels: GaugeValues | None = None) -> dict[Sample, float]:
    """Return the samples of the counts."""
    body, _ = write_exposition(metrics.read(), {"0": levels or {}}, "")
    return read(body.decode())


def test_every_family_is_told_of_even_when_nothing_happened() -> None:
    """A dashboard made on the first day shows all families."""
    body, media_type = write_exposition({}, {}, "*/*")
    assert media_type.startswith("text/plain; version=")
    assert read(body.decode())["asdlc_kb_loop_lateness_seconds_count", ()] == 0
    for family in FAMILIES:
        assert f"# TYPE {family.name} {family.kind}\n" in body.decode()
        assert f"# HELP {family.name} {family.help}\n" in body.decode()


def test_a_call_is_in_its_counter_and_its_histogram() -> None:
    """The histogram has fewer labels: its series add up."""
    metrics = Metrics()
    metrics.observe((*CALL, "ok", "yes"), 0.0002)
    metrics.observe((*CALL, "ok", "yes"), 0.0002)
    metrics.observe((*CALL, "error", "no"), 0.3)
    shown = show(metrics)
    labels = {
        "method": "tools/call",
        "tool": "get_article",
        "era": "stateless",
        "version": "2026-07-28",
    }
    for outcome, remembered, number in (("ok", "yes", 2), ("error", "no", 1)):
        full = {**labels, "outcome": outcome, "remembered": remembered}
        key = ("asdlc_kb_calls_total", tuple(sorted(full.items())))
        assert shown[key] == number
    name = "asdlc_kb_call_seconds"
    few = (("method", "tools/call"), ("tool", "get_article"))
    assert shown[f"{name}_count", few] == 3
    assert round(shown[f"{name}_sum", few], 6) == 0.3004
    below = {
        dict(key[1])["le"]: value
        for key, value in shown.items()
        if key[0] == f"{name}_bucket"
    }
    assert list(below) == [*map(str, BOUNDS), "+Inf"]
    assert (below["0.0001"], below["0.00025"], below["0.25"]) == (0, 2, 2)
    assert (below["0.5"], below["+Inf"]) == (3, 3)


def test_a_stream_is_counted_but_in_no_bucket() -> None:
    """A duration of hours would distort those of requests."""
    metrics = Metrics()
    metrics.observe_open(REQUESTS.series("mcp", "GET", "200"))
    shown = show(metrics)
    key = (("route", "mcp"), ("status", "200"), ("verb", "GET"))
    assert shown["asdlc_kb_http_requests_total", key] == 1
    assert shown["asdlc_kb_http_request_seconds_count", (("route", "mcp"),)] == 0


def test_levels_are_told_as_they_are() -> None:
    """Gauges, and counters kept elsewhere."""
    levels = {
        "asdlc_kb_streams": 7,
        "asdlc_kb_entries\tarticles\tLive": 30,
        "asdlc_kb_content_reloads_total\tdocs": 4,
    }
    shown = show(Metrics(), levels)
    assert shown["asdlc_kb_streams", ()] == 7
    live = (("source", "articles"), ("status", "Live"))
    assert shown["asdlc_kb_entries", live] == 30
    assert shown["asdlc_kb_content_reloads_total", (("source", "docs"),)] == 4


def test_levels_of_several_processes_are_put_together() -> None:
    """Each family in the way that gives its number a meaning."""
    first = {
        "asdlc_kb_streams": 3,
        "asdlc_kb_ready": 1,
        "asdlc_kb_entries\tarticles\tLive": 30,
        "process_open_fds": 20,
    }
    second = {**first, "asdlc_kb_streams": 4, "asdlc_kb_ready": 0}
    second["asdlc_kb_entries\tarticles\tLive"] = 31
    body, _ = write_exposition({}, {"0": first, "1": second}, "")
    shown = read(body.decode())
    assert shown["asdlc_kb_streams", ()] == 7
    assert shown["asdlc_kb_ready", ()] == 0
    live = (("source", "articles"), ("status", "Live"))
    assert shown["asdlc_kb_entries", live] == 31
    for process in "01":
        assert shown["process_open_fds", (("process", process),)] == 20


def test_openmetrics_is_had_by_who_asks_for_it() -> None:
    """Prometheus requests it; its parser checks far more than the other."""
    metrics = Metrics()
    metrics.observe((*CALL, "ok", "yes"), 0.0002)
    metrics.count(LIMITED.series("calls"))
    metrics.record_lateness(0.1)
    body, media_type = write_exposition(metrics.read(), {}, OPENMETRICS)
    assert media_type.startswith("application/openmetrics-text")
    read: Callable[[str], Iterable[Metric]] = read_openmetrics
    found = {family.name for family in read(body.decode())}
    assert found == {family.name.removesuffix("_total") for family in FAMILIES}


def test_numbers_of_another_version_are_passed_over() -> None:
    """Processes updated one after the other add up the families that both know."""
    numbers = {"dreams\tlucid": 3, f"{LIMITED.name}\tpages": 2}
    body, _ = write_exposition(numbers, {"0": {"asdlc_kb_dreams\tlucid": 1}}, "")
    shown = read(body.decode())
    assert shown["asdlc_kb_rate_limited_total", (("limit", "pages"),)] == 2
    assert b"lucid" not in body


@given(st.text(st.characters(exclude_characters="\t", exclude_categories=["Cs"])))
def test_no_label_breaks_the_text(value: str) -> None:
    """Labels are ours, but any text is read back as that text."""
    metrics = Metrics()
    metrics.count(SEARCHES.series(value, "no"))
    key = (("found", "no"), ("source", value))
    assert show(metrics)["asdlc_kb_searches_total", key] == 1
