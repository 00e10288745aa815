"""Replicas of one server: processes that share a folder and a bus.

The nginx in front has the shipped configuration, without TLS, and takes turns.
"""

import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from support.bus_server import BusServer, bus_server
from support.canary import Scanner
from support.knowledge import KnowledgeBase
from support.processes import Served, serve_process
from support.proxy import (
    BOUND,
    NAME,
    SHIPPED,
    adapt,
    running_nginx,
    write_main,
    write_upstream,
)

KEY = b"the key that all replicas of this test have"


@dataclass(frozen=True)
class Replicas:
    """Two processes, with nginx in front of them and a bus behind."""

    served: tuple[Served, Served]
    bus: BusServer
    port: int
    """The port of nginx."""

    @property
    def ports(self) -> tuple[int, int]:
        """The ports of the processes."""
        first, second = self.served
        return first.port, second.port

    @property
    def url(self) -> str:
        """The endpoint's address."""
        return f"http://127.0.0.1:{self.port}/mcp"

    def errors(self) -> str:
        """Return all errors logged so far."""
        logs = (served.running.read_stderr() for served in self.served)
        return b"".join(logs).decode()


@contextmanager
def replicating(
    knowledge: KnowledgeBase,
    folder: Path,
    *options: str,
    scanner: Scanner,
    kind: str = "redis",
    has_bus: bool = True,
) -> Iterator[Replicas]:
    """Run two replicas, a bus and an nginx until the block ends.

    The server of the bus may be started later.
    """
    key = folder / "session.key"
    key.write_bytes(KEY)
    with ExitStack() as stack:
        bus = stack.enter_context(bus_server(kind))
        if not has_bus:
            bus.kill()
        env = {"ASDLC_KB_BUS_URL": bus.url, "ASDLC_KB_CACHE_DIR": "off"}
        common = ("--session-key-file", str(key), "--trusted-proxy", "127.0.0.1")
        first, second = (
            stack.enter_context(
                serve_process(
                    knowledge.root, *common, *options, scanner=scanner, env=env
                )
            )
            for _ in range(2)
        )
        addresses = [f"127.0.0.1:{served.port}" for served in (first, second)]
        port = stack.enter_context(balancing(folder / "nginx", addresses))
        replicas = Replicas((first, second), bus, port)
        if has_bus:
            await_post(replicas)
        yield replicas


def await_post(replicas: Replicas) -> None:
    """Wait until all replicas have both of their connections."""
    deadline = time.monotonic() + BOUND
    while replicas.bus.count_connections() != 4:
        assert time.monotonic() < deadline, replicas.errors()
        time.sleep(0)


@contextmanager
def balancing(folder: Path, servers: Sequence[str]) -> Iterator[int]:
    """Run nginx in front of servers until the block ends; yield its port."""

    def write(port: int) -> Path:
        return _write_configuration(folder, servers, port)

    with running_nginx(folder, write) as (port,):
        yield port


def _write_configuration(folder: Path, servers: Sequence[str], port: int) -> Path:
    text = adapt(
        (SHIPPED / "asdlc-kb.conf").read_text(encoding="utf-8"),
        {
            "    listen [::]:80;\n": "",
            "    listen 80;\n": f"    listen unix:{folder}/plain.sock;\n",
            "    listen [::]:443 ssl http2;\n": "",
            "listen 443 ssl http2;": f"listen 127.0.0.1:{port};",
            f"    ssl_certificate /etc/ssl/{NAME}.pem;\n": "",
            f"    ssl_certificate_key /etc/ssl/{NAME}.key;\n": "",
        },
    )
    upstream = write_upstream(servers)
    (folder / "servers.conf").write_text(f"{upstream}\n{text}", encoding="utf-8")
    return write_main(folder, f"include {folder}/servers.conf;")
