"""nginx with `proxy_pass` and nothing else, in front of a real server."""

import os
import pwd
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from support.canary import Scanner
from support.knowledge import KnowledgeBase
from support.processes import serve_process
from support.proxy import BOUND, find_program
from support.rolling import find_port
from support.wire import ask

REBOUND = {"Host": "evil-rebound.example"}

MAIN = """
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/error.log info;
{user}
events {{ }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    server {{
        listen 127.0.0.1:{port};
        location / {{ {told} proxy_pass http://127.0.0.1:{upstream}; }}
    }}
}}
"""


def make_public() -> tuple[str, ...]:
    """Return options of a server with a public name, whose port is told with it."""
    port = str(find_port())
    return ("--port", port, "--base-url", f"http://kb.example.com:{port}")


@contextmanager
def plain_nginx(folder: Path, upstream: int, told: str = "") -> Iterator[int]:
    """Run nginx with its defaults until the block ends; yield its port."""
    folder.mkdir()
    # As root nginx would become somebody who may not enter the folders of a test.
    who = pwd.getpwuid(os.getuid()).pw_name if os.getuid() == 0 else None
    user = f"user {who};" if who else ""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(512)
        port: int = listening.getsockname()[1]
        main = folder / "nginx.conf"
        main.write_text(
            MAIN.format(
                folder=folder, user=user, port=port, upstream=upstream, told=told
            ),
            encoding="utf-8",
        )
        process = subprocess.Popen(
            [find_program("nginx"), "-e", str(folder / "error.log"), "-c", str(main)],
            env={**os.environ, "NGINX": f"{listening.fileno()};"},
            pass_fds=(listening.fileno(),),
            start_new_session=True,
        )
    try:
        yield port
    finally:
        process.terminate()
        try:
            process.wait(BOUND)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait(BOUND)


async def test_its_defaults_open_neither_metrics_nor_content(
    knowledge: KnowledgeBase, tmp_path: Path, scanner: Scanner
) -> None:
    """nginx puts its upstream's address in place of the Host, and adds nothing."""
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
    """What the refusal says helps: one line in the configuration of nginx."""
    told = "proxy_set_header Host $host;"
    with (
        serve_process(knowledge.root, *make_public(), scanner=scanner) as served,
        plain_nginx(tmp_path / "nginx", served.port, told) as port,
    ):
        public = {"Host": "kb.example.com"}
        assert (await ask(port, "GET", "/", public)).status == 200
        assert (await ask(port, "GET", "/metrics", public)).status == 404
        for path in ("/metrics", "/", "/ready"):
            assert (await ask(port, "GET", path, REBOUND)).status == 403


@pytest.mark.parametrize("entry", ["127.0.0.1", "::1"])
async def test_a_header_that_it_hands_on_makes_nobody_an_observer(
    knowledge: KnowledgeBase, tmp_path: Path, scanner: Scanner, entry: str
) -> None:
    """X-Forwarded-For of a client goes through where nothing is said of it."""
    given = ("--trusted-proxy", "127.0.0.1", "--metrics-allow", "127.0.0.0/8")
    with (
        serve_process(knowledge.root, *given, scanner=scanner) as served,
        plain_nginx(tmp_path / "nginx", served.port) as port,
    ):
        answer = await ask(port, "GET", "/metrics", {"X-Forwarded-For": entry})
        assert answer.status == 404
        assert (await ask(served.port, "GET", "/metrics")).status == 404
