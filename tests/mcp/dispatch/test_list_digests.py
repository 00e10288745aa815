"""Digests of the visible lists."""

import asyncio

import pytest
from support.shelf import SampleProvider

from asdlc_kb.mcp.dispatch.dispatcher import Dispatcher
from asdlc_kb.mcp.dispatch.list_digests import (
    MAX_AGE_SECONDS,
    ListDigests,
    RecentDigests,
    compare_digests,
    digest_list,
)
from asdlc_kb.mcp.dispatch.provider import Validator
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


class Counted:
    """Computes digests when it is allowed to, and counts how often."""

    def __init__(self) -> None:
        self.now = 0.0
        self.count = 0
        self.is_allowed = asyncio.Event()
        self.recent = RecentDigests(self.compute, lambda: self.now)

    async def compute(self) -> ListDigests:
        self.count += 1
        await self.is_allowed.wait()
        if self.count == 2:
            raise OSError
        return (b"%d" % self.count,)


async def test_sessions_that_begin_within_a_second_share_digests() -> None:
    """Concurrent ones too; a caller that leaves and a failure concern no other."""
    counted = Counted()
    get = counted.recent.get
    callers = [asyncio.ensure_future(get()) for _ in range(3)]
    await asyncio.sleep(0)
    callers.pop().cancel()
    counted.now = 60.0
    counted.is_allowed.set()
    assert await asyncio.gather(*callers) == [(b"1",), (b"1",)]
    counted.now += MAX_AGE_SECONDS - 0.1
    assert await get() == (b"1",)
    counted.now += 0.2
    with pytest.raises(OSError):
        await get()
    assert await get() == (b"3",)


async def test_only_lists_without_validators_may_be_from_a_second_ago(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Articles and pages cost nothing; a project is read for each digest."""
    provider = SampleProvider()
    dispatcher = Dispatcher([provider])
    first = await dispatcher.digest_recent_lists()
    provider.notes.append("new")
    assert await dispatcher.digest_recent_lists() == first
    after = await dispatcher.digest_lists()
    assert after != first
    monkeypatch.setattr(
        provider, "validator", lambda *_: Validator(len(provider.notes))
    )
    assert await dispatcher.digest_recent_lists() == after
    provider.notes.append("newer")
    assert await dispatcher.digest_recent_lists() not in (first, after)
