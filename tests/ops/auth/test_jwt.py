"""JWTs: accepted ones, and every way in which one is invalid."""

import hmac
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.issuer import (
    AUDIENCE,
    ISSUER,
    KINDS,
    NOW,
    encode,
    make_key,
    sign,
    write_claims,
    write_set,
)

from asdlc_kb.exceptions import InsufficientScope, InvalidToken
from asdlc_kb.ops.auth.bearer_tokens import Principal
from asdlc_kb.ops.auth.jwks import ALGORITHMS, read_keys
from asdlc_kb.ops.auth.jwt import LEEWAY_SECONDS, JwtVerifier

KEYS = [make_key(kind) for kind in sorted(set(KINDS.values()))]


class Clock:
    """A clock that a test sets."""

    now = float(NOW)

    def __call__(self) -> float:
        return self.now


def open_jwts(text: str | None = None, clock: Clock | None = None) -> JwtVerifier:
    """Return a validator of the issuer's tokens, by default with all its keys."""
    keys = read_keys(text or write_set(*KEYS), "keys.json")
    return JwtVerifier(keys, ISSUER, AUDIENCE, clock or Clock())


def refuse(jwts: JwtVerifier, token: str) -> str:
    """Return the kind of fault for which a token is refused."""
    with pytest.raises(InvalidToken) as caught:
        jwts.verify(token)
    return str(caught.value)


@pytest.mark.parametrize("algorithm", KINDS)
def test_a_good_token_stands_for_its_subject(algorithm: str) -> None:
    """D-121: JWTs verified with keys from a file, by each asymmetric algorithm."""
    token = sign(write_claims(), algorithm)
    ends = NOW + 300 + LEEWAY_SECONDS
    assert open_jwts().verify(token) == Principal("jwt:ada", ends)


def test_a_principal_is_proved_by_the_key_that_signed() -> None:
    """D-122: a removed key revokes what it signed, another one does not.

    So does a key with another use or issuer.
    """
    first, second = make_key("RSA"), make_key("RSA", "second")
    both = open_jwts(write_set(first, second))
    assert len(both.digests) == 2
    digests = [
        both.verify(sign(write_claims(), key=key)).digest for key in (first, second)
    ]
    assert frozenset(digests) == both.digests
    assert open_jwts(write_set(second, first)).digests == both.digests
    assert open_jwts(write_set(second)).digests == {digests[1]}
    alone = open_jwts(write_set(first))
    assert alone.verify(sign(write_claims(), kid=None)).digest == digests[0]
    assert open_jwts(write_set(first, alg="PS256")).digests.isdisjoint(digests)
    keys = read_keys(write_set(first), "keys.json")
    for issuer, audience in ((ISSUER, "https://other"), ("https://other", AUDIENCE)):
        assert JwtVerifier(keys, issuer, audience).digests.isdisjoint(digests)
    assert open_scoped("kb:read").digests.isdisjoint(digests)


def test_no_algorithm_has_a_shared_secret() -> None:
    """D-121: never `none`, never HMAC."""
    assert set(KINDS) == ALGORITHMS


@pytest.mark.parametrize(
    "kind", ["at+jwt", "AT+JWT", "application/at+jwt", "JWT", "jwt", "application/jwt"]
)
def test_an_access_token_says_that_it_is_one_or_a_token_of_any_kind(kind: str) -> None:
    """RFC 9068, 2.1 and 4; RFC 7519, 5.1: media types have no case."""
    assert open_jwts().verify(sign(write_claims(), typ=kind)).name == "jwt:ada"
    header = {"alg": "Ed25519", "kid": "Ed25519"}
    assert open_jwts().verify(sign_raw(header)).name == "jwt:ada"


@pytest.mark.parametrize(
    "kind", ["logout+jwt", "secevent+jwt", "dpop+jwt", "application/", "", "JWTs"]
)
def test_a_token_of_another_kind_is_refused(kind: str) -> None:
    """RFC 8725, 3.11: tokens that the issuer signed for another use are refused."""
    token = sign(write_claims(), typ=kind)
    assert refuse(open_jwts(), token) == "invalid_type"


