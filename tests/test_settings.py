"""Tests of the table of settings."""

from asdlc_kb.settings import Settings, list_values
from asdlc_kb.settings_descriptions import DESCRIPTIONS


def test_values_are_listed_by_the_names_that_are_typed() -> None:
    """For operators who write settings down: every one, as in JSON."""
    values = list_values(Settings(port=1))
    assert tuple(values) == tuple(DESCRIPTIONS)
    assert (values["port"], values["content"]) == (1, None)


def test_every_setting_says_what_it_does() -> None:
    """In the order of the groups, in which help and documentation list them."""
    assert tuple(DESCRIPTIONS) == Settings.__struct_encode_fields__
    assert all(DESCRIPTIONS.values())
