"""Tokens that an issuer signed (RFC 7519), verified against its public keys in a file.

Nothing in a token decides how it is verified but which of the keys: the algorithms are
ours, all of them with public keys, and a key is only used for what it is for. The
library is loaded with this module, where such tokens are configured.
"""

import json
import time
import warnings
from collections.abc import Callable, Mapping
from functools import partial
from hashlib import sha256
from typing import Any, Final

from joserfc import jwt
from joserfc.errors import JoseError, UnsupportedAlgorithmError
from joserfc.jwk import GuestProtocol, Key, KeySet, OctKey, RSAKey, guess_key
from joserfc.jws import JWSRegistry
from joserfc.jwt import JWTClaimsRegistry

from asdlc_kb.exceptions import SettingsError, TokenRefused
from asdlc_kb.ops.tokens import Principal

ALGORITHMS: Final = frozenset(
    "RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519".split()
)
"""Never `none`, and none with a shared secret: a public key could be taken for it."""

LEEWAY_SECONDS: Final = 30
"""By which clocks may differ."""

_FEWEST_BITS: Final = 2048
"""Of an RSA key (RFC 7518, 3.3)."""

_LONGEST_SUBJECT: Final = 200
"""Characters; it is in the log of each request."""


class _Algorithms(JWSRegistry):
    """Looks an algorithm up. The library would warn of the older name of Ed25519."""

    def get_alg(self, name: str) -> Any:
        """Return one of ours."""
        if name not in ALGORITHMS:
            raise UnsupportedAlgorithmError("not one of ours")
        return self.algorithms[name]


class Jwts:
    """Verifies the tokens of one issuer for one audience."""

    def __init__(
        self,
        keys: KeySet,
        issuer: str,
        audience: str,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._keys = keys
        self._said = (issuer, audience)
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
        """Return whom a token stands for; raise TokenRefused with the kind of fault."""
        try:
            used: list[Key] = []
            find = partial(self._find_key, used)
            claims = jwt.decode(token, find, registry=self._algorithms).claims
            self._claims.validate(claims)
        except JoseError as error:
            # Only the kind: descriptions repeat what is in the token.
            raise TokenRefused(error.error or "malformed") from None
        except Exception:
            # Whatever the library did not foresee about bytes from anywhere.
            raise TokenRefused("malformed") from None
        subject = str(claims["sub"])
        if len(subject) > _LONGEST_SUBJECT:
            # Cut, two of them could be one and the same.
            raise TokenRefused("invalid_claim")
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


def read_keys(text: str, path: str) -> KeySet:
    """Return the public keys of a JWK Set (RFC 7517); raise SettingsError."""
    try:
        with warnings.catch_warnings():
            # Of weak keys, which are refused below in our words.
            warnings.simplefilter("ignore")
            keys = KeySet.import_key_set(_read_set(text))
    except Exception as error:
        kind = type(error).__name__
        raise SettingsError(f"{path}: this is no set of public keys ({kind})") from None
    for key in keys:
        if isinstance(key, OctKey) or key.is_private:
            raise SettingsError(
                f"{path}: it has a secret or private key: only public ones belong here"
            )
        if isinstance(key, RSAKey) and key.public_key.key_size < _FEWEST_BITS:
            raise SettingsError(f"{path}: an RSA key has less than {_FEWEST_BITS} bits")
    return keys


def _read_set(text: str) -> Any:
    """Return a set without the keys that are for encryption."""
    told: Mapping[str, Any] = json.loads(text)
    return {"keys": [key for key in told["keys"] if key.get("use", "sig") == "sig"]}
