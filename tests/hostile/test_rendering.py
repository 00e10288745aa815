"""Texts made to block the server: each page is answered, and so are other clients."""

import asyncio
import signal
import time

import pytest
from support.canary import Scanner
from support.knowledge import KnowledgeBase
from support.processes import serve_process
from support.rolling import find_port
from support.wire import ask, dial

HTML = {"Accept": "text/html"}
BOUND = 30.0
MAX_BYTES = 2 * 1024 * 1024 - 1024
BODIES = {
    "endless-match": '```cddl\n"' + "\\" * 40 + "\n```\n",
    "endless-match-of-scala": '```scala\n"' + "\\" * 60 + "\n```\n",
    "blank-lines-of-c": "```c\n" + "\n" * 19_900 + "```\n",
    "addresses": "<http://a" * 10_000,
    "attributes": "{: " * 150_000,
    "tags": "<div>" * 100_000,
    "pictures": "![[" * 160_000,
    "brackets": "[" * 500_000,
    "pairs": "[[]]" * 120_000,
    "headings": "# a\n" * 100_000,
    "columns": "|" * 50_000 + "\n" + "|-" * 50_000 + "\n",
    "quotes": ">" * 500_000,
    "backticks": "".join("`" * length + " " for length in range(900)),
    "all-that-a-file-may-hold": ("# h\n\n*a* [b](c.md) `d`\n\n" * 100_000)[:MAX_BYTES],
}


FROZEN_SECONDS = 10.0
"""Far above the expected time of an answer, and far below what these texts took once: a
machine that runs other tests at the same time is slow, but not frozen.
"""


class Pinger:
    """Requests the server's health repeatedly, and records the longest wait."""

    def __init__(self, port: int) -> None:
        self._port = port
        self.longest = 0.0

    async def run(self) -> None:
        """Send requests until it is cancelled."""
        async with dial(self._port) as wire:
            while True:
                started = time.monotonic()
                await wire.request("GET", "/health")
                await asyncio.wait_for(wire.answer(), BOUND)
                self.longest = max(self.longest, time.monotonic() - started)


async def read_page(port: int, path: str) -> tuple[bytes, float]:
    """Return the body of a page, and how many seconds it took."""
    started = time.monotonic()
    answer = await asyncio.wait_for(ask(port, "GET", path, headers=HTML), BOUND)
    assert answer.status == 200
    return answer.body, time.monotonic() - started


@pytest.mark.timeout(120)
async def test_no_text_holds_the_server(
    knowledge: KnowledgeBase, scanner: Scanner
) -> None:
    """D-062: each page is answered, others meanwhile, and SIGTERM ends it all."""
    for name, body in BODIES.items():
        knowledge.write(f"concepts/{name}", body=body)
    with serve_process(knowledge.root, scanner=scanner) as served:
        pinger = Pinger(served.port)
        pinging = asyncio.ensure_future(pinger.run())
        # The first page loads the renderer and scans every text for links.
        await read_page(served.port, "/concepts/links-to-hidden")
        pinger.longest = 0.0
        for name in BODIES:
            _, seconds = await read_page(served.port, f"/concepts/{name}")
            assert seconds < FROZEN_SECONDS, name
            assert pinger.longest < FROZEN_SECONDS, name
        pages = (read_page(served.port, f"/concepts/{name}") for name in BODIES)
        for _, seconds in await asyncio.gather(*pages):
            assert seconds < FROZEN_SECONDS
        pinging.cancel()
        tasks = [
            asyncio.ensure_future(read_page(served.port, f"/concepts/{name}"))
            for name in BODIES
        ]
        await asyncio.sleep(0)
        started = time.monotonic()
        served.running.signal(signal.SIGTERM)
        ended = await asyncio.to_thread(served.running.wait)
        assert time.monotonic() - started < 5 + FROZEN_SECONDS
        assert ended.code == 0
        await asyncio.gather(*tasks, return_exceptions=True)


async def test_a_feed_of_such_texts_is_answered(
    knowledge: KnowledgeBase, scanner: Scanner
) -> None:
    """D-062: the rendered texts, and the source of the others."""
    for name in ("endless-match", "addresses", "tags"):
        knowledge.write(f"concepts/{name}", body=BODIES[name])
    knowledge.write("concepts/good", body="Some *words*.\n")
    port = str(find_port())
    options = ("--port", port, "--base-url", f"http://127.0.0.1:{port}")
    with serve_process(knowledge.root, *options, scanner=scanner) as served:
        body, seconds = await read_page(served.port, "/feed.xml")
        assert seconds < FROZEN_SECONDS
        assert b"&lt;em&gt;words&lt;/em&gt;" in body


async def test_a_page_becomes_what_it_should_be_once_its_text_is_rendered(
    knowledge: KnowledgeBase, scanner: Scanner
) -> None:
    """D-062: code that blocks a lexer is not highlighted; its text is Markdown."""
    knowledge.write("concepts/a", body=f"Some *words*.\n\n{BODIES['endless-match']}")
    with serve_process(knowledge.root, scanner=scanner) as served:
        deadline = time.monotonic() + BOUND
        while True:
            body, _ = await read_page(served.port, "/concepts/a")
            if b"Some <em>words</em>." in body:
                break
            assert b"Some *words*." in body
            assert time.monotonic() < deadline
        assert b"<code>&quot;" in body or b'<code>"' in body


async def test_a_reader_of_workers_holds_none_of_them(
    knowledge: KnowledgeBase, scanner: Scanner
) -> None:
    """D-062: a page that once blocked a worker for ever is requested at each of two."""
    knowledge.write("concepts/a", body=BODIES["endless-match"])
    with serve_process(knowledge.root, "--workers", "2", scanner=scanner) as served:
        pages = (read_page(served.port, "/concepts/a") for _ in range(8))
        for _, seconds in await asyncio.gather(*pages):
            assert seconds < FROZEN_SECONDS
        answer = await asyncio.wait_for(ask(served.port, "GET", "/health"), BOUND)
        assert answer.status == 200
        assert served.stop().code == 0
