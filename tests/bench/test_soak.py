"""The long-running load: what it says about memory."""

import pytest

from benchmarks.soak import describe_growth


@pytest.mark.parametrize(
    ("last", "met"), [(100.0, "0.00 MiB"), (112.0, "hour: yes"), (112.1, "**no**")]
)
def test_growth_counts_from_the_first_tenth(last: float, met: str) -> None:
    """The first tenth fills the caches."""
    text = describe_growth([100.0, 130.0, last], 3_600)
    assert "from 6:00 to 60:00" in text
    assert met in text
