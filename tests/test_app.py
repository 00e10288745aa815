"""Tests of the composition root: what a configuration is wired into, and its life."""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace

import pytest
from support.canary import Scanner
from support.knowledge import VISIBLE_COUNT, KnowledgeBase
from support.peers import (
    BOUND,
    VERSIONS,
    http_peer,
    message,
    open_app,
    serving,
    stdio_peer,
)
from support.processes import BOUND as PROCESS_BOUND
from support.shelf import Shelf
from support.wire import ask

from asdlc_kb import app as module
from asdlc_kb.app import (
    INSTRUCTIONS,
    App,
    build,
    find_content,
    open_library,
    serve,
    serve_stdio,
)
from asdlc_kb.exceptions import HostError
from asdlc_kb.settings import Settings

STATELESS = VERSIONS[-1]


def test_a_named_folder_is_taken_whether_it_is_there_or_not(tmp_path: Path) -> None:
    """File faults: a named folder that is missing may appear later."""
    settings = Settings(content=str(tmp_path / "later"))
    assert find_content(settings) == tmp_path / "later"


def test_a_relative_folder_does_not_depend_on_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The root is absolute from the start."""
    monkeypatch.chdir(tmp_path)
    assert find_content(Settings(content="kb")) == tmp_path / "kb"


def test_content_here_is_the_default(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Design, what is served: `content/`; without it the machine refuses."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(HostError, match="no content: name a folder"):
        find_content(Settings())
    (tmp_path / "content").write_text("a file is no folder")
    with pytest.raises(HostError, match="no content: name a folder"):
        find_content(Settings())
    (tmp_path / "content").unlink()
    (tmp_path / "content").mkdir()
    assert find_content(Settings()) == tmp_path / "content"


def test_the_library_is_of_the_configured_folder(knowledge: KnowledgeBase) -> None:
    """One-shot commands and servers open the same library."""
    library = open_library(Settings(content=str(knowledge.root)))
    assert library.root == knowledge.root
    assert len(library.load().articles) == VISIBLE_COUNT


async def test_the_server_says_who_it_is_and_how_to_use_it(app: App) -> None:
    """Seed 000: identity asdlc-knowledge-base, version that of the package."""
    async with http_peer(app, STATELESS) as peer:
        result = await peer.result("server/discover")
    assert app.version == version("asdlc-kb")
    assert result["instructions"] == INSTRUCTIONS
    assert result["_meta"] == {
        "io.modelcontextprotocol/serverInfo": {
            "name": "asdlc-knowledge-base",
            "version": version("asdlc-kb"),
            "title": "ASDLC Knowledge Base",
        }
    }


async def test_the_instructions_can_be_the_operator_s(knowledge: KnowledgeBase) -> None:
    """Design: what clients are told comes from us or from the operator."""
    app = open_app(knowledge, instructions="Ask Ada first.")
    async with http_peer(app, STATELESS) as peer:
        result = await peer.result("server/discover")
    assert result["instructions"] == "Ask Ada first."


TTL = {
    "server/discover": 300_000,
    "tools/list": 300_000,
    "prompts/list": 300_000,
    "resources/templates/list": 300_000,
    "resources/list": 60_000,
}
"""Milliseconds that a client may keep a result (design, caching hints)."""


@pytest.mark.parametrize("method", TTL)
@pytest.mark.parametrize("dev", [False, True])
async def test_caching_hints_are_off_in_development(
    knowledge: KnowledgeBase, method: str, dev: bool
) -> None:
    """Design, caching hints: five minutes, one for resources, none with `--dev`."""
    async with http_peer(open_app(knowledge, dev=dev), STATELESS) as peer:
        result = await peer.result(method)
    assert result["ttlMs"] == (0 if dev else TTL[method])
    assert result["cacheScope"] == "public"


@pytest.mark.parametrize("version", VERSIONS)
async def test_tool_failures_can_be_protocol_errors(
    knowledge: KnowledgeBase, version: str
) -> None:
    """Seed 000: -32602 with the slug as data, where the operator wants it so."""
    app = open_app(knowledge, tool_errors="protocol")
    call = {"name": "get_article", "arguments": {"slug": "known-draft"}}
    async with http_peer(app, version) as peer:
        error = await peer.error("tools/call", call)
    assert error == {
        "code": -32602,
        "message": "Article 'known-draft' not found",
        "data": {"slug": "known-draft"},
    }


async def test_further_providers_come_after_the_articles(
    knowledge: KnowledgeBase,
) -> None:
    """A source that is configured adds its tools; the articles stay first."""
    async with http_peer(open_app(knowledge, Shelf()), STATELESS) as peer:
        listed = await peer.result("tools/list")
    names = [tool["name"] for tool in listed["tools"]]
    assert names[:3] == ["list_articles", "get_article", "search_articles"]
    assert names[3:] == ["echo", "fail", "break", "count", "mirror"]


@pytest.mark.parametrize(
    ("given", "host", "origin", "status"),
    [
        ({}, "kb.example.com", None, 403),
        ({"allow_host": ("kb.example.com",)}, "kb.example.com", None, 200),
        ({"base_url": "https://kb.example.com"}, "kb.example.com", None, 200),
        ({}, "127.0.0.1", "https://app.example.com", 403),
        (
            {"allow_origin": ("https://app.example.com",)},
            "127.0.0.1",
            "https://app.example.com",
            200,
        ),
    ],
)
async def test_the_gate_is_set_as_configured(
    knowledge: KnowledgeBase,
    given: dict[str, object],
    host: str,
    origin: str | None,
    status: int,
) -> None:
    """The specification, basic/transports: Host and Origin allow-lists."""
    headers = {"Host": host} | ({"Origin": origin} if origin else {})
    async with serving(open_app(knowledge, **given)) as site:
        answer = await ask(site.port, "GET", "/health", headers)
    assert answer.status == status


async def test_bodies_are_limited_as_configured(knowledge: KnowledgeBase) -> None:
    """Design: `max_body` bytes, then 413."""
    async with serving(open_app(knowledge, max_body=1024)) as site:
        small = await site.post(message("ping"))
        large = await site.post(message("ping", {"x": "y" * 1024}))
    assert (small.code, large.code) == (200, 413)


@asynccontextmanager
async def living(app: App) -> AsyncIterator[tuple[int, "asyncio.Task[None]"]]:
    """Run `serve` in this process; yield the port that it announces."""
    announced: asyncio.Queue[int] = asyncio.Queue()
    running = asyncio.ensure_future(serve(app, announced.put_nowait))
    port = await asyncio.wait_for(announced.get(), BOUND)
    try:
        yield port, running
    finally:
        os.kill(os.getpid(), signal.SIGTERM)
        await asyncio.wait_for(running, BOUND)
        names = {repr(task.get_coro()) for task in asyncio.all_tasks()}
        assert not [name for name in names if "Watcher" in name]


async def test_serving_announces_its_port_and_ends_on_sigterm(
    knowledge: KnowledgeBase,
) -> None:
    """The design: port 0 picks a free one; SIGTERM drains."""
    app = build(Settings(content=str(knowledge.root), port=0))
    async with living(app) as (port, running):
        answer = await ask(port, "GET", "/ready")
        assert (answer.status, answer.json) == (200, {"ready": True})
        assert not running.done()
    with socket.socket() as left:
        assert left.connect_ex(("127.0.0.1", port)) != 0


async def test_content_is_loaded_before_the_port_is_announced(
    knowledge: KnowledgeBase,
) -> None:
    """Who connects at once finds the articles."""
    app = build(Settings(content=str(knowledge.root), port=0))
    async with living(app):
        assert len(app.library.catalog.articles) == VISIBLE_COUNT


async def test_a_change_on_disk_is_seen_while_serving(knowledge: KnowledgeBase) -> None:
    """Design, data flow: the watcher runs beside the door; 2 s when it is deaf."""
    app = build(Settings(content=str(knowledge.root), port=0))
    async with living(app) as (port, _):
        knowledge.write("concepts/new")
        loop = asyncio.get_running_loop()
        deadline = loop.time() + BOUND
        while (await ask(port, "GET", "/health")).json["articles"] == VISIBLE_COUNT:
            assert loop.time() < deadline, "the new article was never noticed"
        assert app.library.catalog.find("new").id == "concepts/new"


async def test_stdio_is_served_until_the_input_ends(
    knowledge: KnowledgeBase, scanner: Scanner
) -> None:
    """The specification, basic/transports, stdio: what was read is answered."""
    app = build(Settings(content=str(knowledge.root)))
    to_read, to_write = os.pipe()
    from_read, from_write = os.pipe()
    os.write(to_write, json.dumps(message("ping", request_id="last")).encode() + b"\n")
    os.close(to_write)
    await asyncio.wait_for(serve_stdio(app, to_read, from_write), BOUND)
    assert asyncio.all_tasks() == {asyncio.current_task()}
    os.close(from_write)
    with os.fdopen(from_read, "rb") as answers:
        written = answers.read()
    os.close(to_read)
    scanner.scan(written, "stdio")
    assert json.loads(written) == {"jsonrpc": "2.0", "id": "last", "result": {}}


async def test_stdio_ends_on_sigterm_with_its_input_open(
    knowledge: KnowledgeBase,
) -> None:
    """File faults, SIGTERM: end although the client holds the pipe."""
    app = build(Settings(content=str(knowledge.root)))
    to_read, to_write = os.pipe()
    from_read, from_write = os.pipe()
    serving_it = asyncio.ensure_future(serve_stdio(app, to_read, from_write))
    os.write(to_write, json.dumps(message("ping")).encode() + b"\n")
    loop = asyncio.get_running_loop()
    answer = await asyncio.wait_for(
        loop.run_in_executor(None, os.read, from_read, 1000), BOUND
    )
    assert json.loads(answer)["result"] == {}
    os.kill(os.getpid(), signal.SIGTERM)
    await asyncio.wait_for(serving_it, BOUND)
    for descriptor in (to_write, to_read, from_write, from_read):
        os.close(descriptor)


@pytest.mark.parametrize("version", VERSIONS)
async def test_both_doors_offer_the_same(
    app: App, scanner: Scanner, version: str
) -> None:
    """Design: all doors ask the same domain objects."""
    async with http_peer(app, version) as peer:
        over_http = await peer.result("tools/list")
    async with stdio_peer(app, version, scanner) as other:
        over_stdio = await other.result("tools/list")
    assert over_http == over_stdio


CLAIM = """
import os
from asdlc_kb.app import claim_stdout
private = claim_stdout()
print("a stray print", flush=True)
os.system("echo a child speaks")
os.write(private, b"the protocol")
"""


def test_a_stray_print_cannot_break_the_protocol() -> None:
    """The specification, basic/transports, stdio: nothing else on stdout."""
    done = subprocess.run(
        [sys.executable, "-c", CLAIM],
        capture_output=True,
        timeout=PROCESS_BOUND,
        check=True,
    )
    assert done.stdout == b"the protocol"
    assert done.stderr == b"a stray print\na child speaks\n"


@pytest.mark.parametrize("is_there", [True, False])
def test_a_server_runs_on_uvloop_where_it_is_installed(
    monkeypatch: pytest.MonkeyPatch, is_there: bool
) -> None:
    """The extra `fast`: used when it is there, never needed."""
    loops: list[str] = []

    async def note_loop() -> None:
        loops.append(type(asyncio.get_running_loop()).__module__)

    stub = SimpleNamespace(new_event_loop=uvloop_stub)
    monkeypatch.setattr(module, "find_spec", lambda _: stub if is_there else None)
    monkeypatch.setattr(module, "import_module", lambda _: stub)
    module.run(note_loop())
    assert loops == [__name__ if is_there else "asyncio.unix_events"]


class StubLoop(asyncio.SelectorEventLoop):
    """Stands for the loop of a package that may not be installed."""


def uvloop_stub() -> asyncio.AbstractEventLoop:
    """Return a loop as uvloop does."""
    return StubLoop()
