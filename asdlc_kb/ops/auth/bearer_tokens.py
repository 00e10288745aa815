"""Authentication of bearer tokens.

A token file contains digests, so that readers of the file cannot use the tokens. A
token has 256 random bits, so that a plain digest is enough; digests are compared in
constant time. Signed tokens are verified by a `Verifier`; the result is cached until it
expires, by digest too.
"""

import json
import re
import secrets
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from hmac import compare_digest
from math import inf
from typing import Final, Protocol, TypeAlias

from cachetools import LRUCache

from asdlc_kb.exceptions import InvalidToken, SettingsError

PREFIX: Final = "akb_"
"""The prefix of generated tokens, so that secret scanners find them."""

NAME: Final = r"[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}"
"""The pattern of token names in the file."""

MAX_CACHED_TOKENS: Final = 10_000
"""Maximum number of cached tokens; the least recently used one is evicted."""

_LINE: Final = re.compile(
    rf"({NAME})[ \t]+sha256:([0-9a-fA-F]{{64}})(?:[ \t]+sources:(.+))?"
)

SourceNames: TypeAlias = frozenset[str]
"""Names of sources: "articles", or those of documentation trees and projects."""


@dataclass(frozen=True, slots=True)
class Principal:
    """The authenticated sender of a request."""

    name: str
    """`token:` and the name in the file, or `jwt:` and the subject."""
    expires: float = inf
    """Expiry of the token, in seconds since 1970."""
    digest: bytes = field(default=b"", compare=False, repr=False)
    """Digest of the credential: a token of the file, or the key that signed it.
    A reload checks it against the current credentials."""
    sources: SourceNames | None = None
    """The sources that the token is for; None for all of them."""

    @property
    def session_owner(self) -> str:
        """The owner of the principal's sessions: with other sources, another one."""
        if self.sources is None:
            return self.name
        # No name begins like this, and JSON separates the names unambiguously.
        return f"sources:{json.dumps([self.name, *sorted(self.sources)])}"

    def is_expired(self, now: float) -> bool:
        """Whether the token has expired."""
        return now >= self.expires


@dataclass(frozen=True, slots=True)
class _StoredToken:
    """A token in the file."""

    name: str
    digest: bytes
    sources: SourceNames | None = None

    @property
    def credential(self) -> bytes:
        """The digest of the token with its sources: narrowing them revokes it."""
        if self.sources is None:
            return self.digest
        return sha256(self.digest + json.dumps(sorted(self.sources)).encode()).digest()


class Verifier(Protocol):
    """Verifies tokens that an issuer signed."""

    @property
    def digests(self) -> frozenset[bytes]:
        """Digests of the keys that are accepted for signatures."""

    def verify(self, token: str) -> Principal:
        """Return the principal of a token; raise InvalidToken."""


class TokenFile:
    """The accepted tokens: those in the file, and signed ones."""

    def __init__(
        self,
        tokens: Sequence[_StoredToken] = (),
        verifier: Verifier | None = None,
        max_cached: int = MAX_CACHED_TOKENS,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._tokens = tokens
        self._digests = frozenset(stored.credential for stored in tokens)
        if verifier is not None:
            self._digests |= verifier.digests
        self._verifier = verifier
        self._clock = clock
        self._verified = LRUCache[bytes, Principal](max_cached)
        self.may_limit_sources = verifier is not None or any(
            stored.sources is not None for stored in tokens
        )
        """Whether a token may be for some of the sources only."""

    def lookup_cached(self, token: str) -> Principal | None:
        """Return the principal of a token in the file or cache, or None."""
        digest = _digest(token)
        found = None
        for stored in self._tokens:
            # Compare all of them: the time must not depend on the match.
            if compare_digest(stored.digest, digest):
                found = stored
        if found is not None:
            return Principal(
                f"token:{found.name}",
                digest=found.credential,
                sources=found.sources,
            )
        principal = self._verified.get(digest)
        if principal is not None and self.is_expired(principal):
            del self._verified[digest]
            return None
        return principal

    def identify(self, token: str) -> Principal:
        """Return the principal of a token; raise InvalidToken if it is not accepted."""
        if (principal := self.lookup_cached(token)) is not None:
            return principal
        if self._verifier is None:
            raise InvalidToken("unknown")
        principal = self._verifier.verify(token)
        self._verified[_digest(token)] = principal
        return principal

    def is_expired(self, principal: Principal) -> bool:
        """Whether the token of a principal has expired."""
        return principal.is_expired(self._clock())

    def accept(self, principal: Principal) -> bool:
        """Whether a principal that was identified before a reload is still valid.

        A signed token is not verified again: it is valid until it expires, or the key
        that signed it is no longer accepted for the same issuer and audience.
        """
        return principal.digest in self._digests and not self.is_expired(principal)


def make_token() -> str:
    """Return a new token."""
    return PREFIX + secrets.token_urlsafe(32)


def format_line(name: str, token: str, sources: Sequence[str] = ()) -> str:
    """Return the line of a token in the file; without sources it is for all."""
    line = f"{name} sha256:{_digest(token).hex()}"
    return f"{line} sources:{','.join(sources)}" if sources else line


def split_sources(text: str) -> Sequence[str]:
    """Return the names in a list with commas; empty if one of them is."""
    names = [name.strip() for name in text.split(",")]
    return names if all(names) else ()


def read_tokens(text: str, path: str) -> Iterator[_StoredToken]:
    """Yield the tokens of a file; raise SettingsError for an invalid line.

    The error does not quote the line, which may contain the token itself.
    """
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        if not stripped or stripped.startswith("#"):
            continue
        match = _LINE.fullmatch(stripped)
        sources = None
        if match is not None and match[3] is not None:
            sources = frozenset(split_sources(match[3]))
        if match is None or sources == frozenset():
            raise SettingsError(
                f"{path}:{number}: expected a name, sha256:... and perhaps "
                "sources:..., as 'asdlc-kb token NAME' writes it"
            )
        yield _StoredToken(match[1], bytes.fromhex(match[2]), sources)


def _digest(token: str) -> bytes:
    return sha256(token.encode()).digest()
