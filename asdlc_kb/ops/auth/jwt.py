"""Verification of JSON Web Tokens (RFC 7519) with an issuer's public keys in a file.

A token only selects the key: the algorithms are a fixed set, all asymmetric, and a key
is used only for its purpose. The library is loaded with this module, only if such
tokens are configured.
"""

import json
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from hashlib import sha256
from typing import Any, Final

from joserfc import jwt
from joserfc.errors import JoseError, UnsupportedAlgorithmError
from joserfc.jwk import GuestProtocol, Key, KeySet, guess_key
from joserfc.jws import JWSRegistry
from joserfc.jwt import JWTClaimsRegistry

from asdlc_kb.exceptions import InsufficientScope, InvalidToken
from asdlc_kb.ops.auth.bearer_tokens import Principal, SourceNames
from asdlc_kb.ops.auth.jwks import ALGORITHMS

LEEWAY_SECONDS: Final = 30
"""Tolerated clock difference."""

TYPES: Final = frozenset(("at+jwt", "jwt"))
"""The types of an access token: that of RFC 9068, 2.1, and the generic one. Tokens for
other uses, such as logout tokens, have other types (RFC 8725, 3.11)."""

SOURCES: Final = "sources"
"""The claim with the names of the sources that a token is for."""

_MAX_SUBJECT_CHARS: Final = 200
"""Maximum number of characters of `sub`; each request logs it."""


class _Algorithms(JWSRegistry):
    """Accepts `ALGORITHMS`, without the library's warning for EdDSA."""

    def get_alg(self, name: str) -> Any:
        """Return an accepted algorithm; raise UnsupportedAlgorithmError."""
        if name not in ALGORITHMS:
            raise UnsupportedAlgorithmError("not one of ours")
        return self.algorithms[name]


class JwtVerifier:
    """Verifies the tokens of one issuer for one audience."""

    def __init__(
        self,
        keys: KeySet,
        issuer: str,
        audience: str,
        clock: Callable[[], float] = time.time,
        scope: str | None = None,
    ) -> None:
        self._keys = keys
        self._context = (issuer, audience, scope)
        self._scopes = frozenset(scope.split(" ") if scope else ())
        self.digests = frozenset(map(self._digest_key, keys))
        # Unknown headers are ignored, unless they are critical.
        self._algorithms = _Algorithms(strict_check_header=False)
        self._claims = JWTClaimsRegistry(
            now=lambda: int(clock()),
            leeway=LEEWAY_SECONDS,
            iss={"essential": True, "value": issuer},
            aud={"essential": True, "value": audience},
            exp={"essential": True},
            sub={"essential": True},
        )

    def verify(self, token: str) -> Principal:
        """Return the principal of a token; raise InvalidToken with an error code."""
        try:
            used: list[Key] = []
            find = partial(self._find_key, used)
            read = jwt.decode(token, find, registry=self._algorithms)
            claims = read.claims
            self._claims.validate(claims)
        except JoseError as error:
            # Only the code: descriptions quote the token.
            raise InvalidToken(error.error or "malformed") from None
        except Exception:
            # Unexpected exceptions of the library on untrusted bytes.
            raise InvalidToken("malformed") from None
        kind = str(read.header.get("typ", "JWT")).lower()
        if kind.removeprefix("application/") not in TYPES:
            raise InvalidToken("invalid_type")
        if not self._scopes.issubset(_list_scopes(claims)):
            raise InsufficientScope("insufficient_scope")
        subject = str(claims["sub"])
        if len(subject) > _MAX_SUBJECT_CHARS:
            # Truncated subjects could collide.
            raise InvalidToken("invalid_claim")
        expires = claims["exp"] + LEEWAY_SECONDS
        sources = _read_sources(claims)
        return Principal(f"jwt:{subject}", expires, self._digest_key(used[0]), sources)

    def _find_key(self, used: list[Key], token: GuestProtocol) -> Key:
        """Return the key that a token names, and append it to `used`."""
        used.append(guess_key(self._keys, token, use="sig"))
        return used[0]

    def _digest_key(self, key: Key) -> bytes:
        """Return the digest of a key with its attributes, issuer, audience and scope.

        If any of these changes, tokens that it signed are no longer accepted.
        """
        text = json.dumps((key.as_dict(private=False), *self._context), sort_keys=True)
        return sha256(text.encode()).digest()


def _read_sources(claims: Mapping[str, Any]) -> SourceNames | None:
    """Return the names in the claim `sources`, a list or a text; None without it.

    Raises InvalidToken for any other value, which must not grant all sources.
    """
    if SOURCES not in claims:
        return None
    given = claims[SOURCES]
    if isinstance(given, str):
        return frozenset(filter(None, given.split(" ")))
    if isinstance(given, list) and all(isinstance(name, str) for name in given):
        return frozenset(given)
    raise InvalidToken("invalid_claim")


def _list_scopes(claims: Mapping[str, Any]) -> Iterator[str]:
    """Yield the scopes of a token: of `scope` (RFC 9068, 2.2.3), and of `scp`, which
    some issuers have instead; either may be a text or a list."""
    for name in ("scope", "scp"):
        scopes = claims.get(name)
        if isinstance(scopes, str):
            # Not at other whitespace: it would split an unknown scope into two.
            yield from scopes.split(" ")
        elif isinstance(scopes, list):
            yield from filter(lambda scope: isinstance(scope, str), scopes)
