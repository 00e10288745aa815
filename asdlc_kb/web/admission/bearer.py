"""Whether a request proves who sent it: header values in, a principal or a refusal out.

RFC 6750, in the Authorization header alone: a token in an address would be in logs and
in histories. With an issuer, a refusal names the metadata that names it (RFC 9728).
"""

import logging
import re
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit

from asdlc_kb.exceptions import InsufficientScope, InvalidToken
from asdlc_kb.ops.auth.bearer_tokens import Principal, TokenFile
from asdlc_kb.ops.logs.log_throttle import MAX_LINES_PER_SECOND, LogThrottle

logger = logging.getLogger(__name__)

METADATA: Final = "/.well-known/oauth-protected-resource"
"""The well-known path of the metadata. The path of the resource, that of a public
address below a path included, comes after it (RFC 9728, 3.1)."""
ENDPOINT: Final = "/mcp"
"""The path of the protected resource below the public address."""
REALM: Final = "asdlc-kb"
"""The parameter of a challenge that has no other; one is required (RFC 6750, 3)."""

_CREDENTIALS: Final = re.compile(r"[Bb][Ee][Aa][Rr][Ee][Rr] +([A-Za-z0-9._~+/-]+=*)")
_MAX_TOKEN_CHARS: Final = 16 * 1024


@dataclass(frozen=True, slots=True)
class AuthFailure:
    """That a request does not prove who sent it."""

    reason: str
    error: str | None = None
    """The code of RFC 6750; None where there was no token at all."""
    status: int = 401
    """The HTTP status of the refusal."""


NOBODY: Final = AuthFailure("send a token: Authorization: Bearer ...")
UNKNOWN: Final = AuthFailure("the token is not accepted here", "invalid_token")


class BearerAuth:
    """Decides on the Authorization header."""

    def __init__(
        self,
        tokens: TokenFile,
        *,
        base_url: str | None = None,
        issuer: str | None = None,
        scope: str | None = None,
    ) -> None:
        self.tokens = tokens
        self._base_url = base_url
        self._issuer = issuer
        self._scope = scope
        self._sampler = LogThrottle[str](together=MAX_LINES_PER_SECOND)

    def recall(self, authorization: str | None) -> Principal | None:
        """Return who sent a request if that costs next to nothing."""
        token = _read(authorization)
        return None if token is None else self.tokens.recall(token)

    def identify(
        self, authorization: str | None, address: str
    ) -> Principal | AuthFailure:
        """Return who sent a request, or why that cannot be told."""
        token = _read(authorization)
        if token is None:
            return NOBODY
        try:
            return self.tokens.identify(token)
        except InvalidToken as refused:
            if hits := self._sampler.count(address):
                logger.warning(
                    "token refused",
                    extra={"address": address, "reason": str(refused), "hits": hits},
                )
            if isinstance(refused, InsufficientScope):
                reason = f"the token lacks a required scope: {self._scope}"
                return AuthFailure(reason, "insufficient_scope", 403)
            return UNKNOWN

    def challenge(self, stranger: AuthFailure, host: str) -> str:
        """Return the WWW-Authenticate header of a refusal."""
        parameters = {"error": stranger.error}
        if self._issuer is not None:
            resource = urlsplit(self._resource(host))
            origin = f"{resource.scheme}://{resource.netloc}"
            parameters["scope"] = self._scope
            parameters["resource_metadata"] = f"{origin}{METADATA}{resource.path}"
        given = {name: value for name, value in parameters.items() if value}
        listed = (given or {"realm": REALM}).items()
        return "Bearer " + ", ".join(f'{name}="{value}"' for name, value in listed)

    def describe(self, path: str, host: str) -> dict[str, Any] | None:
        """Return the metadata of the resource (RFC 9728, 2) that is at a path.

        Return None at all other paths, and at each of them without an issuer: clients
        must find one in it. A proxy may take the path of the public address away.
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
        """Return the address of the endpoint: below the public address or, where that
        is not known, at the host of the request, which the gate has admitted."""
        return (self._base_url or f"http://{host}").rstrip("/") + ENDPOINT


def _read(authorization: str | None) -> str | None:
    """Return the token of a header, or None."""
    if authorization is None or len(authorization) > _MAX_TOKEN_CHARS:
        return None
    match = _CREDENTIALS.fullmatch(authorization)
    return match[1] if match else None
