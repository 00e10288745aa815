"""Processes of one site, all within the test's own."""

from dataclasses import dataclass, field

from asdlc_kb.cluster.relay import LetterRelay
from asdlc_kb.mcp.audience import Audience
from asdlc_kb.mcp.provider import Provider
from asdlc_kb.mcp.relay import SessionIds
from asdlc_kb.mcp.server import Server
from asdlc_kb.mcp.sessions import Sessions
from support.post import PostOffice
from support.shelf import make_server

KEY = b"a key of this test"


@dataclass
class Process:
    """A server and its relay."""

    name: str
    server: Server
    relay: LetterRelay


@dataclass
class Cluster:
    """Processes that know each other, and their one clock."""

    post: PostOffice = field(default_factory=PostOffice)
    now: float = 1000.0

    def start(self, name: str, *providers: Provider) -> Process:
        """Start a process."""
        mail = self.post.end(name)
        ids = SessionIds(name, KEY)
        sessions = Sessions(make_id=ids.make, clock=lambda: self.now)
        server = make_server(*providers, audience=Audience(sessions))
        server.relay = relay = LetterRelay(server, mail, KEY, clock=lambda: self.now)
        return Process(name, server, relay)
