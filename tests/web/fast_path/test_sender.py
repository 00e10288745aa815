"""Clients of requests on the fast path: address, token, trace and request id."""

from typing import Any

import pytest
from support.knowledge import KnowledgeBase
from support.peers import open_app

from asdlc_kb.app import open_context
from asdlc_kb.ops.auth.bearer_tokens import format_line
from asdlc_kb.web.fast_path.sender import choose_request_id, identify
from asdlc_kb.web.handler_context import HandlerContext

PROXY = "192.0.2.1"
TOKEN = "akb_s3cret-of-ci"
TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


@pytest.fixture
def context(knowledge: KnowledgeBase) -> HandlerContext:
    """The context of a server behind a proxy that requires a token."""
    file = knowledge.root.parent / "tokens"
    file.write_text(format_line("ci", TOKEN))
    options: Any = {"auth_tokens_file": str(file), "trusted_proxy": (PROXY,)}
    return open_context(open_app(knowledge, **options))


def test_a_sender_is_known_by_address_and_token(context: HandlerContext) -> None:
    """Without a valid token Tornado rejects the request, unless it needs none."""
    sent = {"Authorization": f"Bearer {TOKEN}", "X-Forwarded-For": "198.51.100.7"}
    sender = identify(context, sent, PROXY, is_open=False)
    assert sender is not None
    assert sender.principal is not None
    assert sender.principal.name == "token:ci"
    assert (sender.address, sender.trace) == ("198.51.100.7", None)
    other = identify(context, sent, "192.0.2.9", is_open=False)
    assert other is not None
    assert other.address == "192.0.2.9"
    unknown = {"Authorization": "Bearer x"}
    assert identify(context, unknown, PROXY, is_open=False) is None
    assert identify(context, {}, PROXY, is_open=False) is None
    assert identify(context, unknown, PROXY, is_open=True) == (PROXY, None, None)


@pytest.mark.parametrize(("sent", "trace"), [(TRACE, TRACE), ("nonsense", None)])
def test_a_sender_has_the_trace_of_its_header(
    context: HandlerContext, sent: str, trace: str | None
) -> None:
    """If it is a valid one."""
    sender = identify(context, {"Traceparent": sent}, PROXY, is_open=True)
    assert sender is not None
    assert sender.trace == trace


def test_the_id_of_a_trusted_proxy_is_kept(context: HandlerContext) -> None:
    """Another one is generated for each request."""
    sent = {"X-Request-Id": "id-of-proxy"}
    assert choose_request_id(context, sent, PROXY) == "id-of-proxy"
    ids = {choose_request_id(context, sent, "192.0.2.9") for _ in "12"}
    assert len(ids - {"id-of-proxy"}) == 2
