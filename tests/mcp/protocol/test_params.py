"""The parameters of a call."""

from typing import Any

import pytest

from asdlc_kb.mcp.protocol.errors import InvalidParams
from asdlc_kb.mcp.protocol.params import check_strings, read_object, read_text


@pytest.mark.parametrize("params", [{}, {"uri": None}, {"uri": 5}, {"uri": ["x"]}])
def test_a_text_must_be_there_and_be_one(params: dict[str, object]) -> None:
    """The specification, schema.ts: a string, and never nothing."""
    assert read_text({"uri": ""}, "uri") == ""
    with pytest.raises(InvalidParams, match="Invalid params: uri must be a string"):
        read_text(params, "uri")


def test_an_object_may_be_left_out_unless_it_is_required() -> None:
    """Clients send null for missing values."""
    assert read_object({"ref": {"a": 1}}, "ref", required=True) == {"a": 1}
    assert read_object({}, "ref") == {}
    assert read_object({"ref": None}, "ref") == {}
    others: list[dict[str, Any]] = [{}, {"ref": None}, {"ref": []}, {"ref": "x"}]
    for params in others:
        with pytest.raises(InvalidParams, match="ref must be an object"):
            read_object(params, "ref", required=True)


def test_an_object_of_texts_holds_nothing_else() -> None:
    """The specification, prompts/get: arguments are strings."""
    assert check_strings({"a": "x"}, "arguments") == {"a": "x"}
    with pytest.raises(InvalidParams, match="arguments must hold strings"):
        check_strings({"a": "x", "b": 1}, "arguments")