@pytest.mark.parametrize("kind", [None, 7, ["JWT"], {}])
def test_a_type_that_is_no_text_is_refused(kind: object) -> None:
    """RFC 7515, 4.1.9."""
    refuse(open_jwts(), sign_raw({"alg": "Ed25519", "kid": "Ed25519", "typ": kind}))


def open_scoped(scope: str) -> JwtVerifier:
    """Return a validator that requires scopes."""
    keys = read_keys(write_set(*KEYS), "keys.json")
    return JwtVerifier(keys, ISSUER, AUDIENCE, Clock(), scope)


@pytest.mark.parametrize(
    "claims",
    [
        {"scope": "kb:read"},
        {"scope": "openid kb:read kb:write"},
        {"scp": ["openid", "kb:read"]},
        {"scp": "openid kb:read"},
        {"scope": ["kb:read"]},
        {"scope": "openid", "scp": ["kb:read"]},
    ],
)
def test_a_token_with_the_required_scope_is_accepted(claims: dict[str, Any]) -> None:
    """RFC 9068, 2.2.3: `scope`; some issuers have `scp`, and some a list."""
    assert open_scoped("kb:read").verify(sign(write_claims(**claims))).name == "jwt:ada"


@pytest.mark.parametrize(
    "claims",
    [
        {},
        {"scope": ""},
        {"scope": "kb:readall kb: KB:READ"},
        {"scope": "kb"},
        {"scope": "kb\u00a0kb:read"},
        {"scope": "kb\tkb:read\nkb:read\x0bkb:read\u2028kb:read"},
        {"scope": {"kb:read": True}},
        {"scope": True},
        {"scp": [["kb:read"], None, 7, {}]},
        {"scopes": "kb:read", "roles": ["kb:read"]},
    ],
)
def test_a_token_without_the_required_scope_is_refused(claims: dict[str, Any]) -> None:
    """RFC 6750, 3.1: `insufficient_scope`, without the scopes of the token."""
    with pytest.raises(InsufficientScope, match=r"^insufficient_scope$"):
        open_scoped("kb:read").verify(sign(write_claims(**claims)))


def test_all_required_scopes_are_required() -> None:
    """One of two is not enough, and other faults are reported first."""
    jwts = open_scoped("kb:read kb:search")
    both = write_claims(scope="kb:search kb:read")
    assert jwts.verify(sign(both)).name == "jwt:ada"
    assert refuse(jwts, sign(write_claims(scope="kb:read"))) == "insufficient_scope"
    assert refuse(jwts, sign(write_claims(exp=NOW - 3600))) == "expired_token"


def test_one_of_several_audiences_is_enough() -> None:
    """RFC 7519, 4.1.3: a token may be for several."""
    claims = write_claims(aud=["https://other.example", AUDIENCE])
    assert open_jwts().verify(sign(claims)).name == "jwt:ada"


def test_a_token_without_kid_is_verified_where_there_is_one_key() -> None:
    """RFC 7515, 4.1.4: the hint is optional."""
    jwts = open_jwts(write_set(make_key("RSA")))
    assert jwts.verify(sign(write_claims(), kid=None)).name == "jwt:ada"


def test_a_header_that_nobody_knows_is_ignored() -> None:
    """RFC 7515, 4: unless it is said to be critical."""
    header = {"alg": "Ed25519", "kid": "Ed25519", "x-ours": 1}
    assert open_jwts().verify(sign_raw(header)).name == "jwt:ada"


