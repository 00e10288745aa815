"""The skills extension: paginated skill lists and directories of files.

Source: SEP-2640 (`io.modelcontextprotocol/skills`). The files themselves are resources
and read as such. Above: the dispatcher. Below: providers with skills.
"""

from collections.abc import Sequence
from typing import Any, Final

from asdlc_kb.mcp.dispatch.provider import CallContext, Provider
from asdlc_kb.mcp.protocol.errors import InvalidParams, clip
from asdlc_kb.mcp.protocol.model import Skill
from asdlc_kb.mcp.protocol.pagination import Listed, ListPage, paginate
from asdlc_kb.mcp.protocol.params import read_text

PAGE_SIZE: Final = 20
"""Skills on a page: each entry lists all of its files and their digests."""


class SkillsExtension:
    """Answers the methods of the extension from providers with skills."""

    def __init__(self, providers: Sequence[Provider]) -> None:
        self._providers = tuple(p for p in providers if p.has_skills)

    @property
    def are_served(self) -> bool:
        """Whether to declare the extension."""
        return bool(self._providers)

    @property
    def settings(self) -> dict[str, Any]:
        """The declared settings of the extension."""
        return {"directoryRead": True}

    async def list(self, context: CallContext) -> dict[str, Any]:
        """Answer `skills/list`: complete entries only."""
        lists = [
            [Listed(uri.place, (provider, uri.item)) for uri in await provider.skills()]
            for provider in self._providers
        ]
        page = paginate("skills", lists, context.params.get("cursor"), PAGE_SIZE)
        skills: list[Skill] = []
        for provider in self._providers:
            uris = [uri for owner, uri in page.items if owner is provider]
            skills.extend(await provider.find_skills(uris) if uris else ())
        return ListPage(tuple(skills), page.next_cursor).to_result("skills")

    async def get(self, context: CallContext) -> dict[str, Any]:
        """Answer `skills/get`: the entry as `skills/list` returns it."""
        uri = read_text(context.params, "uri")
        for provider in self._providers:
            if provider.handles(uri):
                for skill in await provider.find_skills([uri]):
                    return {"skill": skill}
        raise InvalidParams(f"No skill is served at {clip(uri)}", {"uri": clip(uri)})

    async def read_directory(self, context: CallContext) -> dict[str, Any]:
        """Answer `resources/directory/read`: the children of a folder."""
        uri = read_text(context.params, "uri")
        for provider in self._providers:
            children = (
                await provider.list_directory(uri) if provider.handles(uri) else None
            )
            if children is not None:
                page = paginate(uri, [children], context.params.get("cursor"))
                return page.to_result("resources")
        message = f"{clip(uri)} is not a directory resource"
        raise InvalidParams(message, {"uri": clip(uri)})
