"""Tokens that an issuer signed (RFC 7519), verified against its public keys in a file.

Nothing in a token decides how it is verified but which of the keys: the algorithms are
ours, all of them with public keys, and a key is only used for what it is for. The
library is loaded with this module, where such tokens are configured.
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
from asdlc_kb.ops.auth.bearer_tokens import Principal
from asdlc_kb.ops.auth.jwks import ALGORITHMS

LEEWAY_SECONDS: Final = 30
"""By which clocks may differ."""

TYPES: Final = frozenset(("at+jwt", "jwt"))
"""The types of an access token: that of RFC 9068, 2.1, and the general one. Tokens for
other uses, such as logout tokens, have types of their own (RFC 8725, 3.11)."""

_MAX_SUBJECT_CHARS: Final = 200
"""Characters; it is in the log of each request."""


class _Algorithms(JWSRegistry):
    """Looks an algorithm up. The library would warn of the older name of Ed25519."""

    def get_alg(self, name: str) -> Any:
        """Return one of ours."""
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
        self._said = (issuer, audience, scope)
        self._scopes = frozenset(scope.split(" ") if scope else ())
        self.proofs = frozenset(map(self._prove, keys))
        # Headers that nobody here knows are ignored, unless they are critical.
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
        """Return whom a token stands for; raise InvalidToken with the kind of fault."""
        try:
            used: list[Key] = []
            find = partial(self._find_key, used)
            read = jwt.decode(token, find, registry=self._algorithms)
            claims = read.claims
            self._claims.validate(claims)
        except JoseError as error:
            # Only the kind: descriptions repeat what is in the token.
            raise InvalidToken(error.error or "malformed") from None
        except Exception:
            # Whatever the library did not foresee about bytes from anywhere.
            raise InvalidToken("malformed") from None
        kind = str(read.header.get("typ", "JWT")).lower()
        if kind.removeprefix("application/") not in TYPES:
            raise InvalidToken("invalid_type")
        if not self._scopes.issubset(_list_scopes(claims)):
            raise InsufficientScope("insufficient_scope")
        subject = str(claims["sub"])
        if len(subject) > _MAX_SUBJECT_CHARS:
            # Cut, two of them could be one and the same.
            raise InvalidToken("invalid_claim")
        expires = claims["exp"] + LEEWAY_SECONDS
        return Principal(f"jwt:{subject}", expires, self._prove(used[0]))

    def _find_key(self, used: list[Key], token: GuestProtocol) -> Key:
        """Return the key that a token names, and note it."""
        used.append(guess_key(self._keys, token, use="sig"))
        return used[0]

    def _prove(self, key: Key) -> bytes:
        """Return the digest of a key, of what it is for, and of who and whom it serves.

        Where any of that is another, tokens that it signed are no longer accepted.
        """
        said = json.dumps((key.as_dict(private=False), *self._said), sort_keys=True)
        return sha256(said.encode()).digest()


def _list_scopes(claims: Mapping[str, Any]) -> Iterator[str]:
    """Yield the scopes of a token: of `scope` (RFC 9068, 2.2.3), and of `scp`, which
    some issuers have instead; either may be a text or a list."""
    for name in ("scope", "scp"):
        scopes = claims.get(name)
        if isinstance(scopes, str):
            # Not at other blanks: they would make two scopes of an unknown one.
            yield from scopes.split(" ")
        elif isinstance(scopes, list):
            yield from filter(lambda scope: isinstance(scope, str), scopes)
