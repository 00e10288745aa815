"""The dependencies of the HTTP handlers."""

from pathlib import Path

from support.knowledge import KnowledgeBase
from support.limited import open_limited, write_sources
from support.peers import open_app

from asdlc_kb.app.http_context import connection_limits, open_context
from asdlc_kb.settings import Settings


def test_only_a_server_that_requires_tokens_has_views(
    knowledge: KnowledgeBase, tmp_path: Path
) -> None:
    """D-266: without tokens nothing is limited, and nothing is paid for it."""
    assert open_context(open_app(knowledge)).views is None
    write_sources(tmp_path / "several")
    context = open_context(open_limited(tmp_path / "several"))
    assert context.views is not None
    assert context.limited_to is None


def test_the_state_of_a_running_server_continues(knowledge: KnowledgeBase) -> None:
    """A reload keeps connections and streams."""
    app = open_app(knowledge)
    state = open_context(app).state
    assert open_context(app, state=state).state is state


def test_limits_of_connections_are_those_of_the_settings() -> None:
    """docs/settings.md: max_connections and max_connections_per_client."""
    settings = Settings(max_connections=7, max_connections_per_client=3)
    limits = connection_limits(settings)
    assert (limits.max_total, limits.max_per_client) == (7, 3)
