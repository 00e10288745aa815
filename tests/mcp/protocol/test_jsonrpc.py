"""JSON-RPC 2.0 text: accepted, refused, and written messages."""

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from asdlc_kb.mcp.protocol import jsonrpc
from asdlc_kb.mcp.protocol.errors import InvalidParams, InvalidRequest, ParseError
from asdlc_kb.mcp.protocol.jsonrpc import (
    JsonRpcNotification,
    JsonRpcRequest,
    JsonRpcResponse,
)

SMALLEST, GREATEST = -(2**63), 2**64 - 1
"""The integers that 64 bits hold, signed or not."""

texts = st.text(st.characters(codec="utf-8"))
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts,
    lambda below: st.lists(below) | st.dictionaries(texts, below),
    max_leaves=20,
)


def nested(depth: int, innermost: str = "") -> bytes:
    """Return arrays and objects in turn, `depth` levels of them."""
    opened = "".join('{"a":' if level % 2 else "[" for level in range(depth - 1))
    closed = "".join("}" if level % 2 else "]" for level in reversed(range(depth - 1)))
    return f"{opened}[{innermost}]{closed}".encode()


def read_integer(spelled: str) -> int | float:
    """Read an integer as a parser of 64 bits does."""
    return int(spelled) if SMALLEST <= int(spelled) <= GREATEST else float(spelled)


def message(**fields: Any) -> dict[str, Any]:
    """Return a JSON-RPC object."""
    return {"jsonrpc": "2.0", **fields}


@given(st.binary() | texts.map(str.encode) | values.map(json.dumps).map(str.encode))
def test_any_bytes_are_read_or_refused_as_a_parse_error(text: bytes) -> None:
    """D-032: no bytes raise anything but ParseError, which has the reason."""
    try:
        jsonrpc.parse(text)
    except ParseError as error:
        assert (error.CODE, error.message) == (-32700, "Parse error")
        assert error.data["reason"]


@given(st.text('{}[]",:\\u0041ab d82.eE-+\ntrue').map(str.encode) | st.binary())
@example(rb'["\ud800", "a\udc00\ud83d\ude00", 18446744073709551616]')
def test_what_is_accepted_reads_as_the_standard_library_reads_it(text: bytes) -> None:
    """D-032: what another parser on the way reads differently is refused.

    Two things differ: integers beyond 64 bits become floats, on which the check of ids
    relies, and the escape of a lone surrogate is U+FFFD.
    """
    try:
        value = jsonrpc.parse(text)
    except ParseError:
        return
    expected = json.loads(text.decode(), parse_int=read_integer)
    written = json.dumps(expected, ensure_ascii=False).encode("utf-16", "surrogatepass")
    assert json.dumps(value, ensure_ascii=False) == written.decode("utf-16", "replace")


@given(values)
def test_every_value_without_a_fault_is_accepted(value: Any) -> None:
    """Strictness refuses no plain JSON: keys and strings of any text are kept."""
    text = json.dumps(value)
    assert jsonrpc.parse(text.encode()) == json.loads(text, parse_int=read_integer)


@given(st.dictionaries(texts, values, min_size=1), st.data())
def test_a_repeated_key_is_refused_however_it_is_spelled(
    given_object: dict[str, Any], data: st.DataObject
) -> None:
    """D-032: a member named twice, escaped or not, is a parse error."""
    repeated = data.draw(st.sampled_from(sorted(given_object)))
    raw = repeated.encode("utf-16-be")
    units = [raw[start : start + 2].hex() for start in range(0, len(raw), 2)]
    escaped = "".join(f"\\u{unit}" for unit in units)
    spelled = data.draw(st.sampled_from([json.dumps(repeated), f'"{escaped}"']))
    text = f"{json.dumps(given_object)[:-1]}, {spelled} : null}}"
    with pytest.raises(ParseError) as caught:
        jsonrpc.parse(text.encode())
    assert caught.value.data == {"reason": "an object has the same key twice"}


