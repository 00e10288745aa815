"""Digests of the visible lists."""

from support.shelf import SampleProvider

from asdlc_kb.mcp.dispatch.dispatcher import Dispatcher
from asdlc_kb.mcp.dispatch.list_digests import compare_digests, digest_list
from asdlc_kb.mcp.protocol.model import Resource
from asdlc_kb.mcp.protocol.pagination import Listed
from asdlc_kb.mcp.subscriptions.events import (
    PromptsChanged,
    ResourcesChanged,
    ToolsChanged,
)


def listed(*names: str) -> list[Listed[Resource]]:
    """Return resources."""
    return [Listed(name, Resource(uri=f"note://{name}", name=name)) for name in names]


def test_equal_lists_have_equal_digests_in_every_process() -> None:
    """An id that one process issues is compared in another."""
    assert digest_list([listed("a", "b")]) == digest_list([listed("a"), listed("b")])
    assert digest_list([listed("a", "b")]) == bytes.fromhex("4f1f84f3")


def test_every_difference_of_a_list_is_seen() -> None:
    """Order, number and content."""
    lists = [[], listed("a"), listed("b"), listed("a", "b"), listed("b", "a")]
    assert len({digest_list([each]) for each in lists}) == len(lists)


def test_what_differs_is_a_changed_list() -> None:
    """An id without digests says nothing."""
    before = (b"tool", b"prom", b"reso")
    assert compare_digests(before, before) == []
    assert compare_digests((), before) == []
    for index, event in enumerate(
        (ToolsChanged(), PromptsChanged(), ResourcesChanged())
    ):
        after = (*before[:index], b"else", *before[index + 1 :])
        assert compare_digests(before, after) == [event]


async def test_a_dispatcher_digests_the_lists_that_clients_see() -> None:
    """Tools, prompts and resources of all providers."""
    provider = SampleProvider()
    first = await Dispatcher([provider]).digest_lists()
    assert first == await Dispatcher([SampleProvider()]).digest_lists()
    dispatcher = Dispatcher([provider])
    assert await dispatcher.digest_lists() == first
    provider.notes.append("new")
    after = await dispatcher.digest_lists()
    assert compare_digests(first, after) == [ResourcesChanged()]
