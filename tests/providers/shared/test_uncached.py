"""Providers whose results are never cached."""

import asyncio
import threading

from support.peers import BOUND

from asdlc_kb.providers.shared.uncached import LatestValue, UncachedProvider


def test_only_the_list_of_tools_may_be_kept() -> None:
    """D-022: of projects nothing is cached but that list."""
    provider = UncachedProvider()
    assert provider.tools() == ()
    assert provider.validator("tools/list", {}) is not None
    assert provider.is_cacheable("tools/list")
    for method in ("resources/list", "prompts/list", "skills/get", "resources/read"):
        assert provider.validator(method, {}) is None
        assert not provider.is_cacheable(method)


async def test_an_older_scan_does_not_replace_a_newer_one() -> None:
    """Two scans overlap; the one that began last counts, whichever ends last."""
    newest = LatestValue("none")
    is_over = threading.Event()

    def look_slowly() -> str:
        assert is_over.wait(BOUND)
        return "old"

    slow = asyncio.ensure_future(newest.update(look_slowly))
    await asyncio.sleep(0)
    await newest.update(lambda: "new")
    is_over.set()
    await slow
    assert newest.value == "new"
    await newest.update(lambda: "newer")
    assert newest.value == "newer"