@pytest.mark.parametrize(
    "text",
    [
        '{"a":1,"a":1}',
        '{"a":1,"\\u0061":2}',
        '{"\\u0061":1,"\\u0061":2}',
        '{"a/b":1,"a\\/b":2}',
        '{"":1,"":2}',
        '{"a\\"":1,"a\\u0022":2}',
        '{"\\\\":1,"\\u005c":2}',
        '{"\U0001f600":1,"\\ud83d\\ude00":2}',
        '{"x":{"y":[{"a":1},{"a":2,"a":3}]}}',
        '[[[{"deep":0,"deep":0}]]]',
        '{"a"\t\r\n :1,"a":2}',
        '{"method":"ping","id":1,"jsonrpc":"2.0","method":"tools/call"}',
    ],
)
def test_an_object_with_the_same_key_twice_is_refused(text: str) -> None:
    """D-032: a key twice, at any depth, in any spelling, is refused."""
    with pytest.raises(ParseError) as caught:
        jsonrpc.parse(text.encode())
    assert caught.value.data == {"reason": "an object has the same key twice"}


@pytest.mark.parametrize(
    "text",
    [
        '{"a":"a","b":"a"}',
        '[{"a":1},{"a":1}]',
        '{"a":{"a":{"a":1}}}',
        '{"a":"\\":","b":"x\\":"}',
        '["a","a",{"a":["a"]}]',
        '{"a":"{\\"a\\":1,\\"a\\":2}"}',
        '{"\u00e9":1,"e\u0301":2}',
        '{"a":1,"A":2}',
    ],
)
def test_equal_words_that_are_not_one_objects_keys_are_accepted(text: str) -> None:
    """Only keys of one object count, and only when they are the same code points."""
    assert jsonrpc.parse(text.encode()) == json.loads(text)


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b" \n",
        b"{",
        b"{'a':1}",
        b'{"a":1,}',
        b"[1,]",
        b"// comment\n{}",
        b"{}{}",
        b"01",
        b"1.",
        b"+1",
        b"0x10",
        b"True",
        b'"\n"',
        b'"\x00"',
        b'"\\x41"',
        b"NaN",
        b"Infinity",
        b"-Infinity",
        b'{"id":NaN}',
        b"1e400",
        pytest.param(b"9" * 5000, id="5000 digits"),
        b"\xef\xbb\xbf{}",
        "{}".encode("utf-16"),
        "{}".encode("utf-16-le"),
        "{}".encode("utf-32"),
        '{"a":"é"}'.encode("latin-1"),
        b'"\xc0\xaf"',
        b'"\xed\xa0\x80"',
        b'{"id":"\\ud800"}',
        b'[{"id":"cut \\ud83d"}]',
        b'{"a":"\\ud83d",}',
        b'{"\\udfff":1,"\\udffe":2}',
        pytest.param(b"[" * 100_000, id="deep arrays"),
        pytest.param(b'{"a":' * 100_000, id="deep objects"),
    ],
)
def test_text_that_is_not_strict_json_is_a_parse_error(text: bytes) -> None:
    """D-032: UTF-8 only, no BOM, no NaN, no altered ids, nothing incomplete."""
    with pytest.raises(ParseError) as caught:
        jsonrpc.parse(text)
    assert caught.value.data["reason"]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (rb'"cut \ud83d"', "cut \ufffd"),
        (rb'"\ud83d\ude00 \uDC00 \ud83d\ud83d\ude00"', "😀 \ufffd \ufffd😀"),
        (rb'"\\ud83d and \\\ud83d"', "\\ud83d and \\\ufffd"),
        (
            rb'{"id":1,"params":{"query":"\ud83d"}}',
            {"id": 1, "params": {"query": "\ufffd"}},
        ),
        (rb'[{"id":"x","a":"\udfff"}]', [{"id": "x", "a": "\ufffd"}]),
    ],
)
def test_a_lone_surrogate_is_the_replacement_character(text: bytes, value: Any) -> None:
    """D-032: as JavaScript encodes it; pairs and escaped backslashes are untouched."""
    assert jsonrpc.parse(text) == value


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (b'{"params": {"query": "\xff"}, "id": "a"}', "a"),
        (b'{"id": 0, "params": {"a": 1, "a": 2}}', 0),
        (b'{"id": 1, "params": ' + b'{"a":' * 40 + b"1" + b"}" * 40 + b"}", 1),
        (b'{"id": 1, "params": NaN}', 1),
        (b'{"id": 1, "params": {"a": "\t\0"}}', 1),
        (b'\xef\xbb\xbf{"id": 1}', 1),
        (b'{"id": 1,}', 1),
        (b'{"id": 1} {}', 1),
        (b'{"id" : "\\u0041", "x": "\\q"}', "A"),
        (b'{"id": 1, "a":' + b"[" * 100_000, 1),
        (b'{"id": 1, "a": ' + b"9" * 10_000 + b"}", 1),
        (b'{"id": 1, "a": "cut', 1),
        (b'{"id": 1, "id": 2}', None),
        (b'{"params": {"id": 1}, "x": "\xff"}', None),
        (b'{"id": "\xff"}', None),
        (rb'{"id": "\ud800"}', None),
        (b'{"id": 18446744073709551616, "x": "\xff"}', None),
        (b'{"id": true, "x": "\xff"}', None),
        (b'[{"id": 1, "x": "\xff"}]', None),
        (b'{"id": 12', None),
        (b'{"id": "cut', None),
        (b'{"a": "{\\"id\\": 5', None),
        (b'{"a": "cut, \\"id\\": 5, ', None),
        (b'{"id": 1.5}', None),
        (b'"id"', None),
        (b'{"id": ' + b"9" * 10_000 + b"}", None),
        (b'{"id": "' + b"x" * 1_025 + b'", "x": "\xff"}', None),
        (b'{"a":' * 100_000, None),
    ],
)
def test_the_id_of_a_request_that_is_refused_is_found(
    text: bytes, found: int | str | None
) -> None:
    """JSON-RPC 2.0 section 5: null only where the id cannot be detected."""
    recovered = jsonrpc.recover_id(text)
    assert (type(recovered), recovered) == (type(found), found)


