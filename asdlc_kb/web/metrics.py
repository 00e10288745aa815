"""/metrics: the numbers of this server, for those who watch it and nobody else."""

import asyncio
from collections.abc import Iterator
from importlib import import_module
from platform import python_version
from typing import Final

from asdlc_kb.ops import families
from asdlc_kb.ops.access import access
from asdlc_kb.ops.families import Family
from asdlc_kb.ops.metrics import metrics
from asdlc_kb.ops.process import measure
from asdlc_kb.web.base import Door
from asdlc_kb.web.limits import Excess
from asdlc_kb.web.pages import PageHandler

PATH: Final = "/metrics"

_FORWARDED: Final = ("X-Forwarded-For", "X-Real-Ip", "Forwarded", "Via")
"""What proxies add, as Tornado spells it."""

Level = tuple[tuple[Family, tuple[str, ...]], float]


class MetricsHandler(PageHandler):
    """Sends the metrics to addresses that may see them; to others it is not there."""

    route = "metrics"

    def meter(self) -> Excess | None:
        """Count only who asks for what is not there: others ask often."""
        return None if self.may_see() else super().meter()

    async def get(self) -> None:
        """Send all numbers, or what is sent for any address that there is not."""
        if not self.may_see():
            await super().get()
            return
        levels = dict(read_levels(self.door))
        accept = self.request.headers.get("Accept", "")
        body, media_type = await asyncio.to_thread(
            _write, metrics.read(), levels, accept
        )
        self.set_header("Content-Type", media_type)
        self.finish(body)

    head = get

    def may_see(self) -> bool:
        """Whether the request comes from an address that may see the metrics.

        Not of a proxy that is not trusted: whom it speaks for cannot be known.
        """
        is_forwarded = any(name in self.request.headers for name in _FORWARDED)
        if is_forwarded and not self.is_vouched_for():
            return False
        return self.address in self.door.observers

    def is_vouched_for(self) -> bool:
        """Whether a trusted proxy says whose request it is."""
        is_said = "X-Forwarded-For" in self.request.headers
        return is_said and self.door.proxies.trusts(self.request.remote_ip)


def _write(*told: object) -> tuple[bytes, str]:
    """Write the numbers; what does it is loaded with the first scrape."""
    written: tuple[bytes, str] = import_module("asdlc_kb.ops.exposition").write(*told)
    return written


def read_levels(door: Door) -> Iterator[Level]:
    """Yield what is so right now."""
    for source in door.corpus:
        catalog, kind = source.catalog, source.kind
        generation = catalog.snapshot.generation
        yield (families.CONTENT_RELOADS, (kind,)), generation
        yield (families.PROBLEMS, (kind,)), len(catalog.snapshot.all_problems())
        for status, number in catalog.statuses.items():
            yield (families.ENTRIES, (kind, status)), number
    yield (families.READY, ()), door.is_ready
    yield (families.STREAMS, ()), len(door.state.streams)
    yield (families.SESSIONS, ()), door.server.session_count
    yield (families.LINES_LOST, ()), access.lost
    yield (families.INFO, (door.version, python_version())), 1
    for family, value in measure().items():
        yield (family, ("0",)), value
