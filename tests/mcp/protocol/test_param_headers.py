"""Values that HTTP headers repeat from the body (2026-07-28, streamable-http)."""

import base64
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.mcp.protocol.errors import HeaderMismatch
from asdlc_kb.mcp.protocol.param_headers import (
    decode,
    require_equal,
    require_parameters,
)

texts = st.text(st.characters(codec="utf-8"))

SCHEMA = {
    "type": "object",
    "properties": {
        "region": {"type": "string", "x-mcp-header": "Region"},
        "count": {"type": "integer", "x-mcp-header": "Count"},
        "exact": {"type": "boolean", "x-mcp-header": "Exact"},
        "tags": {"type": "array", "x-mcp-header": "Tags"},
        "where": {
            "type": "object",
            "properties": {"city": {"type": "string", "x-mcp-header": "City"}},
        },
        "plain": {"type": "string"},
        "anything": True,
    },
}


def encoded(text: str) -> str:
    """Return a value in the encoding for texts that a header cannot hold."""
    return f"=?base64?{base64.b64encode(text.encode()).decode()}?="


@given(texts)
def test_any_text_survives_its_encoded_spelling(text: str) -> None:
    """The specification, streamable-http: base64 of UTF-8 between the markers."""
    assert decode(encoded(text), "Mcp-Name") == text


@given(texts)
def test_any_header_is_decoded_or_refused(value: str) -> None:
    """No header value raises anything but HeaderMismatch."""
    for header in (value, f"=?base64?{value}?="):
        try:
            decode(header, "Mcp-Name")
        except HeaderMismatch as error:
            assert error.CODE == -32020


@pytest.mark.parametrize(
    "value",
    [
        "",
        "search_articles",
        "kb://article/a b",
        "a\tb",
        "=?base64?YQ==",
        "YQ==?=",
        "=?BASE64?YQ==?=",
        "=?Base64?YQ==?=",
        "=?base64?=",
        " =?base64?YQ==?=",
        "=?base64?YQ==?= ",
        "=?utf-8?B?YQ==?=",
    ],
)
def test_a_value_without_both_exact_markers_is_literal(value: str) -> None:
    """The specification, streamable-http: prefix and suffix are case-sensitive."""
    assert decode(value, "Mcp-Name") == value


@pytest.mark.parametrize("payload", ["YQ", "YQ=", "Y Q==", "Y!Q==", "YQ==YQ==", "-_8="])
def test_base64_is_decoded_strictly(payload: str) -> None:
    """The specification, streamable-http: alphabet and padding are checked."""
    with pytest.raises(HeaderMismatch) as caught:
        decode(f"=?base64?{payload}?=", "Mcp-Name")
    assert caught.value.message == (
        "Header mismatch: Mcp-Name is not valid base64 of UTF-8"
    )


def test_base64_of_anything_but_utf8_is_refused() -> None:
    """The specification, streamable-http: the bytes are UTF-8."""
    with pytest.raises(HeaderMismatch):
        decode("=?base64?/w==?=", "Mcp-Name")
    assert decode("=?base64??=", "Mcp-Name") == ""


@pytest.mark.parametrize("value", ["caf\xe9", "a\x00", "a\x7f", "a\nb", "a\r", "\x1b["])
def test_a_raw_byte_outside_printable_ascii_is_invalid(value: str) -> None:
    """The specification, streamable-http: invalid characters are a mismatch."""
    with pytest.raises(HeaderMismatch) as caught:
        decode(value, "Mcp-Name")
    assert caught.value.message == "Header mismatch: Mcp-Name has invalid characters"


def test_a_header_is_there_and_equal() -> None:
    """The specification, streamable-http: values compare exactly, once decoded."""
    require_equal("Mcp-Name", "Tool", "Tool")
    require_equal("Mcp-Name", encoded("café"), "café")


