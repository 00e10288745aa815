"""/projects/: the pages of projects, if the operator asks for them."""

import asyncio
from typing import Final

from asdlc_kb.site import urls
from asdlc_kb.site.content_coding import compress
from asdlc_kb.web.site.pages import PageHandler

PATTERNS: Final = (f"{urls.PROJECTS}?", f"{urls.PROJECTS}[^/]+/?")
"""Addresses of the list and of a project."""


class ProjectHandler(PageHandler):
    """Sends the list of projects, the page of one, or that of a file in it."""

    route = "project"

    async def get(self) -> None:
        """Send the page, or 404 as for any address without one."""
        site = await self.open_site()
        path, tool, file = self.read_queries("path", "tool", "file", strip=False)
        address = urls.normalize(self.request.path)
        page = await site.show_project(address, path=path, tool=tool, file=file)
        if page is None:
            await super().get()
            return
        self.set_header("X-Robots-Tag", "noindex")
        self.send(await asyncio.to_thread(compress, page, self.coding))

    head = get
