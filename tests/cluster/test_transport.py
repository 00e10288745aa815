"""The names by which processes know each other."""

import re

from asdlc_kb.cluster.transport import NAME_LENGTH, random_name


def test_a_name_is_short_and_fits_into_an_address() -> None:
    """A session's id begins with it, and stands in URLs (2024-11-05 transports)."""
    assert re.fullmatch(r"[A-Za-z0-9_-]+", random_name())
    assert len(random_name()) == NAME_LENGTH


def test_no_two_names_are_equal() -> None:
    """A restarted process is another one: its sessions are new."""
    assert len({random_name() for _ in range(1000)}) == 1000