@given(st.binary(max_size=200) | texts.map(str.encode))
def test_looking_for_an_id_never_fails(text: bytes) -> None:
    """D-032: for any input, an id that is found can be encoded."""
    recovered = jsonrpc.recover_id(text)
    assert recovered is None or jsonrpc.write(recovered)


@pytest.mark.parametrize("innermost", ["", "1", '"a"', "null,null"])
def test_32_levels_are_read_and_33_are_refused(innermost: str) -> None:
    """D-032: at most 32 levels, whether or not the innermost is empty."""
    accepted = nested(32, innermost)
    assert jsonrpc.parse(accepted) == json.loads(accepted)
    with pytest.raises(ParseError) as caught:
        jsonrpc.parse(nested(33, innermost))
    assert caught.value.data == {"reason": "more than 32 levels deep"}


def test_depth_counts_levels_and_not_containers() -> None:
    """A wide message is not a deep one."""
    wide = json.dumps([[[]] * 1000, {str(n): {} for n in range(1000)}]).encode()
    assert jsonrpc.parse(wide) == json.loads(wide)


@pytest.mark.parametrize(
    "request_id",
    [0, 1, -1, "", "0", "null", "é", 2**53 + 1, 2**63, 2**64 - 1, -(2**63)],
)
def test_a_string_or_an_integer_of_64_bits_is_an_id(request_id: str | int) -> None:
    """JSON-RPC 2.0 section 4: 0 and "" are ids like any other, and none is altered."""
    text = json.dumps(message(id=request_id, method="ping")).encode()
    parsed = jsonrpc.read(jsonrpc.parse(text))
    assert parsed == JsonRpcRequest(request_id, "ping", {})
    answer = json.loads(jsonrpc.write_result(parsed.id, {}))
    assert (answer["id"], type(answer["id"])) == (request_id, type(request_id))


