"""Baseline of Tornado's HTTP: a handler that answers POST with fixed bytes."""

import asyncio
import logging
import sys

import uvloop
from tornado.web import Application, RequestHandler

BODY = b'{"jsonrpc":"2.0","id":1,"result":{"text":"' + b"x" * 5_000 + b'"}}'


class Fixed(RequestHandler):
    """Reads a request and answers about 5 KB."""

    def post(self) -> None:
        """Answer."""
        self.set_header("Content-Type", "application/json")
        self.finish(BODY)


async def main() -> None:
    """Serve until the process ends."""
    logging.getLogger("tornado.access").setLevel(logging.CRITICAL)
    Application([("/mcp", Fixed)]).listen(int(sys.argv[2]), "127.0.0.1")
    await asyncio.Event().wait()


with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
    runner.run(main())
