"""Providers that refresh before each request: before their lists, and never cached."""

from support.shelf import SampleProvider

from asdlc_kb.mcp.dispatch.dispatcher import Dispatcher
from asdlc_kb.mcp.dispatch.provider import CallContext


class Fleeting(SampleProvider):
    """Refreshes before each list, and lets clients cache tools alone."""

    def __init__(self) -> None:
        super().__init__()
        self.refreshed: list[str] = []

    def is_cacheable(self, method: str) -> bool:
        return method == "tools/list"

    async def refresh(self, method: str) -> None:
        self.refreshed.append(method)
        self.notes = [*self.notes, "new"]


async def test_providers_refresh_before_their_lists_are_read() -> None:
    """Lists are made on the event loop; the reads for them happen before."""
    fleeting = Fleeting()
    dispatcher = Dispatcher([SampleProvider(), fleeting])
    listed = await dispatcher.dispatch("resources/list", CallContext("2026-07-28"))
    assert [resource.name for resource in listed["resources"]][-1] == "new"
    assert fleeting.refreshed == ["resources/list"]


def test_what_one_provider_forbids_to_keep_is_kept_of_none() -> None:
    """D-036: a merged list is as private as its most private part."""
    alone, together = (
        Dispatcher([SampleProvider()]),
        Dispatcher([SampleProvider(), Fleeting()]),
    )
    for method in ("resources/list", "prompts/list", "server/discover"):
        assert alone.is_cacheable(method, {})
        assert not together.is_cacheable(method, {})
    assert together.is_cacheable("tools/list", {})


def test_a_resource_may_be_kept_as_its_own_provider_says() -> None:
    """The others' results do not matter."""

    class Other(Fleeting):
        def handles(self, uri: str) -> bool:
            return uri.startswith("other://")

    dispatcher = Dispatcher([SampleProvider(), Other()])
    assert dispatcher.is_cacheable("resources/read", {"uri": "note://a"})
    assert not dispatcher.is_cacheable("resources/read", {"uri": "other://a"})
    assert dispatcher.is_cacheable("resources/read", {"uri": "nobody://a"})
