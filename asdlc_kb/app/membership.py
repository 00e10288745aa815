"""Cluster membership: sessions and rate limits shared by the processes of a server.

Loaded only with several processes: workers on this machine, replicas on others, or
both. Without a shared key, sessions stay on the process that opened them.
"""

import asyncio
import logging
from typing import TYPE_CHECKING

from asdlc_kb.app.session_key import read_key
from asdlc_kb.cluster.bus import Bus
from asdlc_kb.cluster.membership import ClusterMembership
from asdlc_kb.exceptions import SettingsError
from asdlc_kb.extras import missing_extra
from asdlc_kb.ops.metrics.counters import Metrics
from asdlc_kb.settings import Settings

if TYPE_CHECKING:
    from asdlc_kb.cluster.postgres_transport import PostgresTransport
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
    bus = _open_bus(settings.bus_url, own)
    bus.require_usable()
    if own is None and workers is None:
        logger.warning(
            "no session_key_file: sessions of older clients stay on the machine that "
            "opened them"
        )
    return ClusterMembership(
        bus if own is not None else workers or bus,
        bus,
        own or key,
        metrics,
        rates_key=own,
        work=bus.run,
        is_connected=lambda: bus.is_usable,
    )


def _open_bus(url: str, key: bytes | None) -> "RedisTransport | PostgresTransport":
    """Return the bus over the server of an address.

    Raises SettingsError for an invalid address, OperationalError for a missing package.
    """
    is_postgres = url.startswith("postgres")
    extra = "postgres" if is_postgres else "redis"
    try:
        if is_postgres:
            from asdlc_kb.cluster.postgres_transport import PostgresTransport

            return PostgresTransport(url, key)
        from asdlc_kb.cluster.redis_transport import RedisTransport

        return RedisTransport(url)
    except ImportError:
        raise missing_extra("bus_url", extra) from None
    except ValueError:
        form = "postgresql://HOST:PORT/NAME" if is_postgres else "redis://HOST:PORT/0"
        raise SettingsError(
            f"invalid setting: bus_url is not a valid address; write {form}"
        ) from None


def find_bus_fault(settings: Settings) -> str | None:
    """Connect to the bus once; return why it cannot be used, None if it can.

    Changes nothing there. Raises SettingsError and OperationalError.
    """
    if settings.bus_url is None:
        return None
    bus = _open_bus(settings.bus_url, read_key(settings.session_key_file))
    return asyncio.run(bus.find_fault())
