"""/insights: usage statistics of the server, for permitted addresses only."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from tornado.web import HTTPError

from asdlc_kb.ops.insights.recorder import InsightsRecorder
from asdlc_kb.site import urls
from asdlc_kb.site.representation import Representation
from asdlc_kb.web.admission.client_address import Networks
from asdlc_kb.web.monitoring.observers import ObserverHandler
from asdlc_kb.web.site.page_headers import list_headers

if TYPE_CHECKING:
    from asdlc_kb.site.page_cache import PageCache

PATH: Final = urls.INSIGHTS

CALENDAR_DAYS: Final = 182
"""Days that are read besides those of the period."""


class InsightsHandler(ObserverHandler):
    """Sends the statistics to observers."""

    route = "insights"

    @property
    def observers(self) -> Networks:
        """The addresses that may see the statistics."""
        return self.context.insights_observers

    async def send_observed(self) -> None:
        """Send the page; it is stored nowhere."""
        recorder = self.context.state.insights
        site = await self.open_site()
        if recorder is None:
            raise HTTPError(404)
        number = self.request.arguments.get("days", [b""])[-1]
        days = int(number) if number.isdigit() and len(number) < 5 else 0
        page = await asyncio.to_thread(self._render, site, recorder, days)
        self.set_header("X-Robots-Tag", "noindex")
        headers = list_headers(page, is_private=self.is_private)
        self.send(page, (each for each in headers if each[0] != "Cache-Control"))

    def _render(
        self, site: "PageCache", recorder: InsightsRecorder, days: int
    ) -> Representation:
        # Loaded with the website.
        from asdlc_kb.site.pages.insights_page import (
            DEFAULT_DAYS,
            PERIODS,
            InsightsData,
        )

        days = days if days in PERIODS else DEFAULT_DAYS
        today = datetime.now(UTC).date()
        first = today - timedelta(days=max(days, CALENDAR_DAYS))
        data = InsightsData(
            tuple(recorder.read(first.isoformat())),
            query_days=recorder.query_days,
            logs_queries=self.context.logs_queries,
            is_logging=self.context.access_log.is_enabled,
        )
        return site.insights(data, days)
