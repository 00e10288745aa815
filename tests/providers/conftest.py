"""A small knowledge base, and a peer that calls it without a transport."""

from pathlib import Path

import pytest
from support.canary import Scanner
from support.knowledge import KnowledgeBase
from support.manual import Manual
from support.peers import open_app
from support.shelf import DirectPeer
from support.workspace import Workspace


@pytest.fixture
def small_base(knowledge: KnowledgeBase) -> KnowledgeBase:
    """Five visible articles besides the base's own, in four categories."""
    knowledge.write(
        "concepts/context-engineering",
        title="Context Engineering",
        description="What an agent sees",
        tags="[Context Engineering, Prompting]",
        lastUpdated="2025-03-01",
        maturity="Standard",
        relatedIds="[patterns/the-spec, concepts/known-draft, nowhere]",
        body="## Definition\n\nText.\n",
    )
    knowledge.write(
        "patterns/the-spec",
        title="The Spec",
        description="A living document about context",
        tags="[Specification]",
        lastUpdated="2025-02-01",
        status="Experimental",
        author="Ville",
        publishedDate="2024-12-24",
    )
    knowledge.write(
        "practices/prune",
        title="Prune",
        description="d" * 250,
        tags="[]",
        lastUpdated="2025-02-01",
    )
    knowledge.write(
        "concepts/twice", title="Twice", tags="[Two]", lastUpdated="2025-01-02"
    )
    knowledge.write(
        "handbook/twice", title="Twice More", tags="[Two]", lastUpdated="2025-01-01"
    )
    return knowledge


@pytest.fixture
def peer(small_base: KnowledgeBase, scanner: Scanner) -> DirectPeer:
    """A peer of the newest version, asking the small knowledge base."""
    app = open_app(small_base, structured_results=True)
    return DirectPeer("2026-07-28", server=app.server, scanner=scanner)


@pytest.fixture
def manual(tmp_path: Path, scanner: Scanner) -> Manual:
    """A small documentation tree behind a server of its own."""
    return Manual(tmp_path / "docs", scanner)


@pytest.fixture
def workspace(tmp_path: Path, scanner: Scanner) -> Workspace:
    """A project with artifacts of every kind behind a server of its own."""
    return Workspace(tmp_path, scanner)