@pytest.mark.parametrize(
    ("sent", "message"),
    [
        (None, "header is missing"),
        ("tool", "header differs from the body"),
        ("", "header differs from the body"),
        (encoded("tool"), "header differs from the body"),
    ],
)
def test_a_header_that_is_absent_or_different_is_a_mismatch(
    sent: str | None, message: str
) -> None:
    """The specification, streamable-http: -32020 says which header and how."""
    with pytest.raises(HeaderMismatch) as caught:
        require_equal("Mcp-Name", sent, "Tool")
    assert caught.value.message == f"Header mismatch: Mcp-Name {message}"


@pytest.mark.parametrize(
    ("arguments", "sent"),
    [
        ({}, {}),
        ({}, {"other": "x"}),
        ({"plain": "x", "anything": 1}, {}),
        ({"region": None}, {}),
        ({"region": "eu"}, {"region": "eu"}),
        ({"region": "eu"}, {"region": "eu", "unknown": "y"}),
        ({"region": "café"}, {"region": encoded("café")}),
        ({"region": ""}, {"region": ""}),
        ({"exact": True}, {"exact": "true"}),
        ({"exact": False}, {"exact": "false"}),
        ({"count": 42}, {"count": "42"}),
        ({"count": 42}, {"count": "42.0"}),
        ({"count": 42.0}, {"count": "42"}),
        ({"count": -7}, {"count": "-7"}),
        ({"count": 0}, {"count": "-0"}),
        ({"count": 1.5}, {}),
        ({"tags": ["a"]}, {}),
        ({"where": {"city": "Turku"}}, {"city": "Turku"}),
        ({"where": "not an object"}, {}),
        ([1, 2], {}),
    ],
)
def test_mirrored_parameters_that_agree_pass(
    arguments: Any, sent: dict[str, str]
) -> None:
    """The specification, streamable-http: unknown Mcp-Param headers are ignored,
    integers compare as numbers, nested properties count.
    """
    require_parameters(SCHEMA, arguments, sent)


MISSING, DIFFERS = "header is missing", "header differs from the body"


@pytest.mark.parametrize(
    ("arguments", "sent", "header", "message"),
    [
        ({"region": "eu"}, {}, "Region", MISSING),
        ({"region": "eu"}, {"region": "us"}, "Region", DIFFERS),
        ({"region": "eu"}, {"region": "EU"}, "Region", DIFFERS),
        ({"exact": True}, {"exact": "True"}, "Exact", DIFFERS),
        ({"exact": True}, {"exact": "1"}, "Exact", DIFFERS),
        ({"exact": True}, {}, "Exact", MISSING),
        ({"count": 42}, {}, "Count", MISSING),
        ({"count": 42}, {"count": "43"}, "Count", DIFFERS),
        ({"count": 42.0}, {"count": "43"}, "Count", DIFFERS),
        ({"count": 42}, {"count": "42.5"}, "Count", DIFFERS),
        ({"count": 42}, {"count": "4.2e1"}, "Count", DIFFERS),
        ({"count": 42}, {"count": "0x2a"}, "Count", DIFFERS),
        ({"count": 42}, {"count": "٤٢"}, "Count", "has invalid characters"),
        ({"count": 42}, {"count": ""}, "Count", DIFFERS),
        ({"count": 42}, {"count": "4" * 5000}, "Count", DIFFERS),
        ({"where": {"city": "Turku"}}, {"city": "Espoo"}, "City", DIFFERS),
        ({}, {"region": "eu"}, "Region", "header has no value in the body"),
        ({"region": None}, {"region": ""}, "Region", "header has no value in the body"),
        ({"where": []}, {"city": "x"}, "City", "header has no value in the body"),
    ],
)
def test_mirrored_parameters_that_disagree_are_a_mismatch(
    arguments: Any, sent: dict[str, str], header: str, message: str
) -> None:
    """The specification, streamable-http: -32020 for each kind of difference."""
    with pytest.raises(HeaderMismatch) as caught:
        require_parameters(SCHEMA, arguments, sent)
    assert caught.value.message == f"Header mismatch: Mcp-Param-{header} {message}"
