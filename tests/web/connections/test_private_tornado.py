"""The private attributes of the installed Tornado, and what happens if they change."""

import pytest
from support.loglines import captured
from support.peers import serving
from support.plain_calls import post
from support.wire import dial
from tornado.iostream import IOStream

from asdlc_kb.app import Runtime
from asdlc_kb.web.connections import private_tornado
from asdlc_kb.web.connections.private_tornado import find_changes


def test_tornado_has_the_private_attributes() -> None:
    """A release that differs fails here, before it slows a server down."""
    assert find_changes() == ()


def test_a_renamed_attribute_or_method_is_a_change(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Also other parameters of a method that is overridden."""
    monkeypatch.setattr(private_tornado, "_ATTRIBUTES", ("_read_buffer", "_gone"))
    monkeypatch.setattr(IOStream, "read_from_fd", lambda self: None)
    monkeypatch.delattr(IOStream.__mro__[1], "_handle_events")
    assert find_changes() == ("_gone", "_handle_events", "read_from_fd")


async def test_another_tornado_serves_without_the_fast_path(
    app: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One line of the log names the change; the answers are the same."""
    monkeypatch.setattr(private_tornado, "_ATTRIBUTES", ("_gone",))
    with captured("asdlc_kb.web.fast_path.request_reader") as lines:
        async with serving(app) as site, dial(site.port) as wire:
            assert site.context.state.manager.fast_path is None
            for _ in "12":
                await wire.send(post())
                assert (await wire.answer()).status == 200
    (row,) = lines.rows
    assert row["event"].startswith("fast path off")
    assert row["changed"] == "_gone"
