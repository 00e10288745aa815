"""The policy: every weight in one place."""

from dataclasses import fields, replace

import pytest

from asdlc_kb.search.policy import POLICY


@pytest.mark.parametrize("name", [field.name for field in fields(POLICY)])
def test_another_value_is_another_policy(name: str) -> None:
    """An index with other weights is recognized by the identity."""
    other = replace(POLICY, **{name: getattr(POLICY, name) + 1})
    assert other.identity() != POLICY.identity()
    assert replace(other, **{name: getattr(POLICY, name)}).identity() == (
        POLICY.identity()
    )
