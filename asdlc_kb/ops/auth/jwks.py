"""Validation of an issuer's public keys: a JWK Set (RFC 7517).

Every key of the file is checked before any is skipped, those for encryption too: a file
with a private, secret or weak key is rejected as a whole.
"""

import base64
import json
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from joserfc.jwk import KeySet

from asdlc_kb.exceptions import SettingsError

ALGORITHMS: Final = frozenset(
    "RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519".split()
)
"""Permitted algorithms: not `none`, and none with a shared secret, as which a forger
could use the public key."""

MIN_RSA_BITS: Final = 2048
"""Minimum size of the modulus (RFC 7518, 3.3)."""

MIN_RSA_EXPONENT: Final = 65_537
"""The minimum public exponent (FIPS 186-5, A.1.1)."""

MAX_NAME_CHARACTERS: Final = 80
"""Maximum number of characters of a `kid` in an error message."""

_PRIVATE: Final = frozenset("d p q dp dq qi oth k priv".split())
"""The members of private and secret keys (RFC 7518, 6), and that of type AKP."""

_KEY_TYPES: Final = frozenset(
    [("RSA", None)]
    + [("EC", curve) for curve in ("P-256", "P-384", "P-521")]
    + [("OKP", curve) for curve in ("Ed25519", "Ed448")]
)
"""The types and curves of the keys of these algorithms."""


def read_keys(text: str, path: str) -> KeySet:
    """Return the keys of a JWK Set that verify signatures; raise SettingsError.

    The message identifies the key by number from 1 and `kid`, and contains nothing else
    of the file.
    """
    try:
        members = json.loads(text, object_pairs_hook=_make_object)
        keys = members.pop("keys")
        for number, key in enumerate(keys, 1):
            if fault := _find_fault(key):
                raise SettingsError(f"{path}: {_name_key(number, key)} {fault}")
        _check_names(keys, path)
        if not _PRIVATE.isdisjoint(_list_names(members)):
            raise SettingsError(f"{path}: there is a private key outside of the keys")
        signing_keys = [key for key in keys if _verifies(key)]
        if not signing_keys:
            raise SettingsError(
                f"{path}: no key verifies signatures: save the document at the "
                "issuer's jwks_uri to this file"
            )
        with warnings.catch_warnings():
            # The library warns about weak keys; they are rejected above.
            warnings.simplefilter("ignore")
            return KeySet.import_key_set({"keys": signing_keys})
    except SettingsError:
        raise
    except Exception as error:
        kind = type(error).__name__
        raise SettingsError(
            f"{path}: this is not a JWK Set ({kind}): save the document at the "
            "issuer's jwks_uri to this file"
        ) from None


def _make_object(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object; raise ValueError for duplicate member names.

    The second member would hide the first from every check.
    """
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError
    return members


def _find_fault(key: Mapping[str, Any]) -> str | None:
    """Return the defect of a key and the remedy, None for a valid one."""
    if key["kty"] == "oct" or not _PRIVATE.isdisjoint(_list_names(key)):
        return "is private or secret: only public keys belong here"
    if key["kty"] == "RSA":
        if _read_number(key["n"]).bit_length() < MIN_RSA_BITS:
            return f"has less than {MIN_RSA_BITS} bits: ask the issuer to replace it"
        exponent = _read_number(key["e"])
        if exponent < MIN_RSA_EXPONENT or exponent % 2 == 0:
            return (
                f"has an exponent that is even or less than {MIN_RSA_EXPONENT}: ask "
                "the issuer to replace it"
            )
    return None


def _check_names(keys: Sequence[Mapping[str, Any]], path: str) -> None:
    """Raise SettingsError for a duplicate `kid`: a token's key would be ambiguous."""
    seen = set()
    for number, key in enumerate(keys, 1):
        if (name := key.get("kid")) in seen:
            raise SettingsError(
                f"{path}: {_name_key(number, key)} has the same kid as another key: "
                "ask the issuer for unique ones"
            )
        if name is not None:
            seen.add(name)


def _name_key(number: int, key: Mapping[str, Any]) -> str:
    """Return the identification of a key in a message."""
    name = key.get("kid")
    if not isinstance(name, str):
        return f"key {number}"
    return f"key {number} (kid {json.dumps(name[:MAX_NAME_CHARACTERS])})"


def _list_names(value: Any) -> Iterator[str]:
    """Yield the member names of a JSON value, at every depth."""
    if isinstance(value, dict):
        yield from value
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from _list_names(item)


def _read_number(text: str) -> int:
    """Return an unsigned integer (RFC 7518, 2: Base64urlUInt)."""
    return int.from_bytes(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))


def _verifies(key: Mapping[str, Any]) -> bool:
    """Whether a key verifies signatures of our algorithms (RFC 7517, 4.1 to 4.4)."""
    return (
        (key["kty"], key.get("crv")) in _KEY_TYPES
        and key.get("use", "sig") == "sig"
        and "verify" in key.get("key_ops", ["verify"])
        and key.get("alg", "RS256") in ALGORITHMS
    )
