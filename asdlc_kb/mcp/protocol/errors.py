"""JSON-RPC and MCP errors, one class per code.

Codes: JSON-RPC 2.0 section 5.1 and the MCP 2026-07-28 specification, basic/index.
The messages of the codes are fixed; details are in `data`.
"""

from typing import Any, ClassVar, Final

from asdlc_kb.exceptions import KnowledgeBaseError

_MAX_ECHO_CHARS: Final = 200


def clip(text: str) -> str:
    """Return a client's value, truncated for an error message."""
    return text[:_MAX_ECHO_CHARS]


class ProtocolError(KnowledgeBaseError):
    """An exception that is sent to the client as a JSON-RPC error object."""

    CODE: ClassVar[int] = -32603
    MESSAGE: ClassVar[str] = "Internal server error"

    def __init__(self, message: str | None = None, data: Any = None) -> None:
        self.message = self.MESSAGE if message is None else message
        self.data = data
        super().__init__(self.message)


class ParseError(ProtocolError):
    """Raised for bytes that are not valid JSON, or not JSON this server accepts."""

    CODE = -32700
    MESSAGE = "Parse error"


class InvalidRequest(ProtocolError):
    """Raised when JSON is not a JSON-RPC message of the version in force."""

    CODE = -32600
    MESSAGE = "Invalid Request"


class MethodNotFound(ProtocolError):
    """Raised for a method that does not exist in the version in force."""

    CODE = -32601
    MESSAGE = "Method not found"

    def __init__(self, method: str, data: Any = None) -> None:
        super().__init__(f"Method '{clip(method)}' not found", data)


class InvalidParams(ProtocolError):
    """Raised for parameters that a method cannot use."""

    CODE = -32602
    MESSAGE = "Invalid params"


class InternalError(ProtocolError):
    """Raised in place of an unexpected exception; carries no detail."""


class ResourceNotFound(ProtocolError):
    """Raised for an unknown resource URI; its code changed in 2026-07-28."""

    CODE = -32002
    MESSAGE = "Resource not found"


class HeaderMismatch(ProtocolError):
    """Raised when an HTTP header differs from the body value it mirrors."""

    CODE = -32020
    MESSAGE = "Header mismatch"


class MissingCapability(ProtocolError):
    """Raised when a call needs a capability that the client did not declare."""

    CODE = -32021
    MESSAGE = "Missing required client capability"


class UnsupportedVersion(ProtocolError):
    """Raised for a protocol version that this server does not support."""

    CODE = -32022
    MESSAGE = "Unsupported protocol version"


class ToolFailure(KnowledgeBaseError):
    """Raised when a tool fails; reported to the model in the tool result.

    `hint` says what to do next; it is a text item after the message. With the setting
    `tool_errors = protocol` the failure is a JSON-RPC error instead, of the class and
    with the data given here, and the hint is in the data.
    """

    def __init__(
        self,
        message: str,
        data: Any = None,
        protocol: type[ProtocolError] = InvalidParams,
        *,
        hint: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.data = data
        self.protocol = protocol
        self.hint = hint

    def to_protocol_error(self) -> ProtocolError:
        """Return the failure as a JSON-RPC error."""
        if self.hint is None:
            return self.protocol(self.message, self.data)
        return self.protocol(self.message, {**(self.data or {}), "hint": self.hint})
