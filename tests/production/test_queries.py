"""The queries of the dashboard and the alerts, parsed as by Prometheus."""

import json
from collections.abc import Iterator
from pathlib import Path

import promql_parser
import pytest
from ruamel.yaml import YAML

ROOT = Path(__file__).parents[2]
VARIABLES = {"$__rate_interval": "5m", "$__range": "6h"}
"""Values that Grafana inserts."""


def expressions() -> Iterator[str]:
    """Yield the queries."""
    dashboard = json.loads((ROOT / "deploy" / "grafana.json").read_text("utf-8"))
    for panel in dashboard["panels"]:
        for target in panel.get("targets", ()):
            text = target["expr"]
            for name, value in VARIABLES.items():
                text = text.replace(name, value)
            yield text
    rules = YAML(typ="safe").load(ROOT / "deploy" / "alerts.yml")
    for group in rules["groups"]:
        for rule in group["rules"]:
            yield rule["expr"]


@pytest.mark.parametrize("expression", [*expressions()])
def test_a_query_is_one(expression: str) -> None:
    """It is parsed completely; an error raises."""
    assert promql_parser.parse(expression)


def test_what_is_no_query_is_found() -> None:
    """A check that lets everything pass proves nothing."""
    with pytest.raises(ValueError, match="expected type matrix"):
        promql_parser.parse("rate(asdlc_kb_calls_total)[5m]")
