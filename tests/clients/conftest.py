"""Content for third-party clients."""

import pytest
from support.knowledge import KnowledgeBase


@pytest.fixture
def content(knowledge: KnowledgeBase) -> KnowledgeBase:
    """A knowledge base with two articles to request, and no practice."""
    knowledge.write(
        "concepts/agent-loop",
        title="Agent Loop",
        description="Why agents go round",
        tags="[Loops, Agents]",
        relatedIds="[patterns/fence]",
        lastUpdated="2025-05-01",
        body="## Definition\n\nRound and round.\n",
    )
    knowledge.write(
        "patterns/fence",
        title="Fence",
        description="Keep an agent in",
        status="Experimental",
        lastUpdated="2025-04-01",
        body="Posts and rails.\n",
    )
    return knowledge
