"""/projects/: the pages of projects, if the operator asks for them."""

import asyncio
from typing import TYPE_CHECKING, Final

from tornado.web import HTTPError

from asdlc_kb.site import urls
from asdlc_kb.site.compression import compress
from asdlc_kb.web.site.pages import PageHandler

if TYPE_CHECKING:
    from asdlc_kb.site.pages.project_pages import ProjectRequest

PATTERNS: Final = (f"{urls.PROJECTS}?", f"{urls.PROJECTS}[^/]+/?")
"""Addresses of the list and of a project."""


class ProjectHandler(PageHandler):
    """Sends the list of projects, the page of one, or that of a file in it."""

    route = "project"

    async def get(self) -> None:
        """Send the page, or 404 as for any address without one."""
        site = await self.open_site()
        page = await site.show_project(self._read_request())
        if page is None:
            await super().get()
            return
        self.set_header("X-Robots-Tag", "noindex")
        self.send(await asyncio.to_thread(compress, page, self.coding))

    head = get

    def _read_request(self) -> "ProjectRequest":
        # Loaded with the first page of a project.
        from asdlc_kb.site.pages.project_pages import ProjectRequest, read_name

        name = read_name(urls.normalize(self.request.path))
        try:
            path, tool, file = (
                self.get_query_argument(each, "", strip=False)
                for each in ("path", "tool", "file")
            )
        except HTTPError:
            # Tornado's error would repeat it.
            raise HTTPError(400) from None
        return ProjectRequest(name, path, tool, file)
