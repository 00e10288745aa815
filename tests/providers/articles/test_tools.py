"""Definitions of the article tools, as clients get them."""

import pytest

from asdlc_kb.providers.articles.tools import tool_definitions


def test_three_tools_that_only_read() -> None:
    """D-100: the names that agents call; none changes anything."""
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
    """D-007: only categories with a visible article; never an empty enum."""
    listing, getting, searching = (
        listed.item for listed in tool_definitions(categories)
    )
    for tool in (listing, searching):
        category = tool.input_schema["properties"]["category"]
        assert category.get("enum", []) == list(categories)
    assert getting.input_schema["required"] == ["slug"]


def test_one_offer_is_made_once() -> None:
    """Tools are listed at each call; the schemas cost a hundred times as much."""
    assert tool_definitions(("x",)) is tool_definitions(("x",))
