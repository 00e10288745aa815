"""JSON-RPC messages as a client makes and reads them, apart from how they are sent."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from asdlc_kb.exceptions import ProbeFailed

MODERN: Final = "2026-07-28"
HANDSHAKE: Final = "2025-11-25"

MAX_SHOWN: Final = 200
"""Characters that are shown of what a server wrote."""
_META: Final = "io.modelcontextprotocol/"


def make_request(
    method: str, params: Mapping[str, Any], version: str, request_id: int
) -> dict[str, Any]:
    """Return a request with the metadata that its version asks for."""
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
    """Return the object in a text; raise ProbeFailed if there is none."""
    try:
        answer = json.loads(text)
    except (ValueError, RecursionError):
        answer = None
    if not isinstance(answer, dict):
        raise ProbeFailed(f"the answer is no message: {shorten(text)}")
    return answer


def read_result(answer: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Return the result in an answer; raise ProbeFailed for an error."""
    result = answer.get("result")
    if isinstance(result, dict):
        return result
    error = answer.get("error")
    said = error.get("message") if isinstance(error, dict) else None
    raise ProbeFailed(f"{where}: {shorten(str(said).encode())}")


def shorten(text: bytes) -> str:
    """Return the beginning of a text, to be shown."""
    return text[: 4 * MAX_SHOWN].decode("utf-8", "replace").strip()[:MAX_SHOWN]
