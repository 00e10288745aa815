"""The fields of an access log line that are counted."""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

_SEARCHES: Final = frozenset({"search_articles", "search_docs", "search"})
_SEARCH_PAGE: Final = "/search"
_SUGGESTIONS: Final = "/-/search.json"
"""The endpoint of search-as-you-type: prefixes of queries."""

_KNOWN_PATHS: Final = frozenset({_SEARCH_PAGE, _SUGGESTIONS, "/mcp"})

AGENTS: Final = "agents"
WEBSITE: Final = "website"


class LogLine(msgspec.Struct, kw_only=True):
    """The fields of a log line that are counted."""

    event: str = ""
    time: str = ""
    transport: str = ""
    verb: str = ""
    path: str = ""
    status: int = 200
    code: int | str | None = None
    failed: bool = False
    method: str | None = None
    tool: str | None = None
    version: str | None = None
    client: str | None = None
    ms: float = 0.0
    found: int | None = None
    query: str | None = None
    submitted: bool = False
    """Whether it is the last one of the searches while a query was typed."""
    document: str | None = None
    request_id: str = ""
    number: int = 0
    lines_lost: int | None = None

    @classmethod
    def of_fields(cls, fields: Mapping[str, Any]) -> "LogLine":
        """Return the line of a record's fields, without its time."""
        known = (name for name in cls.__struct_fields__ if fields.get(name) is not None)
        return cls(**{name: fields[name] for name in known})

    @property
    def what(self) -> str:
        """The name of the tool, method, path or transport."""
        return self.tool or self.method or self.path or self.transport

    @property
    def name(self) -> str:
        """The name for statistics; page paths are grouped."""
        if self.tool or self.method or self.path in _KNOWN_PATHS or not self.path:
            return self.what
        return "pages"

    @property
    def source(self) -> str:
        """Who sent it: an agent over MCP, or a browser."""
        is_mcp = self.method is not None or self.path in ("", "/mcp")
        return AGENTS if is_mcp else WEBSITE

    @property
    def is_bad(self) -> bool:
        """Whether the request was rejected or failed."""
        return self.failed or self.code is not None or self.status >= 400

    @property
    def is_search(self) -> bool:
        """Whether it was a submitted search that succeeded."""
        is_one = self.tool in _SEARCHES or self.path == _SEARCH_PAGE
        is_one = is_one or (self.path == _SUGGESTIONS and self.submitted)
        return is_one and self.found is not None and not self.is_bad

    @property
    def is_read(self) -> bool:
        """Whether an article or page was sent."""
        return self.document is not None and self.verb != "HEAD" and not self.is_bad

    @property
    def is_timed(self) -> bool:
        """Whether the duration is meaningful: streams are long, not slow."""
        is_stream = self.method == "subscriptions/listen"
        return not is_stream and (self.method is not None or self.path != "/mcp")
