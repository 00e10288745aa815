"""A documentation tree behind a server, and a peer that calls it directly."""

from functools import partial
from pathlib import Path
from typing import Any

from asdlc_kb.docs.collection import DocCollection
from asdlc_kb.docs.documents import PageSource
from asdlc_kb.providers.docs.events import list_events
from asdlc_kb.providers.docs.provider import DocsProvider
from asdlc_kb.search.service.fulltext import FullText
from asdlc_kb.search.service.indexer import Indexer
from support.canary import Scanner
from support.docs import DocsTree, loaded
from support.shelf import DirectPeer, make_server

PAGES = {
    "index.md": "# Welcome\n\nThe manual of the pelican.\n",
    "configuration.md": (
        "---\ntitle: Configuration\ndescription: Every setting\ntags: [env]\n---\n"
        "# Configuration\n\nSettings are read from the environment.\n\n"
        "## Rate limits\n\nAt most 120 requests a minute.\n\n"
        "### Bursts\n\n```bash\n## LIMIT\nexport LIMIT=120\n```\n\n"
        "## Paths\n\nWhere things lie.\n"
    ),
    "guide/index.md": "# Guide\n\nStart here.\n",
    "guide/first steps.md": "# First [steps]\n\nInstall the pelican.\n",
    "guide/deep/down/x.mdx": "import X from 'x'\n\n# Deep down\n\nA heron.\n",
    "größe.md": "# Größe\n\nUnicode.\n",
}


class Manual:
    """A tree, its library and index, and the server that offers both."""

    def __init__(
        self, root: Path, scanner: Scanner, *, is_indexed: bool = True, **settings: Any
    ) -> None:
        self.tree = DocsTree(root)
        for path, text in PAGES.items():
            self.tree.write(path, text)
        self.library = loaded(self.tree)
        self.index = FullText(None)
        if is_indexed:
            self.index.sync(PageSource(self.library.catalog))
        self.indexer = Indexer(self.index, lambda: PageSource(self.library.catalog))
        self.provider = DocsProvider(DocCollection.of(self.library), self.indexer)
        self.server = make_server(self.provider, **settings)
        self.library.listen(
            lambda before, after: partial(
                self.server.sessions.bus.publish, list_events(before, after)
            )
        )
        self.peer = DirectPeer("2026-07-28", server=self.server, scanner=scanner)

    def update(self) -> None:
        """Update library and index from the disk."""
        self.library.publish(self.library.scan())
        self.index.sync(PageSource(self.library.catalog))

    async def call(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """Call a tool that succeeds; return its structured content."""
        result = await self.peer.call(tool, **arguments)
        assert not result.get("isError"), result["content"]
        answer: dict[str, Any] = result["structuredContent"]
        return answer

    async def text(self, tool: str, /, **arguments: Any) -> str:
        """Call a tool that succeeds; return its text."""
        result = await self.peer.call(tool, **arguments)
        assert not result.get("isError"), result["content"]
        text: str = result["content"][0]["text"]
        return text

    async def failure(self, tool: str, /, **arguments: Any) -> str:
        """Call a tool that fails; return its error text."""
        result = await self.peer.call(tool, **arguments)
        assert result["isError"] is True
        assert "structuredContent" not in result
        item, *hints = result["content"]
        assert all(hint["text"].startswith("Did you mean: ") for hint in hints)
        text: str = item["text"]
        return text
