"""The figures of docs/security.md are those of the code."""

from pathlib import Path

import pytest

from asdlc_kb.mcp.protocol.jsonrpc import MAX_DEPTH
from asdlc_kb.ops.limits.rate_limiter import MAX_CLIENTS
from asdlc_kb.settings import Settings
from asdlc_kb.web.connections import connection_limits, monitored_stream

ROOT = Path(__file__).parents[2]
PAGE = " ".join((ROOT / "docs" / "security.md").read_text(encoding="utf-8").split())
DEFAULTS = Settings()
KIB = 1024


@pytest.mark.parametrize(
    "text",
    [
        f"{MAX_DEPTH} levels deep",
        f"{DEFAULTS.rate_limit_requests} calls a minute",
        f"at most {MAX_CLIENTS:,} clients",
        f"may have {connection_limits.MAX_PER_CLIENT} (",
        f"leaves, less {connection_limits.RESERVED_FDS}",
        f"has {monitored_stream.HEAD_SECONDS:.0f} seconds for its header",
        f"and {monitored_stream.BODY_SECONDS:.0f} for its body",
        f"each {monitored_stream.BODY_RATE // KIB} KiB that came",
        f"take {monitored_stream.STALL_BYTES // KIB} KiB of an answer",
        f"in {monitored_stream.STALL_SECONDS:.0f} seconds",
        f"may stay for {monitored_stream.IDLE_SECONDS:.0f}",
    ],
)
def test_a_limit_is_what_it_is_said_to_be(text: str) -> None:
    """An operator can size a machine by the page."""
    assert text in PAGE


def test_the_limit_of_pages_is_what_it_is_said_to_be() -> None:
    """Formatted for people."""
    limit, _, unit = DEFAULTS.page_rate_limit.partition("/")
    assert f"{int(limit):,} requests a {unit}" in PAGE
    assert DEFAULTS.rate_limit_window == 60
