"""What clients are told of the tools of articles."""

import pytest

from asdlc_kb.providers.articles.tools import tool_definitions


def test_three_tools_that_only_read() -> None:
    """Seeds 000 and 002: the names that agents call; nothing is changed by any."""
    tools = [listed.item for listed in tool_definitions(("concepts",))]
    assert [t.name for t in tools] == [
        "list_articles",
        "get_article",
        "search_articles",
    ]
    for tool in tools:
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint
        assert tool.input_schema["additionalProperties"] is False


@pytest.mark.parametrize("categories", [(), ("concepts",), ("a", "b")])
def test_schemas_close_the_category_to_what_there_is(
    categories: tuple[str, ...],
) -> None:
    """Design decision: only categories with a visible article; never an empty enum."""
    listing, getting, searching = (
        listed.item for listed in tool_definitions(categories)
    )
    for tool in (listing, searching):
        category = tool.input_schema["properties"]["category"]
        assert category.get("enum", []) == list(categories)
    assert getting.input_schema["required"] == ["slug"]


def test_one_offer_is_made_once() -> None:
    """Tools are asked for at each call; the schemas cost a hundred times as much."""
    assert tool_definitions(("x",)) is tool_definitions(("x",))
