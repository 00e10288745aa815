"""Cluster membership: sessions and rate limits shared by the processes of a server.

Loaded only with several processes: workers on this machine, replicas on others, or
both. Without a shared key, sessions stay on the process that opened them.
"""

import logging
from typing import TYPE_CHECKING

from asdlc_kb.app.session_key import read_key
from asdlc_kb.cluster.bus import Bus
from asdlc_kb.cluster.membership import ClusterMembership
from asdlc_kb.exceptions import OperationalError, SettingsError
from asdlc_kb.ops.metrics.counters import Metrics
from asdlc_kb.settings import Settings

if TYPE_CHECKING:
    from asdlc_kb.cluster.redis_transport import RedisTransport

logger = logging.getLogger(__name__)


def open_membership(
    settings: Settings,
    metrics: Metrics,
    workers: Bus | None = None,
    key: bytes | None = None,
) -> ClusterMembership | None:
    """Return the cluster membership of a process, None for a single process.

    Workers of one machine share a bus and a key; a configured key takes precedence.
    Raises SettingsError and OperationalError.
    """
    own = read_key(settings.session_key_file)
    if settings.bus_url is None:
        if workers is None:
            return None
        own = own or key
        return ClusterMembership(workers, workers, own, metrics, rates_key=own)
    redis = _open_redis(settings.bus_url)
    if own is not None:
        return ClusterMembership(
            redis, redis, own, metrics, rates_key=own, work=redis.run
        )
    if workers is None:
        logger.warning(
            "no session_key_file: sessions of older clients stay on the machine that "
            "opened them"
        )
    return ClusterMembership(workers or redis, redis, key, metrics, work=redis.run)


def _open_redis(url: str) -> "RedisTransport":
    try:
        from asdlc_kb.cluster.redis_transport import RedisTransport
    except ImportError:
        raise OperationalError(
            "bus_url needs a package that is not installed: "
            "pip install 'asdlc-kb[redis]'"
        ) from None
    try:
        return RedisTransport(url)
    except ValueError:
        raise SettingsError(
            "invalid setting: bus_url is not a valid address; write "
            "redis://HOST:PORT/NUMBER"
        ) from None