def sign_raw(header: Any) -> str:
    """Return a token with any header, correctly signed by Ed25519."""
    told = f"{encode(header)}.{encode(write_claims())}"
    private = make_key("Ed25519").private_key
    signature = private.sign(told.encode())  # type: ignore[union-attr,call-arg]
    return f"{told}.{encode(signature)}"


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "expired": ({"exp": NOW - LEEWAY_SECONDS - 1}, "expired_token"),
    "expired just now": ({"exp": NOW - LEEWAY_SECONDS}, "expired_token"),
    "without end": ({"exp": None}, "missing_claim"),
    "an end that is none": ({"exp": "tomorrow"}, "invalid_claim"),
    "an end without end": ({"exp": float("inf")}, "invalid_claim"),
    "an end that is no number": ({"exp": float("nan")}, "invalid_claim"),
    "not yet valid": ({"nbf": NOW + LEEWAY_SECONDS + 1}, "invalid_claim"),
    "from the future": ({"iat": NOW + LEEWAY_SECONDS + 1}, "invalid_claim"),
    "for somebody else": ({"aud": "https://other.example/mcp"}, "invalid_claim"),
    "for our host": ({"aud": "https://kb.example.com"}, "invalid_claim"),
    "for others": ({"aud": ["https://other.example"]}, "invalid_claim"),
    "for nobody": ({"aud": []}, "invalid_claim"),
    "for anybody": ({"aud": None}, "missing_claim"),
    "by somebody else": ({"iss": "https://evil.example"}, "invalid_claim"),
    "by a longer name": ({"iss": ISSUER + "/"}, "invalid_claim"),
    "by several": ({"iss": [ISSUER]}, "invalid_claim"),
    "by nobody": ({"iss": None}, "missing_claim"),
    "about nobody": ({"sub": None}, "missing_claim"),
    "about nothing": ({"sub": ""}, "invalid_claim"),
    "about a number": ({"sub": 7}, "invalid_claim"),
}


@pytest.mark.parametrize("name", WRONG)
def test_claims_that_are_wrong_are_refused(name: str) -> None:
    """Audience and expiry; issuer and times too."""
    changed, kind = WRONG[name]
    assert refuse(open_jwts(), sign(write_claims(**changed))) == kind


def test_clocks_may_differ_a_little() -> None:
    """RFC 7519, 4.1.4 and 4.1.5: a small leeway."""
    late = write_claims(exp=NOW - LEEWAY_SECONDS + 1)
    early = write_claims(nbf=NOW + LEEWAY_SECONDS, iat=NOW + LEEWAY_SECONDS)
    for claims in (late, early):
        assert open_jwts().verify(sign(claims)).name == "jwt:ada"


def test_a_token_of_another_key_is_refused() -> None:
    """Signatures by a foreign key, under a kid of ours and under its own."""
    other = make_key("RSA", "other")
    assert refuse(open_jwts(), sign(write_claims(), key=other)) == "invalid_key_id"
    posing = sign(write_claims(), key=other, kid="RSA")
    assert refuse(open_jwts(), posing) == "bad_signature"


def test_a_key_is_not_taken_for_one_of_another_kind() -> None:
    """The algorithm and the key that the token names must match."""
    for algorithm, kind in (("ES256", "RSA"), ("RS256", "P-256"), ("ES256", "P-384")):
        refuse(open_jwts(), sign(write_claims(), algorithm, kid=kind))


def test_a_key_for_one_algorithm_is_not_used_for_another() -> None:
    """RFC 7517, 4.4."""
    jwts = open_jwts(write_set(make_key("RSA"), alg="RS256"))
    assert jwts.verify(sign(write_claims(), "RS256")).name == "jwt:ada"
    refuse(jwts, sign(write_claims(), "PS256"))


@pytest.mark.parametrize("name", ["none", "None", "NONE", "nOnE", ""])
@pytest.mark.parametrize("signature", ["", encode(b"x" * 256)])
def test_unsigned_tokens_are_refused(name: str, signature: str) -> None:
    """RFC 8725, 3.2: `none` in any spelling, with a signature or without."""
    for kid in ("RSA", None):
        header = {"alg": name} if kid is None else {"alg": name, "kid": kid}
        token = f"{encode(header)}.{encode(write_claims())}.{signature}"
        refuse(open_jwts(), token)
        refuse(open_jwts(write_set(make_key("RSA"))), token)


@pytest.mark.parametrize("size", [256, 384, 512])
def test_a_public_key_is_no_shared_secret(size: int) -> None:
    """RFC 8725, 2.1: HMAC with the public key, in each form of it."""
    key = make_key("RSA")
    public = json.dumps(key.as_dict(private=False))
    pem = key.as_pem(private=False)  # type: ignore[union-attr]
    for secret in (pem, pem.strip(), public.encode(), b""):
        told = f"{encode({'alg': f'HS{size}', 'kid': 'RSA'})}.{encode(write_claims())}"
        digest = hmac.new(secret, told.encode(), f"sha{size}").digest()
        kind = refuse(open_jwts(), f"{told}.{encode(digest)}")
        assert kind == "unsupported_algorithm"


