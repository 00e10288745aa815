"""The policies: every weight in one place, those of indexes apart."""

from dataclasses import fields, replace

import pytest

from asdlc_kb.search.policy import INDEX_POLICY


@pytest.mark.parametrize("name", [field.name for field in fields(INDEX_POLICY)])
def test_another_value_is_another_policy(name: str) -> None:
    """An index with other weights is recognized by the identity."""
    other = replace(INDEX_POLICY, **{name: getattr(INDEX_POLICY, name) + 1})
    assert other.identity() != INDEX_POLICY.identity()
    assert replace(other, **{name: getattr(INDEX_POLICY, name)}).identity() == (
        INDEX_POLICY.identity()
    )
