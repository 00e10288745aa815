"""Lookup of articles by names as models write them, and suggestion of near names.

Accepted: the resource URI, a path with or without `.md`, the address of its page on
the website, the title, an alias, a former address, and all of them in another case.
"""

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import NamedTuple, Self

from asdlc_kb.articles.article import Article
from asdlc_kb.articles.links import URI_PREFIX
from asdlc_kb.unicode.near_names import NearNames
from asdlc_kb.unicode.written_paths import (
    Titles,
    find_titled,
    index_titles,
    read_paths,
)

_SUFFIXES = (".md", ".html", ".htm")


def list_exact_names(written: str) -> Iterator[str]:
    """Yield the `slug` or `category/slug` that a name can stand for, the name first."""
    yield written
    for path in read_paths(written, URI_PREFIX):
        yield path
        parts = [part for part in path.split("/") if part not in ("", ".")]
        if ".." in parts:
            continue
        name = "/".join(parts[-2:]).removesuffix("~")
        suffix = next((s for s in _SUFFIXES if name.lower().endswith(s)), "")
        yield name[: len(name) - len(suffix)]


class NamedArticle(NamedTuple):
    """The names of a visible article."""

    name: str
    """The shortest unambiguous one."""
    id: str
    title: str
    aliases: tuple[str, ...] = ()
    former_addresses: tuple[str, ...] = ()

    @classmethod
    def of(cls, article: Article, name: str) -> Self:
        """Return the names of an article; `name` is the shortest of them."""
        return cls(
            name, article.id, article.title, article.aliases, article.former_addresses
        )

    @property
    def slug(self) -> str:
        """The name in its category."""
        return self.id.partition("/")[2]


class ArticleNames:
    """The names of a catalog's articles in one case, built on first use."""

    def __init__(self, articles: Iterable[NamedArticle]) -> None:
        """Use the visible articles."""
        self._articles = tuple(articles)

    def find(self, written: str) -> tuple[str, ...]:
        """Return the ids that a name in any case, a title or an alias can stand for."""
        for name in list_exact_names(written):
            if found := find_titled(self._by_fold, name):
                return found
        if found := find_titled(self._by_alias, written):
            return found
        return self.find_former(written)

    def find_former(self, written: str) -> tuple[str, ...]:
        """Return the ids of the articles that had a name or address before.

        A name that an article has now is not a former one.
        """
        for name in list_exact_names(written):
            if found := find_titled(self._by_former, name):
                return () if find_titled(self._by_fold, name) else found
        return ()

    def find_near(self, written: str) -> tuple[str, ...]:
        """Return the names most similar to one that was not found; blocks."""
        *_, bare = list_exact_names(written)
        return self._near.find(bare.rpartition("/")[2])

    @property
    def is_near_indexed(self) -> bool:
        """Whether similar names are found without building their index first."""
        return "_near" in vars(self)

    @cached_property
    def _by_fold(self) -> Titles:
        return index_titles(
            (name, id)
            for article in self._articles
            for id in (article.id,)
            for name in (id, article.slug, article.title)
        )

    @cached_property
    def _by_alias(self) -> Titles:
        return index_titles(
            (alias, article.id)
            for article in self._articles
            for alias in article.aliases
        )

    @cached_property
    def _by_former(self) -> Titles:
        return index_titles(
            (name, article.id)
            for article in self._articles
            for address in article.former_addresses
            for name in _list_former_names(address)
        )

    @cached_property
    def _near(self) -> NearNames:
        named = ((article.title, article.name) for article in self._articles)
        return NearNames(named, lambda title, name: (name.rpartition("/")[2], title))


def _list_former_names(address: str) -> set[str]:
    """Return `category/slug` and `slug` of a former address."""
    *_, name = list_exact_names(address)
    return {name, name.rpartition("/")[2]}
