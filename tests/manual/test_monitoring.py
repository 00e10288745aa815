"""What docs/monitoring.md lists of metrics is what there is."""

import re
from pathlib import Path

from asdlc_kb.ops.families import FAMILIES, PREFIX

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "monitoring.md").read_text(encoding="utf-8")
PARTS = ("_bucket", "_count", "_sum")


def find_names(text: str) -> set[str]:
    """Return the metrics that a text names, without the parts of histograms."""
    found = set()
    for name in re.findall(rf"\b(?:{PREFIX}|process_)[a-z_]+\b", text):
        part = next((part for part in PARTS if name.endswith(part)), "")
        found.add(name.removesuffix(part))
    return found


def test_every_metric_is_documented_as_it_is() -> None:
    """Name, kind, labels and what it says."""
    for family in FAMILIES:
        labels = ", ".join(f"`{label}`" for label in family.labels)
        row = f"| `{family.name}` | {family.kind} | {labels} | {family.told} |"
        assert row in PAGE


def test_no_metric_is_documented_that_is_gone() -> None:
    """A name on the page is one of the table."""
    assert find_names(PAGE) <= {family.name for family in FAMILIES}
