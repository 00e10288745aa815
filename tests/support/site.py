"""A server under test, and messages for it."""

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tornado.httpclient import AsyncHTTPClient, HTTPResponse

from asdlc_kb.app import ConfiguredSources, Runtime, build, open_context
from asdlc_kb.app.doc_trees import open_trees
from asdlc_kb.articles.library import ArticleLibrary
from asdlc_kb.docs.collection import DocCollection
from asdlc_kb.docs.library import DocLibrary
from asdlc_kb.mcp.dispatch.provider import Provider
from asdlc_kb.mcp.sessions.sessions import Sessions
from asdlc_kb.project.registry import Projects
from asdlc_kb.settings import MEMORY, Settings
from asdlc_kb.web.current_application import CurrentApplication
from asdlc_kb.web.fast_path.request_reader import open_fast_path
from asdlc_kb.web.handler_context import HandlerContext
from asdlc_kb.web.http_server import HttpServer, open_sockets
from asdlc_kb.web.routes import make_application
from support.docs import DocsTree
from support.knowledge import KnowledgeBase, settled_clock

JSON = {"Content-Type": "application/json", "Accept": "application/json"}
EVENTS = {"Accept": "text/event-stream"}
BOUND = 60.0
"""Seconds that any one wait of a test may take."""

PREFIX = "io.modelcontextprotocol/"


def envelope(version: str, **meta: Any) -> dict[str, Any]:
    """Return the `_meta` of a stateless request."""
    return {
        f"{PREFIX}protocolVersion": version,
        f"{PREFIX}clientCapabilities": {},
        f"{PREFIX}clientInfo": {"name": "tests", "version": "1"},
        **meta,
    }


def message(
    method: str, params: Mapping[str, Any] | None = None, request_id: Any = 1
) -> dict[str, Any]:
    """Return a JSON-RPC request."""
    request = {"jsonrpc": "2.0", "id": request_id, "method": method}
    return request if params is None else {**request, "params": dict(params)}


@dataclass
class Site:
    """A server under test, listening on a real socket of this machine."""

    app: Runtime
    port: int
    web: HttpServer
    front: CurrentApplication
    context: HandlerContext

    @property
    def url(self) -> str:
        """The address without a path."""
        return f"http://127.0.0.1:{self.port}"

    async def fetch(self, path: str, **options: Any) -> HTTPResponse:
        """Make one HTTP request; an error status is a response like any other."""
        client = AsyncHTTPClient(force_instance=True)
        try:
            return await client.fetch(
                f"{self.url}{path}",
                raise_error=False,
                follow_redirects=False,
                request_timeout=BOUND,
                allow_nonstandard_methods=True,
                **options,
            )
        finally:
            client.close()

    async def post(
        self, body: Any, headers: Mapping[str, str] | None = None, path: str = "/mcp"
    ) -> HTTPResponse:
        """POST a message, or bytes as they are, as JSON unless headers differ."""
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        sent = JSON if headers is None else {**JSON, **headers}
        return await self.fetch(path, method="POST", body=raw, headers=sent)


def open_app(
    knowledge: KnowledgeBase | None,
    *further: Provider,
    docs: DocsTree | Path | None = None,
    projects: Sequence[Path] = (),
    is_local: bool = False,
    clock: Any = settled_clock,
    sessions: Sessions | None = None,
    **options: Any,
) -> Runtime:
    """Return a loaded application over a base, a tree, projects or all, at rest.

    A tree that is given as a folder is read as its generator is configured.
    """
    options.setdefault("cache_dir", MEMORY)
    options.setdefault("title", "ASDLC Knowledge Base")
    options.setdefault("rate_limit", "off")
    options.setdefault("page_rate_limit", "off")
    if options.get("base_url"):
        # Tests use local host names, which a public base URL alone does not allow.
        options.setdefault("allow_host", ("localhost", "127.0.0.1"))
    content = str(knowledge.root) if knowledge else None
    folder = docs.root if isinstance(docs, DocsTree) else docs
    trees = (str(folder),) if folder else ()
    settings = Settings(content=content, docs=trees, port=0, **options)
    grace = settings.missing_grace
    sources = ConfiguredSources(
        articles=ArticleLibrary(knowledge.root, missing_grace=grace, clock=clock)
        if knowledge
        else None,
        docs=open_trees(settings, settings.docs)
        if isinstance(docs, Path)
        else DocCollection.of(DocLibrary(docs.root, missing_grace=grace, clock=clock))
        if docs
        else None,
        projects=Projects(projects),
    )
    app = build(settings, further, sources, is_local=is_local, sessions=sessions)
    for source in app.corpus:
        source.load()
    return app


def articles_of(app: Runtime) -> ArticleLibrary:
    """Return the articles of an application that has some."""
    library = app.sources.articles
    assert library is not None
    return library


@asynccontextmanager
async def serving(app: Runtime) -> AsyncIterator[Site]:
    """Serve an application over HTTP; its watcher does not run."""
    context = open_context(app)
    front = CurrentApplication(make_application(context))
    if app.settings.fast_path:
        context.state.manager.fast_path = open_fast_path(context)
    web = HttpServer(front, open_sockets("127.0.0.1", 0), context.state, tls=app.tls)
    try:
        yield Site(app, web.port, web, front, context)
    finally:
        await web.close()
        if context.views is not None:
            await context.views.close()
