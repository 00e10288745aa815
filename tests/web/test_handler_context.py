"""The context of the handlers: readiness, the public path, admitted principals."""

from collections.abc import Iterable
from dataclasses import replace
from typing import cast

import pytest
from support.knowledge import KnowledgeBase
from support.peers import open_app

from asdlc_kb.app import Runtime, open_context
from asdlc_kb.ops.auth.bearer_tokens import Principal, TokenFile
from asdlc_kb.web.admission.bearer import BearerAuth
from asdlc_kb.web.handler_context import ServerState


class Accepting:
    """A token file that accepts some principals."""

    def __init__(self, accepted: Iterable[Principal]) -> None:
        self._accepted = set(accepted)

    def accept(self, principal: Principal) -> bool:
        """Whether it is one of them."""
        return principal in self._accepted


def test_a_server_is_ready_once_its_content_was_seen_until_it_drains(
    knowledge: KnowledgeBase,
) -> None:
    """What `/ready` reports."""
    context = open_context(open_app(knowledge))
    assert context.is_ready
    context.state.is_draining = True
    assert not context.is_ready


@pytest.mark.parametrize(
    ("base_url", "prefix"),
    [(None, ""), ("https://kb.example", ""), ("https://kb.example/docs/", "/docs")],
)
def test_links_begin_with_the_path_of_the_public_address(
    app: Runtime, base_url: str | None, prefix: str
) -> None:
    """Behind a proxy that serves it below a path."""
    assert replace(open_context(app), base_url=base_url).prefix == prefix


def test_a_reload_may_end_the_admission_of_a_principal() -> None:
    """Streams outlive the settings that they began with."""
    kept, removed = Principal("kept"), Principal("removed")
    assert ServerState().admits(None)
    tokens = cast(TokenFile, Accepting([kept]))
    state = ServerState(bearer=BearerAuth(tokens))
    assert state.admits(kept)
    assert not state.admits(removed)
    assert not state.admits(None)
