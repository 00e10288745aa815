"""The vocabulary: immutable, in the words of the wire format."""

import inspect

import msgspec
import pytest

from asdlc_kb.mcp.protocol import model

WORDS = [
    kind
    for _, kind in inspect.getmembers(model, inspect.isclass)
    if issubclass(kind, model.WireModel) and kind is not model.WireModel
]


@pytest.mark.parametrize("kind", WORDS, ids=lambda kind: kind.__name__)
def test_each_word_is_immutable_and_in_camel_case(kind: type[model.WireModel]) -> None:
    """The specification, schema.ts: names of the wire format. Values are frozen."""
    assert kind.__struct_config__.frozen
    for field in msgspec.structs.fields(kind):
        assert "_" not in field.encode_name
        assert field.encode_name[0].islower()


@pytest.mark.parametrize(
    ("kind", "tag"),
    [
        (model.TextContent, "text"),
        (model.ImageContent, "image"),
        (model.AudioContent, "audio"),
        (model.EmbeddedResource, "resource"),
        (model.ResourceLink, "resource_link"),
    ],
)
def test_each_kind_of_content_has_its_tag(
    kind: type[model.WireModel], tag: str
) -> None:
    """The specification, server/tools: five kinds of content, distinguished by type."""
    assert kind.__struct_config__.tag_field == "type"
    assert kind.__struct_config__.tag == tag
