"""Cluster membership: sessions and rate limits shared by the processes of a server.

Loaded only with several processes: workers on this machine, replicas on others, or
both. Without a shared key, sessions stay on the process that opened them.
"""

import logging
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from asdlc_kb.app.access_policy import open_limits
from asdlc_kb.cluster.membership import ClusterMembership
from asdlc_kb.cluster.transport import Transport
from asdlc_kb.exceptions import OperationalError, SettingsError
from asdlc_kb.ops.auth.credentials import read_credentials
from asdlc_kb.ops.limits.rate_limit_sync import CounterStore
from asdlc_kb.settings import Settings

if TYPE_CHECKING:
    from asdlc_kb.cluster.redis_transport import RedisTransport

logger = logging.getLogger(__name__)

KEY_BYTES: Final = 32
"""Bytes of a key generated at the start, known to these processes only."""

MIN_KEY_BYTES: Final = 32
"""Bytes of a key file, without surrounding white space."""

MIN_KEY_VALUES: Final = 8
"""Distinct bytes in it. A random key of 32 bytes or 64 hex digits has more; a file of
zeros or of one repeated word has fewer."""

_MAX_KEY_BYTES: Final = 4096


class MemberHub(Transport, CounterStore, Protocol):
    """The transport and counters shared by workers of one machine."""


def open_membership(
    settings: Settings, hub: MemberHub | None = None, key: bytes | None = None
) -> ClusterMembership | None:
    """Return the cluster membership of a process, None for a single process.

    Workers of one machine share a hub and a key; a configured key takes precedence.
    Raises SettingsError and OperationalError.
    """
    own = read_key(settings.session_key_file)
    if settings.redis_url is None:
        return None if hub is None else ClusterMembership(hub, hub, own or key)
    transport = _open_redis(settings, settings.redis_url)
    if own is not None:
        return ClusterMembership(transport, transport, own, transport.run)
    if hub is None:
        logger.warning(
            "no session_key_file: sessions of older clients stay on the machine that "
            "opened them"
        )
    return ClusterMembership(hub or transport, transport, key, transport.run)


def read_key(path: str | None) -> bytes | None:
    """Return the key in a file; errors never contain any of it."""
    if path is None:
        return None
    try:
        key = read_credentials(Path(path), is_secret=True)[:_MAX_KEY_BYTES].strip()
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise OperationalError(f"session_key_file {path}: {reason}") from None
    problem = None
    if len(key) < MIN_KEY_BYTES:
        problem = f"fewer than {MIN_KEY_BYTES} bytes besides surrounding white space"
    elif len(set(key)) < MIN_KEY_VALUES:
        problem = f"fewer than {MIN_KEY_VALUES} different bytes, so it can be guessed"
    if problem is not None:
        raise SettingsError(
            f"session_key_file {path}: {problem}; make one with "
            f"(umask 077 && openssl rand -base64 32 > {path})"
        )
    return key


def _open_redis(settings: Settings, url: str) -> "RedisTransport":
    try:
        from asdlc_kb.cluster.redis_transport import RedisTransport
    except ImportError:
        raise OperationalError(
            "redis_url needs a package that is not installed: "
            "pip install 'asdlc-kb[redis]'"
        ) from None
    windows = [limiter.rate.seconds for limiter in open_limits(settings).meters]
    try:
        return RedisTransport(url, keep_seconds=2 * max(windows, default=1))
    except ValueError:
        raise SettingsError(
            "invalid setting: redis_url is not a valid address; write "
            "redis://HOST:PORT/NUMBER"
        ) from None
