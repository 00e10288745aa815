"""Bearer token authentication: header values in, a principal or a failure out.

RFC 6750, in the Authorization header only: a token in a URL would be in logs and
histories. With an issuer, a challenge names the resource metadata (RFC 9728).
"""

import logging
import re
from typing import Any, Final, Literal
from urllib.parse import urlsplit

import msgspec

from asdlc_kb.exceptions import InsufficientScope, InvalidToken
from asdlc_kb.ops.auth.bearer_tokens import Principal, TokenFile
from asdlc_kb.ops.logs.log_throttle import MAX_LINES_PER_SECOND, LogThrottle

logger = logging.getLogger(__name__)

METADATA: Final = "/.well-known/oauth-protected-resource"
"""The well-known path of the metadata, followed by the path of the resource,
including that of the public address (RFC 9728, 3.1)."""
ENDPOINT: Final = "/mcp"
"""The path of the protected resource below the public address."""
REALM: Final = "asdlc-kb"
"""Used in a challenge without other parameters; one is required (RFC 6750, 3)."""

_CREDENTIALS: Final = re.compile(r"[Bb][Ee][Aa][Rr][Ee][Rr] +([A-Za-z0-9._~+/-]+=*)")
_MAX_TOKEN_CHARS: Final = 16 * 1024


class AuthFailure(msgspec.Struct, frozen=True):
    """A failed authentication."""

    reason: str
    error: str | None = None
    """The error code of RFC 6750; None if no token was sent."""
    status: int = 401
    """The HTTP status."""


NO_TOKEN: Final = AuthFailure("send a token: Authorization: Bearer ...")
INVALID_TOKEN: Final = AuthFailure("the token is not accepted here", "invalid_token")


class BearerAuth:
    """Authenticates requests by the Authorization header."""

    def __init__(
        self,
        tokens: TokenFile,
        *,
        base_url: str | None = None,
        scheme: Literal["http", "https"] = "http",
        issuer: str | None = None,
        scope: str | None = None,
    ) -> None:
        self.tokens = tokens
        self._base_url = base_url
        self._scheme = scheme
        self._issuer = issuer
        self._scope = scope
        self._sampler = LogThrottle[str](together=MAX_LINES_PER_SECOND)

    def lookup_cached(self, authorization: str | None) -> Principal | None:
        """Return the principal of a listed or already verified token, if any."""
        token = _read(authorization)
        return None if token is None else self.tokens.lookup_cached(token)

    def identify(
        self, authorization: str | None, address: str
    ) -> Principal | AuthFailure:
        """Return the principal of a request, or the failure."""
        token = _read(authorization)
        if token is None:
            return NO_TOKEN
        try:
            return self.tokens.identify(token)
        except InvalidToken as rejected:
            if hits := self._sampler.count(address):
                logger.warning(
                    "token refused",
                    extra={"address": address, "reason": str(rejected), "hits": hits},
                )
            if isinstance(rejected, InsufficientScope):
                reason = f"the token lacks a required scope: {self._scope}"
                return AuthFailure(reason, "insufficient_scope", 403)
            return INVALID_TOKEN

    def accepts(self, authorization: str | None, address: str) -> bool:
        """Whether a header has a valid token."""
        if _read(authorization) is None:
            return False
        return isinstance(self.identify(authorization, address), Principal)

    def challenge(self, failure: AuthFailure, host: str) -> str:
        """Return the WWW-Authenticate header of a failure."""
        parameters = {"error": failure.error}
        if self._issuer is not None:
            resource = urlsplit(self._resource(host))
            origin = f"{resource.scheme}://{resource.netloc}"
            parameters["scope"] = self._scope
            parameters["resource_metadata"] = f"{origin}{METADATA}{resource.path}"
        given = {name: value for name, value in parameters.items() if value}
        pairs = (given or {"realm": REALM}).items()
        return "Bearer " + ", ".join(f'{name}="{value}"' for name, value in pairs)

    def describe(self, path: str, host: str) -> dict[str, Any] | None:
        """Return the resource metadata (RFC 9728, 2) served at a path.

        Return None for other paths, and always without an issuer, which the metadata
        must name. A proxy may strip the path of the public address.
        """
        resource = self._resource(host)
        ours = (METADATA, METADATA + ENDPOINT, METADATA + urlsplit(resource).path)
        if self._issuer is None or path not in ours:
            return None
        scopes = {"scopes_supported": self._scope.split()} if self._scope else {}
        return {
            "resource": resource,
            "authorization_servers": [self._issuer],
            "bearer_methods_supported": ["header"],
            **scopes,
        }

    def _resource(self, host: str) -> str:
        """Return the URL of the endpoint: below the public address or, if that is not
        set, at the request's host, which was admitted."""
        return (self._base_url or f"{self._scheme}://{host}").rstrip("/") + ENDPOINT


def _read(authorization: str | None) -> str | None:
    """Return the token of a header, or None."""
    if authorization is None or len(authorization) > _MAX_TOKEN_CHARS:
        return None
    match = _CREDENTIALS.fullmatch(authorization)
    return match[1] if match else None
