"""`search` and `fetch` over articles and documentation together (D-143)."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from msgspec.structs import replace

from asdlc_kb.mcp.dispatch.provider import CallContext, Provider, RawResult, Validator
from asdlc_kb.mcp.protocol.errors import ToolFailure, clip
from asdlc_kb.mcp.protocol.model import Tool, ToolResult
from asdlc_kb.mcp.protocol.pagination import Listed
from asdlc_kb.mcp.protocol.tool_schema import check_arguments
from asdlc_kb.providers.chatgpt.documents import MAX_RESULTS, DocumentCollection
from asdlc_kb.providers.chatgpt.tools import (
    TOOLS,
    FetchDocument,
    FetchedDocument,
    FoundDocuments,
    SearchAll,
)
from asdlc_kb.providers.docs.tools import MAX_PATH_CHARS
from asdlc_kb.providers.shared.listings import cut_name, find_argument
from asdlc_kb.providers.shared.results import make_json_result
from asdlc_kb.search.filters import parse_filters


class ChatGptProvider(Provider):
    """Serves `search` and `fetch`."""

    def __init__(self, collections: Sequence[DocumentCollection]) -> None:
        """Serve collections; of equal results those of the first one come first."""
        self._collections = collections

    def validator(self, method: str, params: Mapping[str, Any]) -> Validator | None:
        """Return the state of the collections; for a document, while it is current."""
        if method != "tools/call":
            return Validator(())
        state = tuple(each.state for each in self._collections)
        if params.get("name") != "fetch":
            return Validator(state, is_open=True)
        given = find_argument(params, "id")
        found = self._find_collection(given) if isinstance(given, str) else None
        if found is None or not found[0].is_current(found[1]):
            return None
        return Validator(state)

    def tools(self) -> Sequence[Listed[Tool]]:
        """Return the two tools."""
        return TOOLS

    async def call_tool(
        self, name: str, arguments: Mapping[str, Any], context: CallContext
    ) -> ToolResult | RawResult:
        """Search all collections, or return one document."""
        if name == "search":
            return await self._search(check_arguments(arguments, SearchAll).query)
        return await self._fetch(check_arguments(arguments, FetchDocument).id)

    async def _search(self, query: str) -> ToolResult:
        asked = parse_filters(
            query, lambda wanted: any(each.knows(wanted) for each in self._collections)
        )
        found = await asyncio.gather(
            *(each.search(asked) for each in self._collections)
        )
        ranked = sorted(
            (each for results in found for each in results),
            key=lambda each: -each.score,
        )
        documents = tuple(each.document for each in ranked[:MAX_RESULTS])
        result = make_json_result(FoundDocuments(results=documents))
        return replace(result, total=len(documents))

    async def _fetch(self, id: str) -> ToolResult:
        found = self._find_collection(id)
        if found is not None:
            collection, name = found
            return _make_result(await collection.fetch(name))
        for collection in self._collections:
            # Models write titles, paths and addresses instead of ids.
            with suppress(ToolFailure):
                return _make_result(await collection.fetch(id[:MAX_PATH_CHARS]))
        raise ToolFailure(f"Document '{clip(id)}' not found", {"id": clip(id)})

    def _find_collection(self, id: str) -> tuple[DocumentCollection, str] | None:
        """Return the collection of an id, and the name of the document in it."""
        for collection in self._collections:
            if id.startswith(collection.prefix):
                name = cut_name(id, collection.prefix, MAX_PATH_CHARS)
                return (collection, name) if name else None
        return None


def _make_result(document: FetchedDocument) -> ToolResult:
    return replace(make_json_result(document), document=document.id)
