"""HTTP headers that mirror values of the body (2026-07-28, streamable-http).

`Mcp-Name` and `Mcp-Param-*` may be encoded as `=?base64?...?=`. The markers are exact;
a value without both is literal.
"""

import base64
import binascii
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from asdlc_kb.mcp.protocol.errors import HeaderMismatch

_PREFIX: Final = "=?base64?"
_SUFFIX: Final = "?="
_SAFE = re.compile(r"[\x20-\x7e\t]*")
_TRACEPARENT = re.compile(r"00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}")
_MAX_STATE_CHARS: Final = 512
_INTEGER = re.compile(r"-?[0-9]{1,16}(?:\.0{1,16})?")


def read_trace(value: object) -> str | None:
    """Return a valid W3C traceparent, and None otherwise."""
    if isinstance(value, str) and _TRACEPARENT.fullmatch(value):
        return value
    return None


def read_trace_context(carrier: object) -> Mapping[str, str]:
    """Return the valid W3C trace context of a mapping; empty without one.

    A longer `tracestate` than every recipient must propagate is dropped.
    """
    if not isinstance(carrier, dict):
        return {}
    trace, state = read_trace(carrier.get("traceparent")), carrier.get("tracestate")
    if trace is None:
        return {}
    if isinstance(state, str) and 0 < len(state) <= _MAX_STATE_CHARS:
        return {"traceparent": trace, "tracestate": state}
    return {"traceparent": trace}


def decode(value: str, header: str) -> str:
    """Return the decoded value of a header; raise HeaderMismatch if it is invalid."""
    if not _SAFE.fullmatch(value):
        raise HeaderMismatch(f"Header mismatch: {header} has invalid characters")
    if not (value.startswith(_PREFIX) and value.endswith(_SUFFIX)):
        return value
    if len(value) < len(_PREFIX) + len(_SUFFIX):
        return value
    try:
        payload = value[len(_PREFIX) : -len(_SUFFIX)]
        return base64.b64decode(payload, validate=True).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError):
        raise HeaderMismatch(
            f"Header mismatch: {header} is not valid base64 of UTF-8"
        ) from None


def require_equal(header: str, value: str | None, expected: str) -> None:
    """Raise HeaderMismatch unless the header is present and equals `expected`."""
    if value is None or decode(value, header) != expected:
        raise mismatch(header, value)


def mismatch(header: str, sent: str | None) -> HeaderMismatch:
    """Return the error for a header that is missing or differs from the body."""
    detail = "is missing" if sent is None else "differs from the body"
    return HeaderMismatch(f"Header mismatch: {header} header {detail}")


def require_parameters(
    schema: Mapping[str, Any], arguments: Mapping[str, Any], headers: Mapping[str, str]
) -> None:
    """Compare `Mcp-Param-*` headers with the arguments that they mirror.

    `headers` are keyed by lower-case name without the prefix. Raises HeaderMismatch;
    headers that are not in the schema are ignored.
    """
    for name, value in _mirrored(schema, arguments):
        header = f"Mcp-Param-{name}"
        sent = headers.get(name.lower())
        if value is None:
            if sent is not None:
                raise HeaderMismatch(
                    f"Header mismatch: {header} header has no value in the body"
                )
        elif isinstance(value, (str, bool)):
            text = value if isinstance(value, str) else str(value).lower()
            require_equal(header, sent, text)
        elif isinstance(value, int) or (
            isinstance(value, float) and value.is_integer()
        ):
            _require_number(header, sent, value)


def _mirrored(
    schema: Mapping[str, Any], arguments: Any
) -> Iterator[tuple[str, object]]:
    """Yield (header name, value or None) of each `x-mcp-header` property."""
    properties = schema.get("properties", {})
    for key, below in properties.items():
        value = arguments.get(key) if isinstance(arguments, dict) else None
        if not isinstance(below, dict):
            continue
        if "x-mcp-header" in below:
            yield below["x-mcp-header"], value
        if "properties" in below:
            yield from _mirrored(below, value)


def _require_number(header: str, sent: str | None, value: float) -> None:
    """Raise HeaderMismatch unless the numbers are equal: 42.0 equals 42."""
    text = "" if sent is None else decode(sent, header)
    if not _INTEGER.fullmatch(text) or int(text.split(".")[0]) != value:
        raise mismatch(header, sent)
