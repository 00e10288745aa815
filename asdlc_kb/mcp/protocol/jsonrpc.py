"""JSON-RPC 2.0 messages: strict parsing, classification, serialization.

Strict means: UTF-8 only, no byte order mark, no NaN, no duplicate keys, at most
`MAX_DEPTH` levels. Text that another parser could read differently is rejected, with
one exception: the escape of a lone surrogate is U+FFFD (D-032).
"""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final, TypeAlias, TypeGuard

import orjson

from asdlc_kb.mcp.protocol.errors import InvalidRequest, ParseError, ProtocolError

RequestId: TypeAlias = str | int

JsonText: TypeAlias = orjson.Fragment
"""JSON that `write` copies into a value instead of encoding it again."""

MAX_DEPTH: Final = 32
"""Levels of nested arrays and objects in a message."""

MAX_ID_CHARACTERS: Final = 1_024
"""Bounded because an event stream repeats the id of its request in every event."""

_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?(\s*:)?', re.DOTALL)
_UNREADABLE = re.compile("[\ufffd\ud800-\udfff]")
_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]{0,19})")
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"?|[\[\]{}:,]|[^\s"\[\]{}:,]+', re.DOTALL)
"""The tokens of JSON; an unterminated string is one, up to the end of the text."""
_ESCAPE = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    rb"|(\\u[dD][89a-fA-F][0-9a-fA-F]{2})|\\.",
    re.DOTALL,
)
"""An escape; group 1 is that of a surrogate without its other half."""
_REPLACEMENT: Final = "\ufffd"
_BLANK_BEFORE_COLON = re.compile(rb"\s:")
_SEPARATORS: Final = (
    (b"\xe2\x80\xa8", b"\\u2028"),
    (b"\xe2\x80\xa9", b"\\u2029"),
    (b"\xc2\x85", b"\\u0085"),
)


@dataclass(frozen=True, slots=True)
class JsonRpcRequest:
    """A message that expects a response with the same id."""

    id: RequestId
    method: str
    params: dict[str, Any]


@dataclass(frozen=True, slots=True)
class JsonRpcNotification:
    """A message that gets no response."""

    method: str
    params: dict[str, Any]


@dataclass(frozen=True, slots=True)
class JsonRpcResponse:
    """A client's response. This server sends no requests, so it never awaits one."""


def parse(text: bytes) -> Any:
    """Return the value of a JSON text; raise ParseError with the reason."""
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        text, value = _parse_repaired(text, error)
    keys = _count_keys(value)
    # Without blanks before colons, each key ends with `":`; strings only add to these.
    if text.count(b'":') == keys and not _BLANK_BEFORE_COLON.search(text):
        return value
    key_count = sum(1 for match in _STRING.finditer(text) if match.group(1))
    if key_count != keys:
        raise ParseError(data={"reason": "an object has the same key twice"})
    return value


def _parse_repaired(text: bytes, error: ValueError) -> tuple[bytes, Any]:
    """Return a text with its lone surrogates replaced, and its value.

    JavaScript clients send them where they truncate a text within an emoji. Raises
    ParseError if the text has another error, and for an id that would be altered.
    """
    repaired = _ESCAPE.sub(_replace_lone_surrogate, text)
    failure = ParseError(data={"reason": str(error)})
    if repaired == text:
        raise failure
    try:
        value = orjson.loads(repaired)
    except orjson.JSONDecodeError:
        raise failure from None
    messages = value if isinstance(value, list) else [value]
    ids = (message.get("id") for message in messages if isinstance(message, dict))
    if any(isinstance(id, str) and _REPLACEMENT in id for id in ids):
        raise failure
    return repaired, value


def _replace_lone_surrogate(escape: re.Match[bytes]) -> bytes:
    return _REPLACEMENT.encode() if escape[1] else escape[0]


def _count_keys(value: Any) -> int:
    """Count the keys of all objects; raise ParseError beyond MAX_DEPTH levels."""
    count = 0
    level = _containers([value])
    for _ in range(MAX_DEPTH):
        if not level:
            return count
        below: list[Any] = []
        for node in level:
            if isinstance(node, dict):
                count += len(node)
                below.extend(_containers(node.values()))
            else:
                below.extend(_containers(node))
        level = below
    if not level:
        return count
    raise ParseError(data={"reason": f"more than {MAX_DEPTH} levels deep"})


def _containers(values: Iterable[Any]) -> list[Any]:
    return [value for value in values if isinstance(value, (dict, list))]


