"""The public keys of an issuer: usable ones, and those that invalidate a file."""

import hashlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from joserfc.jwk import ECKey, OKPKey
from support.issuer import KINDS, encode, make_key, write_set

from asdlc_kb.exceptions import SettingsError
from asdlc_kb.ops.auth.jwks import read_keys

RSA = make_key("RSA")
PUBLIC = RSA.as_dict(private=False)
PRIVATE = RSA.as_dict(private=True)
ENCRYPTION = {**make_key("RSA", "encryption").as_dict(private=False), "use": "enc"}


def refuse(*keys: Any, **further: Any) -> str:
    """Return why a set of keys is refused."""
    with pytest.raises(SettingsError, match=r"^keys\.json: ") as caught:
        read_keys(json.dumps({"keys": keys, **further}), "keys.json")
    return str(caught.value)


def test_keys_of_every_algorithm_are_used() -> None:
    """D-121: whatever kinds of keys an issuer signs with."""
    keys = [make_key(kind) for kind in sorted(set(KINDS.values()))]
    assert len(list(read_keys(write_set(*keys), "keys.json"))) == len(keys)


UNUSED: dict[str, dict[str, Any]] = {
    "for encryption": ENCRYPTION,
    "for encryption by its algorithm": {**PUBLIC, "kid": "x", "alg": "RSA-OAEP-256"},
    "to sign with": {**PUBLIC, "kid": "x", "key_ops": ["sign"]},
    "of a curve that no algorithm has": ECKey.generate_key("secp256k1").as_dict(
        private=False
    ),
    "of a curve that nobody knows": {"kty": "EC", "crv": "brainpoolP256r1", "x": "AA"},
    "to agree on a key": OKPKey.generate_key("X25519").as_dict(private=False),
    "of a type that nobody knows": {"kty": "AKP", "alg": "ML-DSA-44", "pub": "AA"},
}


@pytest.mark.parametrize("name", UNUSED)
def test_a_key_for_something_else_is_not_used(name: str) -> None:
    """RFC 7517, 4.2 to 4.4 and 5: a set may hold keys of other kinds too."""
    both = json.dumps({"keys": [UNUSED[name], PUBLIC]})
    (used,) = read_keys(both, "keys.json")
    assert used.kid == "RSA"
    assert "no key verifies signatures" in refuse(UNUSED[name])


LEAKED: dict[str, dict[str, Any]] = {
    "private": PRIVATE,
    "private, for encryption": {**PRIVATE, "use": "enc"},
    "private, half of it": {**PUBLIC, "d": PRIVATE["d"], "use": "enc"},
    "private by its primes alone": {**PUBLIC, "p": PRIVATE["p"]},
    "private, of a type that nobody knows": {"kty": "AKP", "pub": "AA", "priv": "AA"},
    "private, of a curve that is not used": ECKey.generate_key("secp256k1").as_dict(
        private=True
    ),
    "private, inside another member": {**PUBLIC, "old": [{"key": PRIVATE}]},
    "a secret": {"kty": "oct", "k": encode(b"x" * 64)},
    "a secret for encryption": {"kty": "oct", "k": encode(b"x" * 64), "use": "enc"},
    "a secret without its value": {"kty": "oct"},
}


@pytest.mark.parametrize("name", LEAKED)
@pytest.mark.parametrize("place", [0, 1])
def test_a_file_with_a_private_or_secret_key_is_refused(name: str, place: int) -> None:
    """D-121: whatever it is for and wherever it is; the message names the key alone."""
    key = {**LEAKED[name], "kid": "leaked"}
    keys = [{**PUBLIC, "kid": "good"}]
    keys.insert(place, key)
    said = refuse(*keys)
    assert said.startswith(f'keys.json: key {place + 1} (kid "leaked") is private or ')
    for value in PRIVATE.values():
        assert len(str(value)) < 10 or str(value)[:10] not in said


def test_a_private_key_beside_the_keys_is_found() -> None:
    """D-121: a file that leaks one is refused, wherever in it the key is."""
    assert "private" in refuse(PUBLIC, **PRIVATE)
    assert "private" in refuse(PUBLIC, retired=[{"key": PRIVATE}])


def test_a_member_that_stands_there_twice_hides_no_other() -> None:
    """RFC 8259, 4: readers take the first or the last of them."""
    for first, second in ((PRIVATE, PUBLIC), (PUBLIC, PRIVATE)):
        text = f'{{"keys": [{json.dumps(first)}], "keys": [{json.dumps(second)}]}}'
        with pytest.raises(SettingsError, match="not a JWK Set"):
            read_keys(text, "keys.json")
    text = json.dumps({"keys": [PUBLIC]}).replace('"kty"', '"d": "AA", "d": "", "kty"')
    with pytest.raises(SettingsError, match="not a JWK Set"):
        read_keys(text, "keys.json")


