"""The three tools as authors of Python servers declare them, and server settings."""

from collections.abc import Callable
from typing import Any

import uvicorn
from article_folder import LIMIT, ArticleFolder


def offer(folder: ArticleFolder, tool: Callable[[Any], Any]) -> None:
    """Declare the tools with the decorator of an SDK."""

    async def list_articles(category: str | None = None, limit: int = LIMIT) -> str:
        """List the articles of this knowledge base with metadata, newest first."""
        return folder.list(category, limit)

    async def get_article(slug: str) -> str:
        """Get one article with its full Markdown text by its slug."""
        return folder.get(slug)

    async def search_articles(query: str, limit: int = LIMIT) -> str:
        """Search by keyword in titles, tags and descriptions, best match first."""
        return folder.search(query, limit)

    for declared in (list_articles, get_article, search_articles):
        tool(declared)


def serve(app: Any, port: int) -> None:
    """Serve in the fastest settings: uvloop and httptools, no logs."""
    uvicorn.run(
        app,
        host="127.0.0.1",
        port=port,
        loop="uvloop",
        http="httptools",
        log_level="critical",
        access_log=False,
    )
