"""A simple Python server as a peer: everything parsed into memory."""

import sys
from pathlib import Path
from typing import Any

import orjson
import yaml  # noqa: TID251 - the fast reader that this author has

LIMIT = 50


class ArticleFolder:
    """The articles of a folder; every answer is the text of a tool's result."""

    def __init__(self, root: Path) -> None:
        articles = [_read(path) for path in root.glob("*/*.md")]
        articles.sort(key=lambda article: article["slug"])
        articles.sort(key=lambda article: article["lastUpdated"], reverse=True)
        self._whole = {article["slug"]: article for article in articles}
        self._rows = [
            {name: value for name, value in article.items() if name != "content"}
            for article in articles
        ]

    def list(self, category: str | None, limit: int) -> str:
        """Return metadata, newest first."""
        rows = [
            row for row in self._rows if category is None or row["category"] == category
        ]
        return _text(rows[:limit])

    def get(self, slug: str) -> str:
        """Return one whole article."""
        return _text(self._whole[slug])

    def search(self, query: str, limit: int) -> str:
        """Return the articles that contain the query, best first."""
        return _text(search(self._rows, query)[:limit])


def search(rows: list[dict[str, Any]], query: str) -> list[dict[str, Any]]:
    """Return rows by the naive loop: title 3, tags 2, description 1, in given order."""
    folded = query.lower()
    hits = []
    for position, row in enumerate(rows):
        score = (
            3 * (folded in row["title"].lower())
            + 2 * any(folded in tag.lower() for tag in row["tags"])
            + (folded in row["description"].lower())
        )
        if score:
            hits.append((-score, position))
    hits.sort()
    return [rows[position] for _, position in hits]


def arguments() -> tuple[ArticleFolder, int]:
    """Return the articles and the port of the command line."""
    return ArticleFolder(Path(sys.argv[1])), int(sys.argv[2])


def _read(path: Path) -> dict[str, Any]:
    _, head, body = path.read_text(encoding="utf-8").split("---\n", 2)
    fields = yaml.load(head, yaml.CSafeLoader)
    fields["lastUpdated"] = fields["lastUpdated"].isoformat()
    names = {"slug": path.stem, "category": path.parent.name}
    return {**names, **fields, "content": body}


def _text(value: object) -> str:
    return orjson.dumps(value).decode()
