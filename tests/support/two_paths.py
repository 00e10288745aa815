"""One application, served with the fast path and without it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from asdlc_kb.app import Runtime, open_context
from asdlc_kb.web.connections.direct_stream import (
    CheckedHead,
    FastPath,
    Parts,
    Responder,
)
from asdlc_kb.web.http_server import HttpServer, open_sockets
from asdlc_kb.web.routes import make_application
from support.site import Site, serving


@dataclass
class Counting:
    """The fast path, with a count of its responses."""

    fast_path: FastPath
    answered: int = 0

    def read_head(self, data: bytes) -> CheckedHead | None:
        """Return a header block, whose responder is this object."""
        head = self.fast_path.read_head(data)
        return head and head._replace(responder=Counted(self, head.responder))


@dataclass
class Counted:
    """A responder whose responses are counted."""

    counting: Counting
    responder: Responder

    def respond(self, body: bytes, peer: str) -> Parts | None:
        """Return what the responder does."""
        parts = self.responder.respond(body, peer)
        self.counting.answered += parts is not None
        return parts


@dataclass
class Pair:
    """One application behind the fast path, and without it."""

    site: Site
    bare: int
    """The port of the bare application."""
    counting: Counting


@asynccontextmanager
async def pair(app: Runtime) -> AsyncIterator[Pair]:
    """Serve an application both ways."""
    context = open_context(app)
    sockets = open_sockets("127.0.0.1", 0)
    web = HttpServer(make_application(context), sockets, context.state)
    try:
        async with serving(app) as site:
            manager = site.context.state.manager
            assert manager.fast_path is not None
            counting = manager.fast_path = Counting(manager.fast_path)
            yield Pair(site, web.port, counting)
    finally:
        await web.close()
