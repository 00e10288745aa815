"""The table of metrics: names after Prometheus' conventions, each once."""

import re

import pytest

from asdlc_kb.ops.metrics import definitions
from asdlc_kb.ops.metrics.definitions import FAMILIES, PREFIX, MetricFamily


def test_every_family_is_in_the_table() -> None:
    """None is made and forgotten."""
    made = [
        value for value in vars(definitions).values() if isinstance(value, MetricFamily)
    ]
    assert made == list(FAMILIES)


def test_no_name_comes_twice() -> None:
    """Nor as one of the names of a histogram."""
    names = [family.name for family in FAMILIES]
    assert len(set(names)) == len(names)
    parts = {f"{n}_{part}" for n in names for part in ("bucket", "count", "sum")}
    assert parts.isdisjoint(names)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_a_name_says_what_kind_it_is(family: MetricFamily) -> None:
    """Counters end in total, durations in seconds; all begin with our name."""
    assert family.name.startswith((PREFIX, "process_"))
    assert re.fullmatch(r"[a-z_]+", family.name)
    assert family.name.endswith("_total") == (family.kind == "counter")
    if family.kind == "histogram":
        assert family.name.endswith("_seconds")
    assert family.help
    assert not family.help.endswith(".")


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_numbers_of_each_process_have_its_number(family: MetricFamily) -> None:
    """And no others have; a histogram is always a sum."""
    assert (family.aggregation == "each") == ("process" in family.labels)
    assert family.labels[-1:] == ("process",) or family.aggregation != "each"
    assert family.kind != "histogram" or family.aggregation == "sum"
