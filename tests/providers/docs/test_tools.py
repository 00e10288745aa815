"""Definitions of the documentation tools, as clients get them."""

from asdlc_kb.providers.docs.tools import tool_definitions


def test_three_tools_that_only_read() -> None:
    """D-100: the names that agents call; none changes anything."""
    tools = [listed.item for listed in tool_definitions(10)]
    assert [t.name for t in tools] == ["search_docs", "get_doc_page", "list_doc_pages"]
    for tool in tools:
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint
        assert tool.input_schema["additionalProperties"] is False
        assert tool.output_schema is not None
        assert tool.output_schema["type"] == "object"


def test_schemas_name_the_limits() -> None:
    """D-019: 2,000 characters, since 500 cut real questions."""
    search, get, listing = (listed.item.input_schema for listed in tool_definitions(7))
    assert search["required"] == ["query"]
    query, limit = search["properties"]["query"], search["properties"]["limit"]
    assert (query["minLength"], query["maxLength"]) == (1, 2000)
    assert (limit["minimum"], limit["maximum"], limit["default"]) == (1, 50, 7)
    assert get["required"] == ["path"]
    chars = get["properties"]["max_chars"]
    assert (chars["minimum"], chars["maximum"]) == (1_000, 80_000)
    assert get["properties"]["sections"]["type"] == "array"
    assert listing["required"] == []


def test_one_offer_is_made_once() -> None:
    """Tools are listed at each call; the schemas cost a hundred times as much."""
    assert tool_definitions(10) is tool_definitions(10)
