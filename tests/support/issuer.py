"""A token issuer: real keys, made once for a run, and valid and invalid tokens."""

import base64
import json
import warnings
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

from joserfc import jwt
from joserfc.jwk import ECKey, Key, OKPKey, RSAKey

ISSUER: Final = "https://login.example.com/realms/kb"
AUDIENCE: Final = "https://kb.example.com/mcp"
NOW: Final = 1_800_000_000
"""The time in tests with a clock that stands still."""

KINDS: Final = {
    **dict.fromkeys(("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"), "RSA"),
    **{"ES256": "P-256", "ES384": "P-384", "ES512": "P-521"},
    **{"EdDSA": "Ed25519", "Ed25519": "Ed25519"},
}
"""The kind of key of an algorithm."""


@cache
def make_key(kind: str, kid: str = "") -> Key:
    """Return the private key of a kind, the same one each time."""
    kid = kid or kind
    if kind == "RSA":
        return RSAKey.generate_key(2048, parameters={"kid": kid})
    if kind.startswith("P-"):
        return ECKey.generate_key(kind, parameters={"kid": kid})
    assert kind == "Ed25519", kind
    return OKPKey.generate_key("Ed25519", parameters={"kid": kid})


def write_set(*keys: Key, private: bool = False, **members: Any) -> str:
    """Return a JWK Set of keys, by default the public ones; each has `members` too."""
    published = [{**key.as_dict(private=private), **members} for key in keys]
    return json.dumps({"keys": published})


def write_claims(now: float = NOW, **changed: Any) -> dict[str, Any]:
    """Return the claims of a valid token, some changed, without those that are None."""
    claims = {
        "iss": ISSUER,
        "aud": AUDIENCE,
        "sub": "ada",
        "iat": int(now) - 10,
        "exp": int(now) + 300,
    } | changed
    return {name: value for name, value in claims.items() if value is not None}


def sign(
    claims: Mapping[str, Any],
    algorithm: str = "RS256",
    key: Key | None = None,
    **header: Any,
) -> str:
    """Return a signed token."""
    key = key or make_key(KINDS[algorithm])
    header_fields = {"alg": algorithm, "kid": key.kid, **header}
    header_fields = {
        name: value for name, value in header_fields.items() if value is not None
    }
    with warnings.catch_warnings():
        # The library warns about the older algorithm name of Ed25519.
        warnings.simplefilter("ignore")
        return jwt.encode(header_fields, dict(claims), key, algorithms=[algorithm])


def encode(part: Any) -> str:
    """Return one part of a token: JSON, or bytes as they are."""
    raw = part if isinstance(part, bytes) else json.dumps(part).encode()
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def configure(folder: Path, *keys: Key) -> dict[str, Any]:
    """Write the public keys into a folder; return the settings that trust them."""
    file = folder / "keys.json"
    file.write_text(write_set(*(keys or (make_key("RSA"),))))
    return {
        "auth_jwks_file": str(file),
        "auth_issuer": ISSUER,
        "auth_audience": AUDIENCE,
    }
