"""Session ids: signed, self-describing, valid in every process that has the key.

An id is the URL-safe base64 of its claims and of 128 bits of HMAC-SHA256 over them and
the principal of its client. An id that is forged, altered, or sent by another principal
is unknown.
"""

import hmac
import secrets
import time
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable
from functools import lru_cache
from typing import Final

import msgspec

from asdlc_kb.mcp.protocol.inbound import MAX_CLIENT_NAME_CHARS
from asdlc_kb.mcp.protocol.versions import HANDSHAKE

MAX_ID_CHARS: Final = 512
"""Characters of a session id; longer ones are unknown."""

KEY_BYTES: Final = 32
"""Bytes of a key generated at the start."""

_MAX_CACHED_IDS: Final = 4_096

_ANNOUNCED_SECONDS: Final = 5.0
"""Age at which every process should know a channel."""

_MAC_BYTES: Final = 16
_NONCE_BYTES: Final = 16


class SessionClaims(msgspec.Struct, frozen=True, array_like=True):
    """The content of a session id."""

    version: str | None
    """The negotiated version; None for an HTTP+SSE channel, which has none yet."""
    issued: int
    """Seconds since 1970."""
    client_name: str
    """The name that the client gave itself in `initialize`, clipped."""
    lists: tuple[bytes, ...]
    """Digests of the visible tools, prompts and resources when it was issued."""
    nonce: bytes
    """128 random bits: the session's name among processes, which is no secret."""

    @property
    def is_channel(self) -> bool:
        """Whether the session is an HTTP+SSE channel."""
        return self.version is None


_ANCHOR: Final = time.time() - time.monotonic()


def wall_clock() -> float:
    """Return seconds since 1970, monotonic even if the system clock is set."""
    return time.monotonic() + _ANCHOR


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(SessionClaims).decode


class SessionIds:
    """Issues and reads session ids with one key."""

    def __init__(
        self, key: bytes | None = None, clock: Callable[[], float] = wall_clock
    ) -> None:
        """Without a key use a random one: its ids end with this process."""
        self._key = key or secrets.token_bytes(KEY_BYTES)
        self._clock = clock
        self._read_cached = lru_cache(_MAX_CACHED_IDS)(self._read)

    def issue(
        self,
        version: str | None,
        principal: str | None = None,
        *,
        client_name: str = "",
        lists: tuple[bytes, ...] = (),
    ) -> str:
        """Return the id of a new session."""
        claims = self.make_claims(version, client_name=client_name, lists=lists)
        return self.write(claims, principal)

    def make_claims(
        self,
        version: str | None = None,
        *,
        client_name: str = "",
        lists: tuple[bytes, ...] = (),
    ) -> SessionClaims:
        """Return the claims of a new session; of a channel without a version."""
        name = client_name[:MAX_CLIENT_NAME_CHARS]
        return SessionClaims(
            version,
            int(self._clock()),
            name.encode("utf-8", "replace").decode(),
            lists,
            secrets.token_bytes(_NONCE_BYTES),
        )

    def write(self, claims: SessionClaims, principal: str | None) -> str:
        """Return the id with these claims."""
        payload = _encode(claims)
        return _write(payload + self._sign(payload, principal))

    def read(self, session_id: str, principal: str | None) -> SessionClaims | None:
        """Return the claims of an id; None unless it was issued to this principal."""
        # Checked first: the cache would keep thousands of ids of any length.
        if not 0 < len(session_id) <= MAX_ID_CHARS or not session_id.isascii():
            return None
        return self._read_cached(session_id, principal)

    def is_new_channel(self, session_id: str, principal: str | None) -> bool:
        """Whether an id is of a channel of which other processes may not know yet."""
        claims = self.read(session_id, principal)
        if claims is None or not claims.is_channel:
            return False
        return self._clock() - claims.issued < _ANNOUNCED_SECONDS

    def _read(self, session_id: str, principal: str | None) -> SessionClaims | None:
        try:
            signed = urlsafe_b64decode(session_id + "=" * (-len(session_id) % 4))
        except ValueError:
            return None
        payload, mac = signed[:-_MAC_BYTES], signed[-_MAC_BYTES:]
        is_signed = hmac.compare_digest(mac, self._sign(payload, principal))
        # The decoder skips foreign characters: of all spellings only ours is an id.
        if not is_signed or _write(signed) != session_id:
            return None
        try:
            claims = _decode(payload)
        except msgspec.MsgspecError:
            # Issued by another release.
            return None
        known = claims.version is None or claims.version in HANDSHAKE
        return claims if known else None

    def _sign(self, payload: bytes, principal: str | None) -> bytes:
        text = "" if principal is None else f"={principal}"
        owner = text.encode("utf-8", "surrogatepass")
        data = b"session\0%d\0%b%b" % (len(owner), owner, payload)
        return hmac.digest(self._key, data, "sha256")[:_MAC_BYTES]


def _write(signed: bytes) -> str:
    return urlsafe_b64encode(signed).rstrip(b"=").decode()
