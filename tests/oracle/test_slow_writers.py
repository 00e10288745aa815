"""A real server over files that are written slowly, by writers that keep them open.

`SLOW_EDITS` is the number of edits (300 by default), `ORACLE_SEED` repeats them. With
`SLOW_OWNER`, a number, the files are that user's and the server may take no lease of
them, so that write events have to suffice (for root, with `setpriv`).
"""

import asyncio
import json
import os
import random
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

from support.canary import CANARY, Scanner
from support.knowledge import article_text
from support.peers import envelope, message
from support.processes import BOUND, Served, serve_process
from support.stateless import headers_of
from support.wire import Wire, dial

EDITS = int(os.environ.get("SLOW_EDITS", "300"))
SEED = int(os.environ.get("ORACLE_SEED", random.SystemRandom().randrange(10**9)))
OWNER = int(os.environ.get("SLOW_OWNER", "-1"))
NO_LEASES = ("setpriv", "--bounding-set=-lease") if OWNER >= 0 else ()
WRITERS = 120
"""Each has one article or page, and writes it repeatedly."""
PAUSES = (0.0, 0.02, 0.05, 0.09, 0.12, 0.2, 0.5, 1.0, 2.0)
"""Seconds between two pieces."""
READERS = 8
CATEGORY = "concepts"


class Writers:
    """Writers in place, and every visible version that they wrote."""

    def __init__(self, root: Path, seed: int) -> None:
        self.random = random.Random(seed)
        self.content, self.docs = root / "content", root / "docs"
        self.written: defaultdict[str, dict[str, str]] = defaultdict(dict)
        """The bodies of visible versions by name and title."""
        self.left = EDITS
        self.edits = self.torn = self.reads = 0
        (self.content / CATEGORY).mkdir(parents=True)
        self.docs.mkdir()
        self.names = [
            f"{'page' if number % 2 else 'article'}-{number}"
            for number in range(WRITERS)
        ]
        for name in self.names[::2] + self.names[1::4]:
            self._path(name).write_text(self._make(name, is_visible=True))
            os.chown(self._path(name), OWNER, -1)

    def _path(self, name: str) -> Path:
        is_page = name.startswith("page")
        return (self.docs if is_page else self.content / CATEGORY) / f"{name}.md"

    def _make(self, name: str, *, is_visible: bool) -> str:
        """Return the next version of a file, its number in each line of it."""
        number = len(self.written[name]) + 1
        mark = f"{number:05}" if is_visible else f"{CANARY}-{self.edits:05}"
        lines = self.random.choice((4, 20, 60))
        title = f"Version {mark} of {name}"
        body = "".join(f"line {line} of {mark}\n" for line in range(lines))
        if is_visible:
            self.written[name][title] = body
        if name.startswith("page"):
            hidden = "" if is_visible else "draft: true\n"
            return f"---\ntitle: {title}\n{hidden}---\n\n{body}"
        status = "Live" if is_visible else "Draft"
        return article_text(
            name, title=title, description=mark, status=status, body=body
        )

    async def write(self, name: str) -> None:
        """Write a file in place until enough edits were made."""
        while self.left > 0:
            self.left -= 1
            text = self._make(name, is_visible=self.random.random() < 0.7)
            cuts = sorted(self.random.choices(range(len(text)), k=3))
            mode = self.random.choice(("w", "w", "r+"))
            path = self._path(name)
            with path.open(mode if path.exists() else "w") as file:
                os.fchown(file.fileno(), OWNER, -1)
                for start, end in zip([0, *cuts], [*cuts, None], strict=True):
                    file.write(text[start:end])
                    file.flush()
                    if end is not None:
                        await asyncio.sleep(self.random.choice(PAUSES))
                file.truncate()
            self.edits += 1
            await asyncio.sleep(self.random.random() / 4)

    def check(self, name: str, title: str, body: str) -> None:
        """Fail unless this is a complete version that was once visible at this name."""
        self.reads += 1
        whole = self.written[name].get(title)
        assert whole is not None, f"{name} was never {title!r}"
        assert body == whole, f"{name} is torn: {body[:200]!r}"


async def call(wire: Wire, tool: str, **arguments: Any) -> str:
    """Call a tool; return its text, or "" if it fails."""
    params = {"name": tool, "arguments": arguments, "_meta": envelope("2026-07-28")}
    body = json.dumps(message("tools/call", params)).encode()
    await wire.request("POST", "/mcp", headers_of("tools/call", tool), body)
    result = (await wire.answer()).json["result"]
    text: str = result["content"][0]["text"]
    return "" if result.get("isError") else text


async def read(writers: Writers, wire: Wire, name: str) -> str:
    """Read one article or page and check it; return its title, "" for none."""
    if name.startswith("page"):
        text = await call(wire, "get_doc_page", path=f"{name}.md")
        if not text:
            return ""
        heading, _, body = text.partition("\n\n")
        title = heading.removeprefix("# ")
    else:
        text = await call(wire, "get_article", slug=name)
        if not text:
            return ""
        article = json.loads(text)
        title, body = article["title"], article["content"]
    writers.check(name, title, body)
    return title


async def keep_reading(writers: Writers, served: Served, scanner: Scanner) -> None:
    """Read random names until every edit was made."""
    choose = random.Random(writers.random.random())
    async with dial(served.port, scanner) as wire:
        while writers.left > 0:
            await read(writers, wire, choose.choice(writers.names))


async def play(writers: Writers, served: Served, scanner: Scanner) -> None:
    """Write and read at once; then every file has its last version."""
    async with asyncio.TaskGroup() as tasks:
        for name in writers.names:
            tasks.create_task(writers.write(name))
        for _ in range(READERS):
            tasks.create_task(keep_reading(writers, served, scanner))
    deadline = time.monotonic() + BOUND
    async with dial(served.port, scanner) as wire:
        for name in writers.names:
            text = writers._path(name).read_text()
            is_visible = CANARY not in text
            while True:
                title = await read(writers, wire, name)
                if f"title: {title}\n" in text if is_visible else not title:
                    break
                assert time.monotonic() < deadline, f"stale: {name}"


def test_a_writer_that_keeps_its_file_open_is_never_read(
    tmp_path: Path, scanner: Scanner
) -> None:
    """D-067: 0 torn answers, and nothing hidden leaks meanwhile."""
    print(f"ORACLE_SEED={SEED} SLOW_EDITS={EDITS}")
    writers = Writers(tmp_path, SEED)
    options = ("--docs", str(writers.docs))
    serving = serve_process(
        writers.content, *options, scanner=scanner, prefix=NO_LEASES
    )
    with serving as served:
        asyncio.run(play(writers, served, scanner))
    print(f"{writers.edits} edits, {writers.reads} reads of visible versions")
    assert writers.reads > EDITS // 10
    assert scanner.collect() == []
