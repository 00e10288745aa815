"""nginx with `proxy_pass` and nothing else, in front of a real server."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from support.canary import Scanner
from support.knowledge import KnowledgeBase
from support.processes import serve_process
from support.proxy import running_nginx, write_main
from support.rolling import find_port
from support.wire import ask

REBOUND = {"Host": "evil-rebound.example"}


def make_public() -> tuple[str, ...]:
    """Return options of a server with a public name, and its announced port."""
    port = str(find_port())
    return ("--port", port, "--base-url", f"http://kb.example.com:{port}")


@contextmanager
def plain_nginx(folder: Path, upstream: int, config: str = "") -> Iterator[int]:
    """Run nginx with its defaults until the block ends; yield its port."""

    def write(port: int) -> Path:
        served = f"location / {{ {config} proxy_pass http://127.0.0.1:{upstream}; }}"
        return write_main(folder, f"server {{ listen 127.0.0.1:{port}; {served} }}")

    with running_nginx(folder, write) as (port,):
        yield port


async def test_its_defaults_open_neither_metrics_nor_content(
    knowledge: KnowledgeBase, tmp_path: Path, scanner: Scanner
) -> None:
    """D-085: nginx replaces the Host by its upstream's address, and adds nothing."""
    with (
        serve_process(knowledge.root, *make_public(), scanner=scanner) as served,
        plain_nginx(tmp_path / "nginx", served.port) as port,
    ):
        for path in ("/metrics", "/", "/llms-full.txt", "/mcp"):
            refused = await ask(port, "GET", path, REBOUND)
            assert refused.status == 403, path
            assert b"asdlc_kb_" not in refused.body
        assert (await ask(port, "GET", "/ready", REBOUND)).status == 200


async def test_with_the_host_that_the_client_sent_the_public_name_is_served(
    knowledge: KnowledgeBase, tmp_path: Path, scanner: Scanner
) -> None:
    """The refusal's advice helps: one line in the configuration of nginx."""
    config = "proxy_set_header Host $host;"
    with (
        serve_process(knowledge.root, *make_public(), scanner=scanner) as served,
        plain_nginx(tmp_path / "nginx", served.port, config) as port,
    ):
        public = {"Host": "kb.example.com"}
        assert (await ask(port, "GET", "/", public)).status == 200
        assert (await ask(port, "GET", "/metrics", public)).status == 404
        for path in ("/metrics", "/", "/ready"):
            assert (await ask(port, "GET", path, REBOUND)).status == 403


@pytest.mark.parametrize("entry", ["127.0.0.1", "::1"])
async def test_a_header_that_it_forwards_opens_no_metrics(
    knowledge: KnowledgeBase, tmp_path: Path, scanner: Scanner, entry: str
) -> None:
    """D-085: a client's X-Forwarded-For is forwarded by default."""
    options = ("--trusted-proxy", "127.0.0.1", "--metrics-allow", "127.0.0.0/8")
    with (
        serve_process(knowledge.root, *options, scanner=scanner) as served,
        plain_nginx(tmp_path / "nginx", served.port) as port,
    ):
        answer = await ask(port, "GET", "/metrics", {"X-Forwarded-For": entry})
        assert answer.status == 404
        assert (await ask(served.port, "GET", "/metrics")).status == 404
