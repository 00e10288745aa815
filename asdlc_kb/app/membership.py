"""The other processes of the same server: sessions and limits are one over all of them.

Loaded only where there are others: workers of this machine, replicas on others, or
both. Without a key that all of them have, sessions stay where they are opened.
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
"""Of a key that is made at the start, and known to nobody but these processes."""

MIN_KEY_BYTES: Final = 32
"""Bytes of a key that is read from a file, without white space around it."""

MIN_KEY_VALUES: Final = 8
"""Different bytes in it. A random key of 32 bytes or 64 hex digits has more; a file of
zeros or of one repeated word has fewer."""

_MAX_KEY_BYTES: Final = 4096


class MemberHub(Transport, CounterStore, Protocol):
    """What workers of one machine have in common."""


def open_membership(
    settings: Settings, hub: MemberHub | None = None, key: bytes | None = None
) -> ClusterMembership | None:
    """Return what these settings make a process a member of, if of anything.

    Workers of one machine have a hub and a key between them; one that is set wins.
    Raises SettingsError and OperationalError.
    """
    own = read_key(settings.session_key_file)
    if settings.redis_url is None:
        return None if hub is None else ClusterMembership(hub, hub, own or key)
    post = _open_redis(settings, settings.redis_url)
    if own is not None:
        return ClusterMembership(post, post, own, post.run)
    if hub is None:
        logger.warning(
            "no session_key_file: sessions of older clients stay on the machine that "
            "opened them"
        )
    return ClusterMembership(hub or post, post, key, post.run)


def read_key(path: str | None) -> bytes | None:
    """Return the key in a file; what is raised if it is none never shows any of it."""
    if path is None:
        return None
    try:
        key = read_credentials(Path(path), is_secret=True)[:_MAX_KEY_BYTES].strip()
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise OperationalError(f"session_key_file {path}: {reason}") from None
    problem = None
    if len(key) < MIN_KEY_BYTES:
        problem = f"fewer than {MIN_KEY_BYTES} bytes without white space around them"
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
    windows = [meter.rate.seconds for meter in open_limits(settings).meters]
    try:
        return RedisTransport(url, keep_seconds=2 * max(windows, default=1))
    except ValueError:
        raise SettingsError(
            "wrong setting: redis_url is no address that can be used; write "
            "redis://HOST:PORT/NUMBER"
        ) from None
