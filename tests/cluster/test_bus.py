"""The names of processes on a bus."""

import re

from asdlc_kb.cluster.bus import NAME_LENGTH, random_name


def test_each_process_has_a_name_of_its_own() -> None:
    """It is in URLs of Redis's log, so plain characters, and cannot be guessed."""
    names = {random_name() for _ in range(100)}
    assert len(names) == 100
    assert all(re.fullmatch(rf"[\w-]{{{NAME_LENGTH}}}", name) for name in names)
