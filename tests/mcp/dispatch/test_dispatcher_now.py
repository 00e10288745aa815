"""Tool calls that take no waiting."""

from typing import Any

import pytest
from support.shelf import Immediate, SampleProvider

from asdlc_kb.mcp.dispatch.dispatcher import Dispatcher
from asdlc_kb.mcp.dispatch.provider import CallContext, Provider


@pytest.mark.parametrize("structured_results", [True, False])
async def test_a_call_that_takes_no_waiting_has_the_same_result(
    *, structured_results: bool
) -> None:
    """With structured content only where it is on."""
    dispatcher = Dispatcher([Immediate()], structured_results=structured_results)
    cases: list[dict[str, Any]] = [{}, {"arguments": {}}, {"arguments": {"a": 1}}]
    for arguments in cases:
        params = {"name": "echo", **arguments}
        result = dispatcher.call_now(params)
        assert result == await dispatcher.dispatch(
            "tools/call", CallContext("2026-07-28", params)
        )


@pytest.mark.parametrize(
    "params",
    [
        *({}, {"name": None}, {"name": "none"}, {"name": "fail"}),
        {"name": "echo", "arguments": None},
        {"name": "echo", "arguments": []},
    ],
)
def test_a_call_that_may_wait_or_fail_is_left_to_dispatch(params: Any) -> None:
    """Unknown tools, invalid parameters, and what the provider leaves."""
    assert Dispatcher([Immediate()]).call_now(params) is None


def test_the_first_provider_with_a_tool_is_called() -> None:
    """A name belongs to the provider composed first, though it may have to wait."""
    params = {"name": "echo"}
    assert Dispatcher([Provider(), Immediate()]).call_now(params) is not None
    assert Dispatcher([SampleProvider(), Immediate()]).call_now(params) is None
