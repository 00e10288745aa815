"""The names of dialects that the settings accept."""

from typing import get_args

from asdlc_kb.markup.dialects.names import DialectName
from asdlc_kb.markup.dialects.table import DIALECTS


def test_every_dialect_can_be_set() -> None:
    """The setting has the names of the table."""
    assert set(get_args(DialectName)) >= DIALECTS.keys()
