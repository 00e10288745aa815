"""The fields of a log line that are counted."""

from collections.abc import Sequence
from typing import Any

import pytest

from asdlc_kb.mcp.protocol.model import Tool
from asdlc_kb.mcp.protocol.pagination import Listed
from asdlc_kb.ops.insights.log_line import AGENTS, WEBSITE, LogLine
from asdlc_kb.providers.articles import tools as articles
from asdlc_kb.providers.chatgpt import tools as chatgpt
from asdlc_kb.providers.docs import tools as docs
from asdlc_kb.providers.project import tools as project
from asdlc_kb.site import urls
from asdlc_kb.web.admission.bearer import ENDPOINT


@pytest.mark.parametrize(
    ("fields", "name", "source"),
    [
        ({"method": "tools/call", "tool": "x", "path": "/mcp"}, "x", AGENTS),
        ({"method": "ping", "transport": "stdio"}, "ping", AGENTS),
        ({"path": "/mcp", "transport": "http"}, "/mcp", AGENTS),
        ({"transport": "stdio"}, "stdio", AGENTS),
        ({"path": "/concepts/a"}, "pages", WEBSITE),
        ({"path": "/search"}, "/search", WEBSITE),
        ({"path": "/-/search.json"}, "/-/search.json", WEBSITE),
    ],
)
def test_a_line_has_a_name_and_a_source(
    fields: dict[str, Any], name: str, source: str
) -> None:
    """Paths of pages are one name: anyone can invent more."""
    line = LogLine(**fields)
    assert (line.name, line.source) == (name, source)


@pytest.mark.parametrize(
    ("fields", "is_search"),
    [
        ({"tool": "search_docs", "found": 0}, True),
        ({"tool": "list_articles", "found": 3}, False),
        ({"path": "/search", "found": 1}, True),
        ({"path": "/search"}, False),
        ({"path": "/-/search.json", "found": 1}, False),
        ({"path": "/-/search.json", "found": 1, "submitted": True}, True),
        ({"tool": "search_docs", "found": 0, "failed": True}, False),
        ({"path": "/search", "found": 1, "status": 429}, False),
    ],
)
def test_searches_are_those_that_were_submitted(
    fields: dict[str, Any], *, is_search: bool
) -> None:
    """D-212: of what was typed, the last query."""
    assert LogLine(**fields).is_search is is_search


@pytest.mark.parametrize(
    "tools",
    [
        articles.tool_definitions(("concepts",)),
        docs.tool_definitions(10),
        project.tool_definitions(has_several=True),
        chatgpt.TOOLS,
    ],
)
def test_every_tool_that_searches_is_counted(tools: Sequence[Listed[Tool]]) -> None:
    """The names are those of the tools of all sources."""
    for tool in (each.item for each in tools):
        line = LogLine(method="tools/call", tool=tool.name, found=1)
        assert line.is_search == tool.name.startswith("search")


def test_every_search_of_the_website_is_counted() -> None:
    """The paths are those of its pages."""
    for path in (urls.SEARCH, urls.RESULTS):
        assert LogLine(path=path, found=1, submitted=True).is_search
    assert LogLine(path=ENDPOINT).source == AGENTS


@pytest.mark.parametrize(
    ("fields", "is_read"),
    [
        ({"document": "kb://doc/a.md"}, True),
        ({"document": "kb://doc/a.md", "status": 304}, True),
        ({"document": "kb://doc/a.md", "verb": "HEAD"}, False),
        ({"document": "kb://doc/a.md", "status": 404}, False),
        ({}, False),
    ],
)
def test_reads_have_a_document(fields: dict[str, Any], *, is_read: bool) -> None:
    """A page that did not change is read as well, but HEAD has no body."""
    assert LogLine(**fields).is_read is is_read


def test_the_fields_of_a_record_are_read_without_the_others() -> None:
    """Absent ones are None in records."""
    fields = {"tool": "x", "query": None, "address": "127.0.0.1", "found": 0}
    assert LogLine.of_fields(fields) == LogLine(tool="x", found=0)