@pytest.mark.parametrize(
    "spelled",
    [
        *("null", "true", "false", "1.0", "1e2", "1.5", "[]", "[1]", "{}"),
        *(str(2**64), str(-(2**63) - 1), "1" + "0" * 100, f'"{"x" * 1_025}"'),
    ],
)
def test_any_other_id_is_an_invalid_request(spelled: str) -> None:
    """The specification, basic: ids are strings or integers; larger ones are refused
    rather than altered.
    """
    text = f'{{"jsonrpc":"2.0","method":"ping","id":{spelled}}}'.encode()
    parsed = jsonrpc.parse(text)
    with pytest.raises(InvalidRequest) as caught:
        jsonrpc.read(parsed)
    reason = (
        "id must be a string of at most 1024 characters "
        "or an integer of at most 64 bits"
    )
    assert (caught.value.CODE, caught.value.data) == (-32600, {"reason": reason})
    assert jsonrpc.extract_id(parsed) is None


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ([], "a message is one JSON object"),
        ([message(id=1, method="ping")], "a message is one JSON object"),
        ("ping", "a message is one JSON object"),
        (None, "a message is one JSON object"),
        ({}, 'jsonrpc must be "2.0"'),
        ({"jsonrpc": "1.0", "method": "ping", "id": 1}, 'jsonrpc must be "2.0"'),
        ({"jsonrpc": 2.0, "method": "ping", "id": 1}, 'jsonrpc must be "2.0"'),
        (message(), "method is missing"),
        (message(id=1), "method is missing"),
        (message(id=1, method=5), "method must be a string"),
        (message(id=1, method=None), "method must be a string"),
        (message(id=1, method="ping", params=[]), "params must be an object"),
        (message(id=1, method="ping", params=None), "params must be an object"),
        (message(method="ping", params="x"), "params must be an object"),
    ],
)
def test_a_value_that_is_no_message_is_an_invalid_request(
    value: Any, reason: str
) -> None:
    """JSON-RPC 2.0 section 4, and the specification, basic: params is an object."""
    with pytest.raises(InvalidRequest) as caught:
        jsonrpc.read(value)
    assert caught.value.message == "Invalid Request"
    assert caught.value.data == {"reason": reason}


def test_the_three_kinds_of_message_are_told_apart() -> None:
    """JSON-RPC 2.0: a request has an id, a notification none, a response no method."""
    params = {"a": 1}
    assert jsonrpc.read(message(id=7, method="m", params=params)) == JsonRpcRequest(
        7, "m", params
    )
    assert jsonrpc.read(message(method="m", params=params)) == JsonRpcNotification(
        "m", params
    )
    assert jsonrpc.read(message(method="m")) == JsonRpcNotification("m", {})
    assert jsonrpc.read(message(id=1, result={})) == JsonRpcResponse()
    assert jsonrpc.read(message(error={})) == JsonRpcResponse()


@pytest.mark.parametrize(
    ("value", "usable"),
    [
        ({"id": 0}, 0),
        ({"id": ""}, ""),
        ({"id": "x"}, "x"),
        ({"id": "x" * 1_024}, "x" * 1_024),
        ({"id": "x" * 1_025}, None),
        ({"id": True}, None),
        ({"id": 1.5}, None),
        ({}, None),
        ([{"id": 1}], None),
        (None, None),
    ],
)
def test_an_error_echoes_an_id_only_if_it_is_one(value: Any, usable: Any) -> None:
    """JSON-RPC 2.0 section 5.1: the id of a message that could not be read."""
    assert jsonrpc.extract_id(value) == usable


@given(values.filter(lambda value: not isinstance(value, float)), texts)
def test_a_written_message_is_one_line_that_reads_back(value: Any, text: str) -> None:
    """The specification, transports: no line break of any reader inside a message."""
    small = json.loads(json.dumps(value), parse_int=lambda s: int(s) % 2**63)
    written = jsonrpc.write({"v": small, "t": f"{text}\u2028\u2029\x85"})
    assert len(written.decode().splitlines()) == 1
    assert json.loads(written) == {"v": small, "t": f"{text}\u2028\u2029\x85"}


def test_answers_are_written_compactly() -> None:
    """D-294: an unreadable id is null in an error."""
    error = jsonrpc.describe(InvalidParams("No", {"a": 1}))
    assert error == {"code": -32602, "message": "No", "data": {"a": 1}}
    assert jsonrpc.describe(ParseError()) == {"code": -32700, "message": "Parse error"}
    assert jsonrpc.write_result(0, {}) == b'{"jsonrpc":"2.0","id":0,"result":{}}'
    assert jsonrpc.write_error("", {"code": 1, "message": "m"}) == (
        b'{"jsonrpc":"2.0","id":"","error":{"code":1,"message":"m"}}'
    )
    assert jsonrpc.write_error(None, {"code": 1, "message": "m"}) == (
        b'{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"m"}}'
    )
    assert jsonrpc.write_notification("n", {"p": 1}) == (
        b'{"jsonrpc":"2.0","method":"n","params":{"p":1}}'
    )
