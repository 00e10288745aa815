"""The composition root: from settings to wired objects. No loops, no policy."""

import asyncio
import gc
import os
import signal
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from asdlc_kb import __version__
from asdlc_kb.articles.library import Library, Update
from asdlc_kb.corpus import Corpus
from asdlc_kb.exceptions import HostError
from asdlc_kb.files.watcher import Watcher
from asdlc_kb.mcp.methods import CachedAs
from asdlc_kb.mcp.provider import Provider
from asdlc_kb.mcp.server import Server
from asdlc_kb.mcp.stateless import CachingHints
from asdlc_kb.mcp.types import Implementation
from asdlc_kb.ops.watchdog import Watchdog
from asdlc_kb.providers.announce import announce
from asdlc_kb.providers.articles import ArticleProvider
from asdlc_kb.settings import Settings
from asdlc_kb.stdio import StdioDoor
from asdlc_kb.web.base import Door
from asdlc_kb.web.gate import Gate
from asdlc_kb.web.routes import make_application
from asdlc_kb.web.server import WebServer, bind
from asdlc_kb.web.shortcut import Front

STOP_SECONDS: Final = 5.0
"""What a stdio peer asked for before SIGTERM may take so long."""

NAME: Final = "asdlc-knowledge-base"

INSTRUCTIONS: Final = (
    "A knowledge base of reviewed articles. Use it when a question touches a concept, "
    "pattern or practice it may hold, before answering from memory. Start with "
    "search_articles and one or two characteristic words: it matches them as they "
    "are in titles, tags and descriptions. No hit: try a broader word, or "
    "list_articles. Read a result with get_article before you rely on it, and cite "
    "its slug. Articles marked Experimental are high-risk: say so when you use them."
)

_CACHED_MS: Final[Mapping[CachedAs, int]] = {
    "discovery": 300_000,
    "list": 300_000,
    "resource": 60_000,
}
_NOT_CACHED: Final[Mapping[CachedAs, int]] = dict.fromkeys(_CACHED_MS, 0)


@dataclass(frozen=True, slots=True)
class App:
    """Everything that one configuration makes."""

    settings: Settings
    library: Library
    corpus: Corpus
    server: Server
    watchers: tuple[Watcher[Update], ...]
    version: str


def find_content(settings: Settings) -> Path:
    """Return the content folder; raise HostError if none is named and none is here."""
    if settings.content is not None:
        return Path(settings.content).absolute()
    folder = Path("content").absolute()
    if not folder.is_dir():
        raise HostError(
            "no content: name a folder, as in 'asdlc-kb serve path/to/content'. It "
            "holds folders of Markdown files, as in content/concepts/my-article.md"
        )
    return folder


def open_library(settings: Settings) -> Library:
    """Return the library of the configured content, not yet loaded."""
    return Library(find_content(settings), missing_grace=settings.missing_grace)


def build(
    settings: Settings,
    further: Sequence[Provider] = (),
    library: Library | None = None,
) -> App:
    """Wire everything; `further` providers are offered after the articles."""
    library = library or open_library(settings)
    server = Server(
        (ArticleProvider(library), *further),
        Implementation(name=NAME, version=__version__, title="ASDLC Knowledge Base"),
        instructions=settings.instructions or INSTRUCTIONS,
        hints=CachingHints(_NOT_CACHED if settings.dev else _CACHED_MS),
        tool_errors=settings.tool_errors,
        shows_tracebacks=settings.debug,
    )
    library.listen(
        lambda before, after: partial(server.publish, announce(before, after))
    )
    watcher = Watcher(
        library.root, library.look, library.publish, events=not settings.poll
    )
    corpus = Corpus((library,))
    return App(settings, library, corpus, server, (watcher,), __version__)


def open_door(app: App) -> Door:
    """Return what HTTP handlers may use."""
    settings = app.settings
    gate = Gate(
        listens_on=settings.host,
        hosts=settings.allow_host,
        origins=settings.allow_origin,
        base_url=settings.base_url,
    )
    return Door(
        app.server,
        app.corpus,
        gate,
        settings.max_body,
        settings.sse,
        app.version,
        settings.base_url,
        has_mcp=settings.mcp_enabled,
    )


async def serve(app: App, announce: Callable[[int], None]) -> None:
    """Serve over HTTP until SIGTERM or SIGINT; `announce` is told the port."""
    sockets = bind(app.settings.host, app.settings.port)
    with _watchdog():
        await _load(app.corpus)
        door = open_door(app)
        web = WebServer(Front(make_application(door), door), sockets, door.state)
        stopped = _stop_signal()
        working = _start_work(app)
        announce(web.port)
        await stopped.wait()
        await web.drain()
        await _stop(working)


async def serve_stdio(app: App, source: int, sink: int) -> None:
    """Serve one peer over two descriptors until its input ends or SIGTERM."""
    with _watchdog():
        await _load(app.corpus)
        working = _start_work(app)
        door = StdioDoor(app.server, app.settings.max_body)
        serving = asyncio.ensure_future(door.run(source, sink))
        stopping = asyncio.ensure_future(_stop_signal().wait())
        await asyncio.wait((serving, stopping), return_when=asyncio.FIRST_COMPLETED)
        door.stop()
        await asyncio.wait((serving,), timeout=STOP_SECONDS)
        await _stop((*working, stopping, serving))


async def _load(corpus: Corpus) -> None:
    """Load what is served; the garbage collector need never look at it."""
    gc.disable()
    try:
        for source in corpus:
            await asyncio.to_thread(source.load)
    finally:
        gc.freeze()
        gc.enable()


def _start_work(app: App) -> tuple[asyncio.Task[Any], ...]:
    """Begin what goes on beside the requests until it is stopped."""
    return tuple(asyncio.ensure_future(watcher.run()) for watcher in app.watchers)


async def _stop(tasks: Sequence[asyncio.Task[Any]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)


def run(work: Coroutine[Any, Any, None]) -> None:
    """Run a server to its end, on uvloop where it is installed (`asdlc-kb[fast]`)."""
    factory = None
    if find_spec("uvloop") is not None:
        factory = import_module("uvloop").new_event_loop
    with asyncio.Runner(loop_factory=factory) as runner:
        runner.run(work)


def claim_stdout() -> int:
    """Return a private descriptor of stdout, and send everything else to stderr.

    A stray print can then not break the protocol.
    """
    private = os.dup(1)
    os.dup2(2, 1)
    return private


def _watchdog() -> Watchdog:
    """Return what watches the running loop."""
    return Watchdog(asyncio.get_running_loop().call_soon_threadsafe)


def _stop_signal() -> asyncio.Event:
    """Return what SIGTERM and SIGINT set. SIGHUP changes nothing: content is fresh."""
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGHUP, lambda: None)
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopped.set)
    return stopped
