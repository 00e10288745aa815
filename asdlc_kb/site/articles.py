"""The pages of articles: home, categories, tags, articles."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from threading import Lock

from asdlc_kb.articles.article import Article
from asdlc_kb.articles.catalog import Catalog
from asdlc_kb.articles.status import Status
from asdlc_kb.site import address, paging
from asdlc_kb.site.frame import Frame, Link
from asdlc_kb.site.linked_data import describe
from asdlc_kb.site.links import follow_article
from asdlc_kb.site.markdown import body_of
from asdlc_kb.site.neighbours import find_neighbours
from asdlc_kb.site.page import Page
from asdlc_kb.site.paging import Part
from asdlc_kb.site.relations import Relations, Relator
from asdlc_kb.site.rendering import Rendering, list_headings

NEWEST = 6
"""Articles that the home page shows first."""
MOST_TAGS = 500
"""Tags of one part of their list: they are small."""


@dataclass(frozen=True, slots=True)
class Category:
    """A category as a list."""

    name: str
    title: str
    address: str
    articles: tuple[Article, ...]


class ArticleShelf:
    """The addresses of one catalog, and what its pages are made from. Immutable."""

    def __init__(self, catalog: Catalog, relator: Relator) -> None:
        self.catalog = catalog
        self._relator = relator
        self._relations: Relations | None = None
        self._lock = Lock()
        lists: defaultdict[str, list[Article]] = defaultdict(list)
        for article in catalog.articles:
            lists[article.category].append(article)
        self.categories: tuple[Category, ...] = tuple(
            Category(
                name, make_title(name), address.of_category(name), tuple(lists[name])
            )
            for name in catalog.categories
        )
        self.by_address: Mapping[str, Article] = {
            address.of_article(article): article for article in catalog.articles
        }

    @property
    def relations(self) -> Relations:
        """What names what; who asks first reads it, and others wait for that."""
        with self._lock:
            if self._relations is None:
                self._relations = self._relator.read(self.catalog)
            return self._relations

    @cached_property
    def tags(self) -> Mapping[str, tuple[str, tuple[Article, ...]]]:
        """Each tag as it is written first and its articles, by the tag's address."""
        found: dict[str, tuple[str, list[Article]]] = {}
        for article in self.catalog.articles:
            for where, tag in _place_tags(article).items():
                found.setdefault(where, (tag, []))[1].append(article)
        return {
            where: (tag, tuple(articles))
            for where, (tag, articles) in sorted(found.items())
        }

    @cached_property
    def neighbours(self) -> Mapping[str, tuple[Article | None, Article | None]]:
        """What is newer and older than each article in its category, by its id."""
        found: dict[str, tuple[Article | None, Article | None]] = {}
        for category in self.categories:
            pairs = find_neighbours(category.articles, lambda article: article.id)
            found |= pairs
        return found

    @cached_property
    def navigation(self) -> tuple[Link, ...]:
        """The categories, for every page's header."""
        return tuple(
            Link(category.address, category.title) for category in self.categories
        )


