"""Bearer tokens of a file and verified ones: their principals, and for how long."""

import hashlib
import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.exceptions import InvalidToken, SettingsError
from asdlc_kb.ops.auth import bearer_tokens
from asdlc_kb.ops.auth.bearer_tokens import (
    Principal,
    TokenFile,
    _StoredToken,
    format_line,
    make_token,
    read_tokens,
)


class Clock:
    """A clock that a test sets."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


class Issuer:
    """Verifies `subject@end`, and counts its verifications."""

    def __init__(self, proof: bytes = b"a key") -> None:
        self.verified = 0
        self.digests = frozenset({proof})

    def verify(self, token: str) -> Principal:
        """Read the token."""
        self.verified += 1
        subject, at, end = token.partition("@")
        if not at:
            raise InvalidToken("bad_signature")
        (proof,) = self.digests
        return Principal(f"jwt:{subject}", float(end), proof)


def keep(**given: str) -> tuple[_StoredToken, ...]:
    """Return stored tokens by name."""
    text = "\n".join(format_line(name, token) for name, token in given.items())
    return tuple(read_tokens(text, "tokens"))


def test_a_token_of_the_file_stands_for_its_name() -> None:
    """D-120: static bearer tokens, hashed at rest."""
    found = TokenFile(keep(ci="akb_one", laptop="akb_two"))
    assert found.identify("akb_two") == Principal("token:laptop")
    assert found.lookup_cached("akb_one") == Principal("token:ci")


@pytest.mark.parametrize("token", ["", "akb_", "akb_on", "akb_ones", "AKB_ONE", "ci"])
def test_any_other_token_is_refused(token: str) -> None:
    """Neither a part of one, nor a longer one, nor a name, nor the digest."""
    found = TokenFile(keep(ci="akb_one"))
    digest = hashlib.sha256(b"akb_one").hexdigest()
    for tried in (token, digest, f"sha256:{digest}"):
        assert found.lookup_cached(tried) is None
        with pytest.raises(InvalidToken, match=r"^unknown$"):
            found.identify(tried)


def test_digests_are_compared_all_of_them_and_in_constant_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """D-120: constant time, whichever of the tokens it is, if any."""
    compared: list[tuple[int, int]] = []

    def compare_digest(a: bytes, b: bytes) -> bool:
        compared.append((len(a), len(b)))
        return a == b

    monkeypatch.setattr(bearer_tokens, "compare_digest", compare_digest)
    found = TokenFile(keep(a="1", b="2", c="3"))
    for tried in ("1", "2", "3", "4"):
        found.lookup_cached(tried)
    assert compared == [(32, 32)] * 12


def test_a_name_may_have_two_tokens() -> None:
    """So that one can be replaced by the next without a gap."""
    lines = f"{format_line('ci', 'old')}\n{format_line('ci', 'new')}"
    found = TokenFile(tuple(read_tokens(lines, "tokens")))
    assert found.identify("old") == found.identify("new") == Principal("token:ci")


def test_who_was_let_in_by_a_token_is_not_by_another_of_its_name() -> None:
    """D-122: a revoked token is identified by its digest, also for streams."""
    before, after = TokenFile(keep(ci="akb_one")), TokenFile(keep(ci="akb_two"))
    principal = before.identify("akb_one")
    assert before.accept(principal)
    assert not after.accept(principal)
    assert "digest" not in repr(principal)


def test_who_was_let_in_by_a_key_is_as_long_as_the_key_is_there() -> None:
    """D-122: a removed key ends its tokens, and expiry still counts."""
    clock, key = Clock(), b"another key"
    before = TokenFile(verifier=Issuer(), clock=clock)
    principal = before.identify("ada@2000")
    assert before.accept(principal)
    assert TokenFile(keep(ci="akb_one"), Issuer(), clock=clock).accept(principal)
    assert not TokenFile(verifier=Issuer(key), clock=clock).accept(principal)
    assert not TokenFile(keep(ci="akb_one"), clock=clock).accept(principal)
    clock.now = 2000.0
    assert not before.accept(principal)


def test_a_verified_token_is_remembered_until_it_expires() -> None:
    """Verification costs a signature; the expiry still counts."""
    clock, issuer = Clock(), Issuer()
    found = TokenFile((), issuer, clock=clock)
    assert found.lookup_cached("ada@2000") is None
    for _ in range(5):
        assert found.identify("ada@2000") == Principal("jwt:ada", 2000.0)
    assert (issuer.verified, found.lookup_cached("ada@2000") is not None) == (1, True)
    clock.now = 2000.0
    assert found.lookup_cached("ada@2000") is None
    found.identify("ada@2000")
    assert issuer.verified == 2


def test_what_is_refused_is_not_remembered() -> None:
    """A flood of wrong tokens costs no memory."""
    issuer = Issuer()
    found = TokenFile((), issuer)
    for _ in range(3):
        with pytest.raises(InvalidToken):
            found.identify("wrong")
    assert issuer.verified == 3
    assert found.lookup_cached("wrong") is None


def test_memory_has_a_bound() -> None:
    """The one unused for longest is verified again."""
    issuer = Issuer()
    found = TokenFile((), issuer, max_cached=2, clock=Clock())
    for token in ("a@2000", "b@2000", "a@2000", "c@2000"):
        found.identify(token)
    assert issuer.verified == 3
    assert found.lookup_cached("b@2000") is None
    assert found.lookup_cached("a@2000") is not None


def test_the_time_of_a_principal_ends() -> None:
    """For a token of the file there is none."""
    found = TokenFile(clock=Clock())
    assert not found.is_expired(Principal("token:ci"))
    assert not found.is_expired(Principal("jwt:ada", 1000.1))
    assert found.is_expired(Principal("jwt:ada", 1000.0))


def test_tokens_cannot_be_guessed() -> None:
    """256 random bits in URL-safe characters, with a prefix for secret scanners."""
    made = {make_token() for _ in range(100)}
    assert len(made) == 100
    assert all(re.fullmatch(r"akb_[A-Za-z0-9_-]{43}", token) for token in made)


def test_a_line_does_not_tell_its_token() -> None:
    """Others may read the file."""
    token = make_token()
    line = format_line("ci", token)
    assert re.fullmatch("ci sha256:[0-9a-f]{64}", line)
    assert token not in line


def test_a_file_may_have_comments_and_empty_lines() -> None:
    """People write it."""
    line = format_line("a@b.example", "t").replace("sha256:", "\tsha256:").upper()
    line = line.replace("SHA256", "sha256")
    text = f"# tokens\r\n\n   \n  {line}  \n#{line}\n"
    (kept,) = read_tokens(text, "tokens")
    assert kept == _StoredToken("A@B.EXAMPLE", hashlib.sha256(b"t").digest())


DIGEST = "0" * 64
WRONG = [
    "ci",
    "akb_secret-token",
    f"ci {DIGEST}",
    f"ci sha256:{DIGEST[1:]}",
    f"ci sha256:{DIGEST}0",
    f"ci sha1:{DIGEST}",
    f"ci sha256:{'g' * 64}",
    f"sha256:{DIGEST}",
    f"two words sha256:{DIGEST}",
    f"-ci sha256:{DIGEST}",
    f"{'x' * 65} sha256:{DIGEST}",
    f"ci sha256:{DIGEST} # mine",
]


@pytest.mark.parametrize("line", WRONG)
def test_a_line_that_is_none_is_named_by_its_number_alone(line: str) -> None:
    """In doubt the server does not start; a misplaced secret is not repeated."""
    text = f"{format_line('ci', 't')}\n\n{line}\n"
    with pytest.raises(SettingsError, match=r"^tokens:3: expected a name") as caught:
        list(read_tokens(text, "tokens"))
    assert "secret" not in str(caught.value)


@given(st.text())
def test_no_text_is_an_unforeseen_failure(text: str) -> None:
    """Whatever is in the file: tokens, or an error about it."""
    try:
        assert all(len(kept.digest) == 32 for kept in read_tokens(text, "tokens"))
    except SettingsError:
        pass


@given(st.text())
def test_whatever_is_sent_stands_for_nobody(text: str) -> None:
    """Surrogates cannot come from a header, everything else may."""
    lookup_cached: Callable[[str], Principal | None] = TokenFile(
        keep(ci="akb_one")
    ).lookup_cached
    assert lookup_cached(text) is None


def test_a_line_may_name_the_sources_of_its_token() -> None:
    """D-266: separated by commas; names of projects may have spaces."""
    text = format_line("ci", "akb_one", ["articles", "my shop"])
    assert text.endswith(" sources:articles,my shop")
    found = TokenFile(tuple(read_tokens(text, "tokens")))
    principal = found.identify("akb_one")
    assert principal.sources == frozenset({"articles", "my shop"})
    assert found.may_limit_sources
    assert not TokenFile(keep(ci="akb_one")).may_limit_sources
    assert TokenFile(keep(ci="akb_one")).identify("akb_one").sources is None


@pytest.mark.parametrize("sources", ["sources:", "sources:a,,b", "sources:,", "a,b"])
def test_a_line_with_malformed_sources_prevents_the_start(sources: str) -> None:
    """D-266: it must not grant all sources."""
    line = f"{format_line('ci', 'akb_one')} {sources}"
    with pytest.raises(SettingsError):
        list(read_tokens(line, "tokens"))


def test_other_sources_end_what_the_token_began() -> None:
    """D-122: narrowing a token revokes what was admitted before."""

    def file(*sources: str) -> TokenFile:
        line = format_line("ci", "akb_one", sources)
        return TokenFile(tuple(read_tokens(line, "tokens")))

    for before, after in (((), ("a",)), (("a", "b"), ("a",)), (("a",), ())):
        principal = file(*before).identify("akb_one")
        assert file(*before).accept(principal)
        assert not file(*after).accept(principal)


@given(st.lists(st.tuples(st.text(), st.none() | st.frozensets(st.text()))))
def test_owners_of_sessions_are_distinct(
    principals: list[tuple[str, frozenset[str] | None]],
) -> None:
    """D-266: whatever names an issuer writes, no two principals share sessions."""
    made = {Principal(f"jwt:{name}", sources=names) for name, names in principals}
    assert len({principal.session_owner for principal in made}) == len(made)
