"""Limits on the number of connections."""

import resource

from asdlc_kb.web.connections.connection_limits import RESERVED_FDS, max_connections


def test_max_connections_leaves_descriptors_for_files_and_logs() -> None:
    """Small descriptor limits are halved."""
    most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    assert max_connections() == max(most - RESERVED_FDS, most // 2)
