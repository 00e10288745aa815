"""The other processes of the same server: sessions and limits are one over all of them.

Loaded only where there are others: workers of this machine, replicas on others, or
both. Without a key that all of them have, sessions stay where they are opened.
"""

import logging
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from asdlc_kb.app.admission import open_limits
from asdlc_kb.cluster.company import Company
from asdlc_kb.cluster.mail import Mail
from asdlc_kb.exceptions import HostError, SettingsError
from asdlc_kb.ops.credentials import read_credentials
from asdlc_kb.ops.sharing import Sums
from asdlc_kb.settings import Settings

if TYPE_CHECKING:
    from asdlc_kb.cluster.redis import RedisPost

logger = logging.getLogger(__name__)

KEY_BYTES: Final = 32
"""Of a key that is made at the start, and known to nobody but these processes."""

SHORTEST_KEY: Final = 16
"""Bytes of a key that is read from a file."""

_LONGEST_KEY: Final = 4096


class Hub(Mail, Sums, Protocol):
    """What workers of one machine have in common."""


def open_company(
    settings: Settings, hub: Hub | None = None, key: bytes | None = None
) -> Company | None:
    """Return what these settings make a process a member of, if of anything.

    Workers of one machine have a hub and a key between them; one that is set wins.
    Raises SettingsError and HostError.
    """
    own = read_key(settings.session_key_file)
    if settings.redis_url is None:
        return None if hub is None else Company(hub, hub, own or key)
    post = _open_redis(settings, settings.redis_url)
    if own is not None:
        return Company(post, post, own, post.run)
    if hub is None:
        logger.warning(
            "no session_key_file: sessions of older clients stay on the machine that "
            "opened them"
        )
    return Company(hub or post, post, key, post.run)


def read_key(path: str | None) -> bytes | None:
    """Return the key in a file; what is raised if it is none never shows any of it."""
    if path is None:
        return None
    try:
        key = read_credentials(Path(path), is_secret=True)[:_LONGEST_KEY].strip()
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise HostError(f"session_key_file {path}: {reason}") from None
    if len(key) < SHORTEST_KEY:
        raise SettingsError(
            f"session_key_file {path}: fewer than {SHORTEST_KEY} bytes; make one with "
            f"(umask 077 && openssl rand -base64 32 > {path})"
        )
    return key


def _open_redis(settings: Settings, url: str) -> "RedisPost":
    try:
        from asdlc_kb.cluster.redis import RedisPost
    except ImportError:
        raise HostError(
            "redis_url needs a package that is not installed: "
            "pip install 'asdlc-kb[redis]'"
        ) from None
    windows = [meter.rate.seconds for meter in open_limits(settings).meters]
    try:
        return RedisPost(url, keep_seconds=2 * max(windows, default=1))
    except ValueError:
        raise SettingsError(
            "wrong setting: redis_url is no address that can be used; write "
            "redis://HOST:PORT/NUMBER"
        ) from None
