"""Whether a request proves who sent it: header values in, a principal or a refusal out.

RFC 6750, in the Authorization header alone: a token in an address would be in logs and
in histories. What is refused is told where to get a token (RFC 9728).
"""

import logging
import re
from dataclasses import dataclass
from typing import Any, Final

from asdlc_kb.exceptions import TokenRefused
from asdlc_kb.ops.sampling import MOST_A_SECOND, Sampler
from asdlc_kb.ops.tokens import Principal, Tokens

logger = logging.getLogger(__name__)

METADATA: Final = "/.well-known/oauth-protected-resource"
"""Where clients read who gives tokens (RFC 9728, 3.1)."""

_CREDENTIALS: Final = re.compile(r"[Bb][Ee][Aa][Rr][Ee][Rr] +([A-Za-z0-9._~+/-]+=*)")
_LONGEST: Final = 16 * 1024


@dataclass(frozen=True, slots=True)
class Stranger:
    """That a request does not prove who sent it."""

    reason: str
    error: str | None = None
    """The code of RFC 6750; None where there was no token at all."""


NOBODY: Final = Stranger("send a token: Authorization: Bearer ...")
UNKNOWN: Final = Stranger("the token is not accepted here", "invalid_token")


class Bearer:
    """Decides on the Authorization header."""

    def __init__(
        self,
        tokens: Tokens,
        *,
        base_url: str | None = None,
        issuer: str | None = None,
    ) -> None:
        self.tokens = tokens
        self._base_url = base_url
        self._issuer = issuer
        self._sampler = Sampler[str](together=MOST_A_SECOND)

    def recall(self, authorization: str | None) -> Principal | None:
        """Return who sent a request if that costs next to nothing."""
        token = _read(authorization)
        return None if token is None else self.tokens.recall(token)

    def identify(self, authorization: str | None, address: str) -> Principal | Stranger:
        """Return who sent a request, or why that cannot be told."""
        token = _read(authorization)
        if token is None:
            return NOBODY
        try:
            return self.tokens.identify(token)
        except TokenRefused as refused:
            if hits := self._sampler.count(address):
                logger.warning(
                    "token refused",
                    extra={"address": address, "reason": str(refused), "hits": hits},
                )
            return UNKNOWN

    def challenge(self, stranger: Stranger, host: str) -> str:
        """Return the WWW-Authenticate header of a refusal."""
        error = f'error="{stranger.error}", ' if stranger.error else ""
        return f'Bearer {error}resource_metadata="{self._base(host)}{METADATA}/mcp"'

    def describe(self, host: str) -> dict[str, Any]:
        """Return the metadata of what is protected (RFC 9728, 2)."""
        told: dict[str, Any] = {
            "resource": f"{self._base(host)}/mcp",
            "bearer_methods_supported": ["header"],
        }
        if self._issuer is not None:
            told["authorization_servers"] = [self._issuer]
        return told

    def _base(self, host: str) -> str:
        """Return the public address; where it is not known, what was asked for.

        Only a Host that the gate has let in gets here.
        """
        return (self._base_url or f"http://{host}").rstrip("/")


def _read(authorization: str | None) -> str | None:
    """Return the token of a header, or None."""
    if authorization is None or len(authorization) > _LONGEST:
        return None
    match = _CREDENTIALS.fullmatch(authorization)
    return match[1] if match else None
