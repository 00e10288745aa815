"""Client-side JSON-RPC messages, independent of the transport."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from asdlc_kb.exceptions import ProbeFailed

MODERN: Final = "2026-07-28"
HANDSHAKE: Final = "2025-11-25"

MAX_SHOWN: Final = 200
"""Characters shown of a server's output."""
_META: Final = "io.modelcontextprotocol/"


def make_request(
    method: str, params: Mapping[str, Any], version: str, request_id: int
) -> dict[str, Any]:
    """Return a request with the metadata of its protocol version."""
    given = dict(params)
    if version == MODERN:
        given["_meta"] = {
            f"{_META}protocolVersion": version,
            f"{_META}clientCapabilities": {},
        }
    return {"jsonrpc": "2.0", "id": request_id, "method": method, "params": given}


def split_events(body: bytes) -> Iterator[bytes]:
    """Yield the data of each event of a stream."""
    for event in body.replace(b"\r\n", b"\n").split(b"\n\n"):
        lines = (line for line in event.split(b"\n") if line.startswith(b"data:"))
        if data := b"\n".join(line[5:].lstrip() for line in lines):
            yield data


def parse_answer(text: bytes) -> dict[str, Any]:
    """Parse a JSON object, or raise ProbeFailed."""
    try:
        answer = json.loads(text)
    except (ValueError, RecursionError):
        answer = None
    if not isinstance(answer, dict):
        body = describe_body(text)
        raise ProbeFailed(f"the response is not a JSON-RPC message: {body}")
    return answer


def read_result(answer: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Return the result of a response; raise ProbeFailed for an error."""
    result = answer.get("result")
    if isinstance(result, dict):
        return result
    error = answer.get("error")
    # An HTTP error of this server is a text.
    message = error if isinstance(error, str) else None
    if isinstance(error, dict):
        message = error.get("message")
    raise ProbeFailed(f"{where}: {shorten(str(message).encode())}")


def describe_body(body: bytes) -> str:
    """Describe a body that is no message: a web page in words, else its beginning."""
    if body.lstrip().startswith(b"<"):
        return "a web page, perhaps of another program"
    return shorten(body)


def shorten(text: bytes) -> str:
    """Truncate a text for display."""
    return text[: 4 * MAX_SHOWN].decode("utf-8", "replace").strip()[:MAX_SHOWN]
