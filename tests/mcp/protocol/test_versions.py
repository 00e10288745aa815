"""The protocol versions and which one answers an initialize."""

from itertools import pairwise

import pytest

from asdlc_kb.mcp.protocol import versions
from asdlc_kb.mcp.protocol.versions import is_at_least, negotiate


def test_every_released_version_is_served() -> None:
    """D-031: four versions shake hands, 2026-07-28 does not."""
    assert versions.HANDSHAKE == (
        *("2024-11-05", "2025-03-26"),
        *("2025-06-18", "2025-11-25"),
    )
    assert versions.STATELESS == ("2026-07-28",)
    assert versions.HANDSHAKE + versions.STATELESS == versions.KNOWN


def test_two_versions_have_batches() -> None:
    """The specification: added in 2025-03-26, removed in 2025-06-18; before, JSON-RPC
    2.0 allowed them.
    """
    assert versions.BATCHING == ("2024-11-05", "2025-03-26")


def test_a_request_that_says_no_version_is_of_2025_03_26() -> None:
    """The specification, 2025-06-18 transports: SHOULD assume 2025-03-26."""
    assert versions.UNSTATED == "2025-03-26"


def test_supported_versions_are_named_newest_first() -> None:
    """The specification, server/discover: our list, the same in every place."""
    assert versions.SUPPORTED == (
        *("2026-07-28", "2025-11-25", "2025-06-18"),
        *("2025-03-26", "2024-11-05"),
    )


@pytest.mark.parametrize(
    "version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]
)
def test_a_version_we_shake_hands_in_answers_itself(version: str) -> None:
    """The specification, basic/lifecycle: the same version MUST be the answer."""
    assert negotiate(version) == version


@pytest.mark.parametrize(
    "requested", ["2026-07-28", "2024-10-07", "1.0", "", "2099-01-01", "2025-11-25 "]
)
def test_any_other_version_is_answered_with_the_latest_handshake(
    requested: str,
) -> None:
    """The specification, basic/lifecycle: another version we support, the latest."""
    assert negotiate(requested) == "2025-11-25"


def test_known_versions_compare_by_age_and_unknown_ones_as_older() -> None:
    """D-031: an unknown version gets nothing that came later."""
    for older, newer in pairwise(versions.KNOWN):
        assert older < newer
        assert is_at_least(newer, older)
        assert is_at_least(older, older)
        assert not is_at_least(older, newer)
    assert not is_at_least("2099-01-01", "2024-11-05")