def number(value: int) -> str:
    """Return an unsigned integer in the encoding of a key."""
    return encode(value.to_bytes((value.bit_length() + 7) // 8))


SHORT = int.from_bytes(bytes([0x7F, *hashlib.sha512(b"n").digest() * 3, *[1] * 63]))
WEAK: dict[str, tuple[dict[str, Any], str]] = {
    "2047 bits": ({"n": number(2**2046 + 1)}, "less than 2048 bits"),
    "few bits": ({"n": number(SHORT)}, "less than 2048 bits"),
    "few bits behind zeros": ({"n": encode(b"\0" * 256 + b"\1")}, "less than 2048"),
    "exponent 1": ({"e": number(1)}, "an exponent that is even or less than 65537"),
    "exponent 3": ({"e": number(3)}, "an exponent that is even or less than 65537"),
    "exponent 17": ({"e": number(17)}, "an exponent that is even or less than 65537"),
    "even exponent": ({"e": number(65_538)}, "an exponent that is even"),
}


@pytest.mark.parametrize("use", ["sig", "enc", None])
@pytest.mark.parametrize("name", WEAK)
def test_a_weak_rsa_key_is_refused(name: str, use: str | None) -> None:
    """RFC 7518, 3.3: 2048 bits at the least; FIPS 186-5, A.1.1: 65537 at the least."""
    changed, fault = WEAK[name]
    weak = {**PUBLIC, "kid": "weak", **changed, **({"use": use} if use else {})}
    assert fault in refuse(PUBLIC, weak)


def test_two_keys_of_one_name_are_refused() -> None:
    """RFC 7517, 4.5: a token names one key."""
    second = make_key("P-256").as_dict(private=False)
    assert 'key 2 (kid "RSA") has the same kid as another key' in refuse(
        PUBLIC, {**second, "kid": "RSA"}
    )
    assert "has the same kid as another key" in refuse(
        PUBLIC, {**ENCRYPTION, "kid": "RSA"}
    )


def test_keys_without_names_are_told_apart_by_their_digests() -> None:
    """RFC 7638: `kid` is optional."""
    keys = [make_key("RSA", "one"), make_key("RSA", "two")]
    told = [key.as_dict(private=False) for key in keys]
    for key in told:
        del key["kid"]
    assert len(list(read_keys(json.dumps({"keys": told}), "keys.json"))) == 2


BAD_SETS = {
    "no JSON": "{",
    "deep": "[" * 100_000,
    "no object": "[]",
    "no keys": "{}",
    "no list": '{"keys": 7}',
    "an object of keys": json.dumps({"keys": {"a": PUBLIC}}),
    "one key": json.dumps(PUBLIC),
    "empty": '{"keys": []}',
    "nonsense": '{"keys": [7]}',
    "half a key": '{"keys": [{"kty": "RSA", "e": "AQAB"}]}',
    "a type that is none": '{"keys": [{"kty": ["RSA"]}]}',
    "a name that is none": json.dumps({"keys": [{**PUBLIC, "kid": ["a"]}]}),
    "an algorithm that is none": json.dumps({"keys": [{**PUBLIC, "alg": ["a"]}]}),
}


@pytest.mark.parametrize("name", BAD_SETS)
def test_a_file_without_public_keys_is_refused(name: str) -> None:
    """In doubt the server does not start; the file's content is not repeated."""
    with pytest.raises(SettingsError, match=r"^keys\.json: .* jwks_uri ") as caught:
        read_keys(BAD_SETS[name], "keys.json")
    assert str(PUBLIC["n"])[:20] not in str(caught.value)


def test_a_message_repeats_no_more_than_the_beginning_of_a_name() -> None:
    """It is logged: on one line, without control characters."""
    said = refuse({**PRIVATE, "kid": "\x1b[2J\n" + "x" * 1000})
    assert said.isprintable()
    assert len(said) < 250


@given(st.text(max_size=40), st.dictionaries(st.text(max_size=5), st.text(max_size=9)))
def test_no_file_is_an_unforeseen_failure(text: str, key: dict[str, str]) -> None:
    """Whatever is in the file: keys, or an error about it."""
    for written in (text, json.dumps({"keys": [key]}), json.dumps({"keys": text})):
        with pytest.raises(SettingsError, match=r"^keys\.json: "):
            read_keys(written, "keys.json")