class ArticlePages:
    """Makes the pages of a shelf."""

    def __init__(self, frame: Frame, rendering: Rendering, folder: str = "") -> None:
        """Make pages of a folder of this name."""
        self._folder = folder
        self._frame = frame
        self._rendering = rendering

    def find(self, shelf: ArticleShelf, path: str) -> Page | None:
        """Return the page at an address; blocks, belongs into a thread."""
        places, number = paging.read(path)
        for where in places:
            if (page := self._find_list(shelf, where, number)) is not None:
                return page
        if (article := shelf.by_address.get(path)) is not None:
            return self._article(shelf, article)
        return None

    def addresses(self, shelf: ArticleShelf) -> Iterator[str]:
        """Yield every address that `find` knows."""
        for category in shelf.categories:
            yield from paging.list_parts(category.address, len(category.articles))
        yield from shelf.by_address
        yield from paging.list_parts(address.TAGS, len(shelf.tags), most=MOST_TAGS)
        for where, (_, articles) in shelf.tags.items():
            yield from paging.list_parts(where, len(articles))

    def home(self, shelf: ArticleShelf, path: str = address.HOME) -> Page:
        """Return the home page."""
        identity = self._frame.identity
        return self._frame.make(
            "home.html",
            path,
            title=identity.title,
            description=identity.tagline,
            navigation=shelf.navigation,
            mark=mark,
            categories=shelf.categories,
            newest=shelf.catalog.articles[:NEWEST],
            total=len(shelf.catalog.articles),
        )

    def _find_list(self, shelf: ArticleShelf, where: str, number: int) -> Page | None:
        """Return a part of the list at an address."""
        if where == address.TAGS:
            return self._tags(shelf, number)
        if where in shelf.tags:
            tag, articles = shelf.tags[where]
            part = paging.divide(articles, where, number)
            return self._list(shelf, part, tag, f"Articles about {tag}")
        for category in shelf.categories:
            if where == category.address:
                part = paging.divide(category.articles, where, number)
                count = len(category.articles)
                words = "article" if count == 1 else "articles"
                said = f"{count} {words} on {category.title.lower()}"
                return self._list(shelf, part, category.title, said)
        return None

    def _list(
        self,
        shelf: ArticleShelf,
        part: Part[Article] | None,
        title: str,
        description: str,
    ) -> Page | None:
        """Return a part of a category's list or of a tag's, if there is this one."""
        if part is None:
            return None
        is_tag = part.where in shelf.tags
        return self._frame.make(
            "list.html",
            part.path,
            title=part.entitle(title),
            heading=title,
            description=description,
            navigation=shelf.navigation,
            eyebrow="Tag" if is_tag else "Category",
            part=part,
            with_category=is_tag,
        )

    def _tags(self, shelf: ArticleShelf, number: int) -> Page | None:
        tags = [
            (Link(where, tag), len(articles))
            for where, (tag, articles) in shelf.tags.items()
        ]
        part = paging.divide(tags, address.TAGS, number, most=MOST_TAGS)
        if part is None:
            return None
        return self._frame.make(
            "tags.html",
            part.path,
            title=part.entitle("Tags"),
            description="Every tag, and how many articles have it",
            navigation=shelf.navigation,
            part=part,
        )

    def _article(self, shelf: ArticleShelf, article: Article) -> Page:
        where = address.of_article(article)
        prefix = self._frame.identity.prefix
        html, awaited = self._rendering.render(
            f"article {prefix} {article.category}",
            body_of(article),
            lambda href: follow_article(article, href, prefix),
        )
        newer, older = shelf.neighbours[article.id]
        relations = shelf.relations
        category = make_title(article.category)
        page = self._frame.make(
            "article.html",
            where,
            title=article.title,
            description=article.description,
            navigation=shelf.navigation,
            mark=mark,
            # Of what nobody else may see there is nothing but the page.
            alternate=address.as_markdown(where) if article.status.is_visible else "",
            article=article,
            category=category,
            is_experimental=article.status is Status.EXPERIMENTAL,
            data=describe(article, self._frame.identity, category),
            html=html,
            headings=list_headings(html),
            related=_pick(shelf, relations.names.get(article.id, ())),
            backlinks=_pick(shelf, relations.named_by.get(article.id, ())),
            edit=self._frame.identity.edit(self._folder, f"{article.id}.md"),
            successors=_pick(shelf, article.superseded_by),
            newer=newer,
            older=older,
        )
        return replace(page, awaited=awaited)


def _place_tags(article: Article) -> Mapping[str, str]:
    """Return an article's tags by their addresses; of two with one, the first."""
    return {address.of_tag(tag): tag for tag in reversed(article.tags)}


def mark(article: Article) -> str:
    """Return what is said of an article behind its title where only its author is."""
    return "" if article.status.is_visible else f" ({article.status})"


def make_title(category: str) -> str:
    """Return a category's name as a heading."""
    words = category.replace("-", " ").replace("_", " ").strip()
    return words[:1].upper() + words[1:] or category


def _pick(shelf: ArticleShelf, names: Sequence[str]) -> tuple[Article, ...]:
    """Return the visible ones of named articles."""
    found = (shelf.catalog.pick(name) for name in names)
    return tuple(article for article in found if article is not None)
