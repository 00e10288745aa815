"""PostgreSQL's full-text search as an engine: what a store could answer by itself."""

from collections.abc import Sequence
from typing import Final, LiteralString

import psycopg

from benchmarks.retrieval.engines import Rankings
from benchmarks.retrieval.measures import DEPTH
from benchmarks.retrieval.pages import PeerPage, PreparedTree

MAX_CHARS: Final = 500_000
"""Characters of a page that are indexed: a `tsvector` has at most 1 MiB."""

_CREATE: Final = "CREATE TEMPORARY TABLE pages (path text, words tsvector)"
_INSERT: Final = (
    "INSERT INTO pages SELECT %s, setweight(to_tsvector('english', %s), 'A')"
    " || setweight(to_tsvector('english', %s), 'B') || to_tsvector('english', %s)"
)
_ANY_WORD: Final = "SELECT replace(plainto_tsquery('english', %s)::text, '&', '|')"
_SEARCH: Final[LiteralString] = (
    "SELECT path FROM pages, CAST(%s AS tsquery) AS query WHERE words @@ query"
    " ORDER BY ts_rank_cd(words, query, 1) DESC, path LIMIT %s"
)


def rank_postgres(url: str, tree: PreparedTree, queries: Sequence[str]) -> Rankings:
    """Rank the pages that have any word of a query by `ts_rank_cd`.

    Divided by the logarithm of the length: of its variants, the one that finds most.
    """
    with psycopg.connect(url) as connection, connection.cursor() as cursor:
        cursor.execute(_CREATE)
        cursor.executemany(_INSERT, map(_list_fields, tree.pages))
        rankings = []
        for query in queries:
            ((any_word,),) = cursor.execute(_ANY_WORD, (query,)).fetchall()
            found = cursor.execute(_SEARCH, (any_word, DEPTH)).fetchall()
            rankings.append([path for (path,) in found])
        connection.rollback()
        return rankings


def _list_fields(page: PeerPage) -> tuple[str, str, str, str]:
    """Return the path, title and path as words, what describes it, and the text."""
    names = page.path.replace("/", " ").replace("-", " ")
    heads = " ".join(section.heading for section in page.sections)
    text = " ".join(section.text for section in page.sections)
    fields = f"{page.title} {names}", f"{page.description} {heads}", text
    title, described, body = (each.replace("\0", "")[:MAX_CHARS] for each in fields)
    return page.path, title, described, body
