"""Fixtures of the attacks: descriptors, and long content."""

import resource
from collections.abc import Iterator

import pytest
from support.knowledge import KnowledgeBase


@pytest.fixture(autouse=True)
def _many_descriptors() -> Iterator[None]:
    """Allow enough descriptors for both ends: the attackers are in this process."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    assert hard >= 12_000, "the limit of descriptors is too low for this test"
    resource.setrlimit(resource.RLIMIT_NOFILE, (12_000, hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.fixture
def site(knowledge: KnowledgeBase) -> KnowledgeBase:
    """Content with a long text."""
    knowledge.write("concepts/long", body="long text " * 100_000)
    return knowledge
