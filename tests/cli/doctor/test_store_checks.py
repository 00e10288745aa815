"""Checks of a store that cannot be read; tests/store has those of one that can."""

from asdlc_kb.cli.doctor.store_checks import check_store
from asdlc_kb.settings import Settings


def test_a_store_that_cannot_be_reached_is_a_failure() -> None:
    """It is named without the password."""
    (result,) = check_store(Settings(store="postgresql://kb:hunter2@127.0.0.1:1/kb"))
    assert (result.subject, result.level) == ("Store", "failure")
    assert result.message.startswith("the database at 127.0.0.1:1/kb cannot be reached")
    assert "hunter2" not in result.message
