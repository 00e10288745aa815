"""The definitions of `search` and `fetch`."""

from asdlc_kb.providers.chatgpt.tools import TOOLS


def test_each_tool_takes_exactly_one_text() -> None:
    """D-143: `search(query)` and `fetch(id)`."""
    parameters = {}
    for listed in TOOLS:
        schema = listed.item.input_schema
        assert schema["required"] == list(schema["properties"])
        assert {value["type"] for value in schema["properties"].values()} == {"string"}
        parameters[listed.item.name] = schema["required"]
    assert parameters == {"search": ["query"], "fetch": ["id"]}


def test_the_answers_have_the_fields_that_are_expected() -> None:
    """D-143: results with id, title and url; a document with text and metadata."""
    search, fetch = (listed.item.output_schema for listed in TOOLS)
    assert search is not None
    assert fetch is not None
    assert list(search["properties"]) == ["results"]
    row = search["properties"]["results"]["items"]
    assert row["required"] == ["id", "title", "url"]
    assert fetch["required"] == ["id", "title", "text", "url", "metadata"]


def test_the_tools_only_read() -> None:
    """ChatGPT asks before each call of other tools."""
    for listed in TOOLS:
        assert listed.item.annotations is not None
        assert listed.item.annotations.read_only_hint
