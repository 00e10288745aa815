"""A provider that overrides nothing offers nothing."""

import pytest

from asdlc_kb.mcp.dispatch.provider import CallContext, Provider
from asdlc_kb.mcp.protocol.errors import InvalidParams, ResourceNotFound
from asdlc_kb.mcp.protocol.model import Completion


async def test_the_bare_provider_has_empty_lists() -> None:
    """A source that is not configured adds no tool."""
    provider = Provider()
    assert list(provider.tools()) == []
    assert list(provider.resources()) == []
    assert list(provider.templates()) == []
    assert list(provider.prompts()) == []
    assert not provider.handles("kb://article/x")
    assert not await provider.exists("kb://article/x")
    assert provider.is_cacheable("resources/list")
    assert provider.canonical_uri("kb://article/x") == "kb://article/x"


async def test_the_bare_provider_knows_no_name() -> None:
    """The specification: unknown tools and prompts are -32602, resources not found."""
    provider, context = Provider(), CallContext("2026-07-28")
    with pytest.raises(InvalidParams, match="Unknown tool: x"):
        await provider.call_tool("x", {}, context)
    assert provider.call_now("x", {}) is None
    with pytest.raises(InvalidParams, match="Unknown prompt: x"):
        await provider.get_prompt("x", {}, context)
    with pytest.raises(ResourceNotFound) as caught:
        await provider.read("x:y", context)
    assert caught.value.data == {"uri": "x:y"}


async def test_the_bare_provider_completes_nothing() -> None:
    """The specification, completion: an argument without values has an empty list."""
    completion = await Provider().complete("prompt", "argument", "value", {})
    assert completion == Completion(values=())


async def test_a_context_without_a_token_takes_reports_and_drops_them() -> None:
    """The specification, progress: reported only to a client that sent a token."""
    context = CallContext("2026-07-28")
    await context.report(1, None, None)
    assert (dict(context.params), dict(context.capabilities)) == ({}, {})
