"""The documentation of metrics is correct: the page, the dashboard, the alerts."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families
from ruamel.yaml import YAML

from asdlc_kb.markup.outline import read_outline
from asdlc_kb.ops.metrics.counters import Metrics
from asdlc_kb.ops.metrics.definitions import FAMILIES, PREFIX
from asdlc_kb.ops.metrics.exposition import write_exposition

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "monitoring.md").read_text(encoding="utf-8")
DASHBOARD = json.loads((ROOT / "deploy" / "grafana.json").read_text(encoding="utf-8"))
RULES = YAML(typ="safe").load(ROOT / "deploy" / "alerts.yml")
ALERTS = [rule for group in RULES["groups"] for rule in group["rules"]]

OUTLINE = read_outline(PAGE)
(RUNBOOKS,) = re.findall(
    r"s\|(\S+)\|https://wiki.example.com/", (ROOT / "deploy" / "alerts.yml").read_text()
)
"""The address of the page, as the file says how to replace it."""

LABELS = {family.name: set(family.labels) for family in FAMILIES}
PARTS = ("_bucket", "_count", "_sum")
OF_PROMETHEUS = {"instance", "job", "le"}
OTHERS = {"up"}
"""Metrics of Prometheus itself."""


def cut_part(name: str) -> str:
    """Return a metric's name without the part of a histogram."""
    part = next((part for part in PARTS if name.endswith(part)), "")
    return name.removesuffix(part)


def find_names(text: str) -> set[str]:
    """Return the metrics named in a text."""
    found = re.findall(rf"\b(?:{PREFIX}|process_)[a-z_]+\b", text)
    return {cut_part(name) for name in found}


def expressions() -> Iterator[str]:
    """Yield the queries of the dashboard and of the alerts."""
    for panel in DASHBOARD["panels"]:
        for target in panel.get("targets", ()):
            yield target["expr"]
    for rule in ALERTS:
        yield rule["expr"]


def find_labels(expression: str) -> set[str]:
    """Return the labels that a query selects or groups by."""
    selected = re.findall(r"([a-z_]+)\s*(?:=~|!~|!=|=)\s*\"", expression)
    grouped = re.findall(r"by \(([a-z_, ]+)\)", expression)
    return {*selected, *(name for names in grouped for name in names.split(", "))}


def test_every_metric_is_documented_as_it_is() -> None:
    """Name, kind, labels and description."""
    for family in FAMILIES:
        labels = ", ".join(f"`{label}`" for label in family.labels)
        row = f"| `{family.name}` | {family.kind} | {labels} | {family.help} |"
        assert row in PAGE


def test_no_metric_is_documented_that_is_gone() -> None:
    """A name on the page is one of the table."""
    assert find_names(PAGE) <= LABELS.keys()


@pytest.mark.parametrize("expression", [*expressions()])
def test_a_query_asks_for_what_there_is(expression: str) -> None:
    """Metrics and labels; another name would be an empty panel, a silent alert."""
    names = find_names(expression)
    assert names or OTHERS & set(re.findall(r"\w+", expression))
    assert names <= LABELS.keys()
    known = OF_PROMETHEUS.union(*(LABELS[name] for name in names))
    assert find_labels(expression) <= known
    for name in re.findall(rf"\b{PREFIX}[a-z_]+\b", expression):
        is_part = cut_part(name) != name
        kind = next(f.kind for f in FAMILIES if f.name == cut_part(name))
        assert is_part == (kind == "histogram")
        is_rate = re.search(rf"(?:rate|increase)\({name}\b", expression) is not None
        assert is_rate == (kind != "gauge")


def test_the_dashboard_leaves_no_metric_of_ours_out() -> None:
    """Every metric is worth a panel."""
    shown = find_names(json.dumps(DASHBOARD))
    assert {name for name in LABELS if name.startswith(PREFIX)} - shown == {
        f"{PREFIX}http_request_seconds",
        f"{PREFIX}log_lines_lost_total",
    }


def test_a_panel_has_a_place_of_its_own() -> None:
    """And an id, and a description."""
    panels = DASHBOARD["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    occupied: set[tuple[int, int]] = set()
    for panel in panels:
        position = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(position["x"], position["x"] + position["w"])
            for y in range(position["y"], position["y"] + position["h"])
        }
        assert occupied.isdisjoint(cells)
        assert max(x for x, _ in cells) < 24
        occupied |= cells
        if panel["type"] != "row":
            assert panel["description"]
            assert panel["datasource"]["uid"] == "${datasource}"


@pytest.mark.parametrize("rule", ALERTS, ids=lambda rule: rule["alert"])
def test_an_alert_says_what_is_wrong_and_the_page_what_to_do(
    rule: dict[str, Any],
) -> None:
    """The runbook's address leads to a section of the page."""
    assert rule.keys() <= {"alert", "expr", "for", "labels", "annotations"}
    assert rule["labels"]["severity"] in {"critical", "warning", "info"}
    assert "$labels.instance" in rule["annotations"]["summary"]
    assert rule["annotations"]["runbook_url"] == f"{RUNBOOKS}#{rule['alert'].lower()}"
    assert rule["alert"].lower() in OUTLINE.anchors


@pytest.mark.parametrize("rule", ALERTS, ids=lambda rule: rule["alert"])
def test_an_alert_sees_what_happens_for_the_first_time(rule: dict[str, Any]) -> None:
    """A series that begins with 1 has not increased: a 0 before it, or its newness."""
    body, _ = write_exposition(Metrics().read(), {}, "")
    shown = text_string_to_metric_families(body.decode())
    begun = {sample.name for family in shown for sample in family.samples}
    for name in re.findall(r"increase\((\w+)", rule["expr"]):
        is_new = re.search(rf"{name}{{[^}}]*}}\s+unless {name}.* offset", rule["expr"])
        # Metrics without labels are in every scrape.
        assert is_new or name in begun or not LABELS[name]


def test_an_address_of_runbooks_is_replaced_by_one_command() -> None:
    """The one in the file's head, with nothing left of it."""
    text = (ROOT / "deploy" / "alerts.yml").read_text(encoding="utf-8")
    (command,) = re.findall(r"sed -i 's\|(.+)\|(.+)\|'", text)
    replaced = YAML(typ="safe").load(text.replace(*command))
    for rule in replaced["groups"][0]["rules"]:
        assert rule["annotations"]["runbook_url"].startswith(f"{command[1]}#")


def test_the_dashboard_uses_the_field_s_words() -> None:
    """An operator looks for p95 and error rate."""
    titles = {panel["title"] for panel in DASHBOARD["panels"]}
    assert {"Call rate", "Error rate", "p95 latency", "Cache hit ratio"} <= titles
    shown = json.dumps(DASHBOARD)
    assert "of 100" not in shown
    assert {"p50", "p95", "p99"} <= set(re.findall(r'"legendFormat": "(p\d+)"', shown))


def test_no_alert_is_documented_that_is_gone() -> None:
    """A name on the page is one of the rules."""
    named = set(re.findall(r"AsdlcKb\w+", PAGE))
    assert named == {rule["alert"] for rule in ALERTS}


def test_the_proxy_of_ours_answers_the_metrics_as_the_page_says() -> None:
    """A proxy that adds no header looks like a local client."""
    (directive,) = re.findall(r"nginx: `(location /metrics [^`]+)`", PAGE)
    conf = (ROOT / "deploy" / "nginx" / "asdlc-kb.conf").read_text(encoding="utf-8")
    assert directive in " ".join(conf.split())
