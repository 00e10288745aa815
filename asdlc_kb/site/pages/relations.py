"""Relations between visible articles: links, related ids and backlinks."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from threading import Lock
from typing import Literal, TypeAlias

from asdlc_kb.articles.article import Article
from asdlc_kb.articles.catalog import ArticleCatalog
from asdlc_kb.articles.links import locate
from asdlc_kb.markup.link_scanner import find_links

RelationReason: TypeAlias = Literal["related", "link"]

_WrittenNames: TypeAlias = tuple[Article, tuple[tuple[str, RelationReason], ...]]
"""An article, and the names that it states and links to."""


@dataclass(frozen=True, slots=True)
class Relation:
    """A reference from one article to another."""

    source: str
    target: str
    reason: RelationReason


@dataclass(frozen=True)
class Relations:
    """The relations of one catalog; articles by id, in the catalog's order."""

    all: tuple[Relation, ...]
    """Each pair once; `related` wins over a link."""
    names: Mapping[str, tuple[str, ...]]
    """Ids in the `relatedIds` of each article."""
    named_by: Mapping[str, tuple[str, ...]]
    """Backlinks: ids of the articles that refer to each article."""


class RelationReader:
    """Reads relations; an unchanged article is not read again.

    Thread-safe; calls are serialized.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._known: dict[str, _WrittenNames] = {}

    def read(self, catalog: ArticleCatalog) -> Relations:
        """Return the relations of a catalog; blocks, call it in a thread."""
        with self._lock:
            return self._read(catalog)

    def _read(self, catalog: ArticleCatalog) -> Relations:
        known: dict[str, _WrittenNames] = {}
        relations: dict[tuple[str, str], Relation] = {}
        for article in catalog.articles:
            before = self._known.get(article.id)
            if before is None or before[0] is not article:
                before = article, tuple(_find(article))
            known[article.id] = before
            for name, reason in before[1]:
                target = catalog.get_or_none(name)
                if target is not None and target is not article:
                    pair = article.id, target.id
                    relations.setdefault(pair, Relation(*pair, reason))
        self._known = known
        names: defaultdict[str, dict[str, None]] = defaultdict(dict)
        named_by: defaultdict[str, dict[str, None]] = defaultdict(dict)
        for relation in relations.values():
            if relation.reason == "related":
                names[relation.source][relation.target] = None
            named_by[relation.target][relation.source] = None
        return Relations(tuple(relations.values()), _freeze(names), _freeze(named_by))


def _find(article: Article) -> Iterator[tuple[str, RelationReason]]:
    for name in article.related:
        yield name, "related"
    for href in find_links(article.body):
        target = locate(article.id, href)
        if target is not None:
            yield target.id, "link"


def _freeze(
    lists: Mapping[str, Mapping[str, None]],
) -> Mapping[str, tuple[str, ...]]:
    return {id: tuple(named) for id, named in lists.items()}