def test_a_token_cannot_bring_its_own_key() -> None:
    """RFC 8725, 3.10: jwk, jku, x5u and x5c are ignored."""
    evil = make_key("RSA", "evil")
    for brought in (
        {"jwk": evil.as_dict(private=False)},
        {"jku": "https://evil.example/keys"},
        {"x5u": "https://evil.example/chain"},
    ):
        refuse(open_jwts(), sign(write_claims(), key=evil, kid=None, **brought))


def test_what_is_critical_must_be_known() -> None:
    """RFC 7515, 4.1.11; RFC 7797 unencoded payloads among them."""
    for header in ({"crit": ["exp"], "exp": 1}, {"crit": ["b64"], "b64": False}):
        refuse(open_jwts(), sign_raw({"alg": "Ed25519", "kid": "Ed25519", **header}))


@pytest.mark.parametrize("place", range(3))
def test_every_part_is_signed(place: int) -> None:
    """One character less or a different one, in any part."""
    parts = sign(write_claims(), "ES256").split(".")
    for changed in (parts[place][:-4], "A" * 8 + parts[place][8:], ""):
        refuse(open_jwts(), ".".join([*parts[:place], changed, *parts[place + 1 :]]))


NO_HEADERS: list[Any] = [[], "x", 7, None, {}, [[]] * 50]
NO_ALGORITHMS: list[Any] = [[], {}, 7, None, ["RS256"]]
NONSENSE = [
    *("", ".", "..", "...", "a.b.c", "a.b", "a.b.c.d.e", "\0.\0.\0", "é.é.é"),
    *(f"{encode(part)}.e30.AA" for part in NO_HEADERS),
    *(f"{encode({'alg': alg})}.e30.AA" for alg in NO_ALGORITHMS),
    f"{encode({'alg': 'RS256', 'kid': ['RSA']})}.e30.AA",
    encode(b"[" * 400) + ".e30.AA",
    encode(b"{" * 100_000) + ".e30.AA",
    sign_raw({"alg": "Ed25519", "kid": "Ed25519"}) + "A" * 400_000,
]


@pytest.mark.parametrize("token", NONSENSE, ids=range(len(NONSENSE)))
def test_nonsense_is_refused(token: str) -> None:
    """Arbitrary bytes never cause an unexpected exception."""
    refuse(open_jwts(), token)


@settings(max_examples=50)
@given(st.text(max_size=60), st.lists(st.text(max_size=20), max_size=5))
def test_no_text_is_an_unforeseen_failure(text: str, parts: list[str]) -> None:
    """Whatever is in the header of a request."""
    for token in (text, ".".join(parts), f"{encode({'alg': 'RS256'})}.{text}.{text}"):
        refuse(open_jwts(), token)


def test_claims_that_are_no_object_are_refused() -> None:
    """Signed by the issuer, and invalid all the same."""
    private = make_key("Ed25519").private_key
    for payload in (b"[]", b"7", b"", b"{", b"\xff", b"[" * 90_000):
        told = f"{encode({'alg': 'Ed25519', 'kid': 'Ed25519'})}.{encode(payload)}"
        signature = private.sign(told.encode())  # type: ignore[union-attr,call-arg]
        refuse(open_jwts(), f"{told}.{encode(signature)}")


def test_a_refusal_repeats_nothing_of_the_token() -> None:
    """The content of a token must not be logged."""
    secret = "s3cret-value"
    for claims, header in (
        (write_claims(aud=secret), {}),
        (write_claims(iss=secret), {}),
        (write_claims(), {"kid": secret}),
        (write_claims(), {"crit": [secret], secret: 1}),
    ):
        token = (
            f"{encode({'alg': 'RS256', 'kid': 'RSA', **header})}.{encode(claims)}.AA"
        )
        assert secret not in refuse(open_jwts(), token)


def test_a_long_subject_is_refused() -> None:
    """It is logged for each request; truncated, two could share sessions."""
    assert (
        open_jwts().verify(sign(write_claims(sub="x" * 200))).name == f"jwt:{'x' * 200}"
    )
    assert refuse(open_jwts(), sign(write_claims(sub="x" * 201))) == "invalid_claim"