def read(message: Any) -> JsonRpcRequest | JsonRpcNotification | JsonRpcResponse:
    """Classify a JSON value as a message; raise InvalidRequest if it is none."""
    if not isinstance(message, dict):
        raise InvalidRequest(data={"reason": "a message is one JSON object"})
    if message.get("jsonrpc") != "2.0":
        raise InvalidRequest(data={"reason": 'jsonrpc must be "2.0"'})
    if "method" not in message:
        if "result" in message or "error" in message:
            return JsonRpcResponse()
        raise InvalidRequest(data={"reason": "method is missing"})
    method = message["method"]
    if not isinstance(method, str):
        raise InvalidRequest(data={"reason": "method must be a string"})
    params = message.get("params", {})
    if not isinstance(params, dict):
        raise InvalidRequest(data={"reason": "params must be an object"})
    if "id" not in message:
        return JsonRpcNotification(method, params)
    request_id = extract_id(message)
    if request_id is None:
        reason = (
            f"id must be a string of at most {MAX_ID_CHARACTERS} characters "
            "or an integer of at most 64 bits"
        )
        raise InvalidRequest(data={"reason": reason})
    return JsonRpcRequest(request_id, method, params)


def extract_id(message: Any) -> RequestId | None:
    """Return the id that a response repeats, or None."""
    request_id = message.get("id") if isinstance(message, dict) else None
    return request_id if is_id(request_id) else None


def is_id(value: Any) -> TypeGuard[RequestId]:
    """Whether a value is a valid request id or progress token.

    Zero and "" are. An integer beyond 64 bits was parsed as a float, so it is invalid
    rather than altered.
    """
    if isinstance(value, str):
        return len(value) <= MAX_ID_CHARACTERS
    return isinstance(value, int) and not isinstance(value, bool)


def recover_id(text: bytes) -> RequestId | None:
    """Return the id of a request that `parse` rejects; `text` may be truncated.

    The client waits for a response with this id: JSON-RPC allows a null id only if the
    id cannot be found (section 5).
    """
    decoded = text.decode("utf-8-sig", "replace")
    depth, name, ids = 0, "", []
    for match in _TOKEN.finditer(decoded):
        lexeme = match[0]
        if not depth and lexeme != "{":
            return None
        if depth == 1 and name == '"id":':
            # The last token may be truncated.
            ids.append(lexeme if match.end() < len(decoded) else "")
        name = name + lexeme if lexeme == ":" else lexeme
        depth += (lexeme in "{[") - (lexeme in "}]")
        if not depth:
            break
    return _read_id(ids[0]) if len(ids) == 1 else None


def _read_id(lexeme: str) -> RequestId | None:
    """Return the id in a token; None if an error response cannot contain it."""
    if _INTEGER.fullmatch(lexeme):
        number = int(lexeme)
        return number if -(2**63) <= number < 2**64 else None
    if len(lexeme) < 2 or lexeme[0] != '"':
        return None
    try:
        text: str = json.loads(lexeme, strict=False)
    except ValueError:
        return None
    return text if is_id(text) and not _UNREADABLE.search(text) else None


def write(value: Any) -> bytes:
    """Return `value` as one line of JSON.

    U+2028, U+2029 and U+0085 are escaped: some readers split lines there.
    """
    text = orjson.dumps(value)
    for raw, escaped in _SEPARATORS:
        # One byte is found many times faster than a sequence.
        if raw[0] in text and raw[-1] in text and raw in text:
            text = text.replace(raw, escaped)
    return text


def write_result(request_id: RequestId, result: Any) -> bytes:
    """Return the response to a request."""
    return write_with_id(request_id, write(result))


def write_with_id(request_id: RequestId, result: bytes) -> bytes:
    """Return the response with a result that is already JSON."""
    before, after = frame_result(write(request_id))
    return before + result + after


def frame_result(request_id: bytes) -> tuple[bytes, bytes]:
    """Return the parts of a response before and after its result; the id is JSON."""
    return b'{"jsonrpc":"2.0","id":%b,"result":' % request_id, b"}"


def write_error(request_id: RequestId | None, error: dict[str, Any]) -> bytes:
    """Return an error response; without an id to repeat, it has null (D-294)."""
    return write({"jsonrpc": "2.0", "id": request_id, "error": error})


def write_notification(method: str, params: dict[str, Any]) -> bytes:
    """Return a notification."""
    return write({"jsonrpc": "2.0", "method": method, "params": params})


def describe(error: ProtocolError) -> dict[str, Any]:
    """Return the error object of JSON-RPC 2.0 section 5.1, in the error's own code."""
    described: dict[str, Any] = {"code": error.CODE, "message": error.message}
    if error.data is not None:
        described["data"] = error.data
    return described
