"""The status in frontmatter that cannot be parsed."""

import pytest

from asdlc_kb.frontmatter.status_scan import cut_frontmatter, scan_statuses


@pytest.mark.parametrize(
    ("text", "statuses"),
    [
        ("", set()),
        ("status: Live", {"Live"}),
        ("a: [\n  Status : Draft  # soon", {"Draft"}),
        ("{'status': 'live', \"status\": \"Gone\"}", {"live", "Gone"}),
        ("status:", {""}),
        ("substatus: x\nthe status quo: y", set()),
    ],
)
def test_every_status_is_read_wherever_it_stands(text: str, statuses: set[str]) -> None:
    """D-068: any status that a file may state counts, parsed or not."""
    assert scan_statuses(text) == statuses


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("---\na: b\n---\nstatus: Draft", "a: b\n"),
        ("status: Draft\n", "status: Draft\n"),
        ("---\nstatus: Draft\n", "---\nstatus: Draft\n"),
    ],
)
def test_without_fences_the_whole_text_counts(text: str, stated: str) -> None:
    """Without a closing fence any line may be part of the frontmatter."""
    assert cut_frontmatter(text) == stated
