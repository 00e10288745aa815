"""Whom a bearer token stands for.

Tokens of a file are kept as digests: who reads the file cannot use them. A token has
256 random bits, so that a plain digest is enough; digests are compared without telling
by the time how much of them fits. Tokens that an issuer signed are somebody else's to
verify (`Verifier`); what was verified is remembered until it expires, by digest too.
"""

import re
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from hmac import compare_digest
from math import inf
from typing import Final, Protocol

from asdlc_kb.exceptions import InvalidToken, SettingsError

PREFIX: Final = "akb_"
"""What tokens made here begin with, so that scanners for secrets find them."""

NAME: Final = r"[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}"
"""What a token in the file may be called."""

MAX_CACHED_TOKENS: Final = 10_000
"""Verified tokens; beyond, the one not seen for longest is verified anew."""

_LINE: Final = re.compile(rf"({NAME})[ \t]+sha256:([0-9a-fA-F]{{64}})")


@dataclass(frozen=True, slots=True)
class Principal:
    """Who sent a request, as a token proves it."""

    name: str
    """`token:` and the name in the file, or `jwt:` and the subject."""
    expires: float = inf
    """Until when, in seconds since 1970."""
    digest: bytes = field(default=b"", compare=False, repr=False)
    """Of what proves it, a token of the file or the key that signed one: whether that
    still holds is told by it."""

    def is_over(self, now: float) -> bool:
        """Whether the proof has expired."""
        return now >= self.expires


@dataclass(frozen=True, slots=True)
class _StoredToken:
    """A token of the file."""

    name: str
    digest: bytes


class Verifier(Protocol):
    """Verifies tokens that an issuer signed."""

    @property
    def proofs(self) -> frozenset[bytes]:
        """The digests of what can prove whom a token stands for."""

    def verify(self, token: str) -> Principal:
        """Return whom it stands for; raise InvalidToken."""


class TokenFile:
    """All tokens that are accepted."""

    def __init__(
        self,
        kept: Sequence[_StoredToken] = (),
        verifier: Verifier | None = None,
        most: int = MAX_CACHED_TOKENS,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._kept = kept
        self._proofs = frozenset(each.digest for each in kept)
        if verifier is not None:
            self._proofs |= verifier.proofs
        self._verifier = verifier
        self._most = most
        self._clock = clock
        self._verified: OrderedDict[bytes, Principal] = OrderedDict()

    def recall(self, token: str) -> Principal | None:
        """Return whom a token stands for, if that can be told at once."""
        digest = _digest(token)
        name = None
        for kept in self._kept:
            # All of them, whichever it is.
            if compare_digest(kept.digest, digest):
                name = kept.name
        if name is not None:
            return Principal(f"token:{name}", digest=digest)
        principal = self._verified.get(digest)
        if principal is None:
            return None
        if self.is_over(principal):
            del self._verified[digest]
            return None
        self._verified.move_to_end(digest)
        return principal

    def identify(self, token: str) -> Principal:
        """Return whom a token stands for; raise InvalidToken for nobody."""
        if (principal := self.recall(token)) is not None:
            return principal
        if self._verifier is None:
            raise InvalidToken("unknown")
        principal = self._verifier.verify(token)
        self._verified[_digest(token)] = principal
        if len(self._verified) > self._most:
            self._verified.popitem(last=False)
        return principal

    def is_over(self, principal: Principal) -> bool:
        """Whether the time of a principal is over."""
        return principal.is_over(self._clock())

    def accept(self, principal: Principal) -> bool:
        """Whether whoever was identified once, maybe by other tokens, still would be.

        A signed token is not verified again: it holds until it expires, or the key that
        signed it is no longer accepted for the same issuer and audience.
        """
        return principal.digest in self._proofs and not self.is_over(principal)


def make_token() -> str:
    """Return a new token."""
    return PREFIX + secrets.token_urlsafe(32)


def format_line(name: str, token: str) -> str:
    """Return the line by which a file knows a token."""
    return f"{name} sha256:{_digest(token).hex()}"


def read_tokens(text: str, path: str) -> Iterator[_StoredToken]:
    """Yield the tokens of a file; raise SettingsError for a line that is none.

    The line is not repeated: who errs may have written the token itself there.
    """
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        if not stripped or stripped.startswith("#"):
            continue
        match = _LINE.fullmatch(stripped)
        if match is None:
            raise SettingsError(
                f"{path}:{number}: a line is a name and sha256:, as "
                "'asdlc-kb token NAME' writes it"
            )
        yield _StoredToken(match[1], bytes.fromhex(match[2]))


def _digest(token: str) -> bytes:
    return sha256(token.encode()).digest()
