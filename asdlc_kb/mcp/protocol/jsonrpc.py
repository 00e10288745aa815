"""JSON-RPC 2.0 text: strict reading, three kinds of message, writing.

Strict means: UTF-8 only, no byte order mark, no NaN, no lone surrogates, no duplicate
keys, at most `MAX_DEPTH` levels. What another parser on the way could read differently
is refused rather than guessed.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final, TypeAlias, TypeGuard

import orjson

from asdlc_kb.mcp.protocol.errors import InvalidRequest, ParseError, ProtocolError

RequestId: TypeAlias = str | int

MAX_DEPTH: Final = 32
"""Levels of arrays and objects that a message may have."""

MAX_ID_CHARACTERS: Final = 1_024
"""A stream of events keeps the id of its request and repeats it in every event."""

_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?(\s*:)?', re.DOTALL)
_UNREADABLE = re.compile("[\ufffd\ud800-\udfff]")
_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]{0,19})")
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"?|[\[\]{}:,]|[^\s"\[\]{}:,]+', re.DOTALL)
"""The tokens of JSON; a string that has no end is one, up to the end of the text."""
_APART = re.compile(rb"\s:")
_SEPARATORS: Final = (
    (b"\xe2\x80\xa8", b"\\u2028"),
    (b"\xe2\x80\xa9", b"\\u2029"),
    (b"\xc2\x85", b"\\u0085"),
)


@dataclass(frozen=True, slots=True)
class JsonRpcRequest:
    """A call that wants an answer with the same id."""

    id: RequestId
    method: str
    params: dict[str, Any]


@dataclass(frozen=True, slots=True)
class JsonRpcNotification:
    """A message that gets no answer."""

    method: str
    params: dict[str, Any]


@dataclass(frozen=True, slots=True)
class JsonRpcResponse:
    """A peer's answer. This server asks nothing, so it never waits for one."""


def parse(text: bytes) -> Any:
    """Return the value that `text` spells; raise ParseError with the reason."""
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise ParseError(data={"reason": str(error)}) from None
    keys = _count_keys(value)
    # Where no colon stands apart, each key shows as `":`; text may only add to them.
    if text.count(b'":') == keys and not _APART.search(text):
        return value
    spelled = sum(1 for match in _STRING.finditer(text) if match.group(1))
    if spelled != keys:
        raise ParseError(data={"reason": "an object has the same key twice"})
    return value


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
    """Tell what kind of message a JSON value is; raise InvalidRequest if none."""
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
    """Return the id that an answer repeats, or None."""
    request_id = message.get("id") if isinstance(message, dict) else None
    return request_id if is_id(request_id) else None


def is_id(value: Any) -> TypeGuard[RequestId]:
    """Whether a value can be the id of a request, or a progress token.

    Zero and "" can. An integer beyond 64 bits was read as a float, so it is refused
    here, not altered.
    """
    if isinstance(value, str):
        return len(value) <= MAX_ID_CHARACTERS
    return isinstance(value, int) and not isinstance(value, bool)


def recover_id(text: bytes) -> RequestId | None:
    """Return the id of a request that `parse` refuses, or None; `text` may be cut.

    Its sender waits for an answer with this id: JSON-RPC allows a null id only where
    the id cannot be found (section 5). A cut emoji in an argument is the usual case.
    """
    decoded = text.decode("utf-8-sig", "replace")
    depth, name, ids = 0, "", []
    for match in _TOKEN.finditer(decoded):
        found = match[0]
        if not depth and found != "{":
            return None
        if depth == 1 and name == '"id":':
            # What stands at the very end may be cut.
            ids.append(found if match.end() < len(decoded) else "")
        name = name + found if found == ":" else found
        depth += (found in "{[") - (found in "}]")
        if not depth:
            break
    return _read_id(ids[0]) if len(ids) == 1 else None


def _read_id(spelled: str) -> RequestId | None:
    """Return the id that a token spells; None for what no error can echo."""
    if _INTEGER.fullmatch(spelled):
        number = int(spelled)
        return number if -(2**63) <= number < 2**64 else None
    if len(spelled) < 2 or spelled[0] != '"':
        return None
    try:
        text: str = json.loads(spelled, strict=False)
    except ValueError:
        return None
    return text if is_id(text) and not _UNREADABLE.search(text) else None


def write(value: Any) -> bytes:
    """Return `value` as one line of JSON.

    U+2028, U+2029 and U+0085 are escaped: readers that split lines would cut there.
    """
    text = orjson.dumps(value)
    for raw, escaped in _SEPARATORS:
        if raw in text:
            text = text.replace(raw, escaped)
    return text


def write_result(request_id: RequestId, result: Any) -> bytes:
    """Return the answer to a request."""
    return write_with_id(request_id, write(result))


def write_with_id(request_id: RequestId, result: bytes) -> bytes:
    """Return the answer to a request whose result is written already."""
    return b'{"jsonrpc":"2.0","id":%b,"result":%b}' % (write(request_id), result)


def write_error(request_id: RequestId | None, error: dict[str, Any]) -> bytes:
    """Return an error answer; an unreadable id is left out, never null."""
    answer: dict[str, Any] = {"jsonrpc": "2.0"}
    if request_id is not None:
        answer["id"] = request_id
    return write({**answer, "error": error})


def write_notification(method: str, params: dict[str, Any]) -> bytes:
    """Return a notification to the peer."""
    return write({"jsonrpc": "2.0", "method": method, "params": params})


def describe(error: ProtocolError) -> dict[str, Any]:
    """Return the error object of JSON-RPC 2.0 section 5.1, in the error's own code."""
    described: dict[str, Any] = {"code": error.CODE, "message": error.message}
    if error.data is not None:
        described["data"] = error.data
    return described
