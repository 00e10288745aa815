"""The pages of articles: home, categories, tags, articles."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from threading import Lock

from asdlc_kb.articles.article import Article
from asdlc_kb.articles.catalog import ArticleCatalog
from asdlc_kb.articles.status import ArticleStatus
from asdlc_kb.site import urls
from asdlc_kb.site.layout import paging
from asdlc_kb.site.layout.frame import Link, PageLayout
from asdlc_kb.site.layout.paging import ListPart
from asdlc_kb.site.layout.prev_next import find_neighbours
from asdlc_kb.site.pages.json_ld import describe_article
from asdlc_kb.site.pages.relations import RelationReader, Relations
from asdlc_kb.site.rendering.html_cache import HtmlCache, list_headings
from asdlc_kb.site.rendering.link_resolver import article_link_resolver
from asdlc_kb.site.rendering.markdown import body_of
from asdlc_kb.site.representation import Representation

NEWEST = 6
"""Articles that the home page shows first."""
MAX_TAGS = 500
"""Tags of one part of their list: they are small."""


@dataclass(frozen=True, slots=True)
class CategoryPage:
    """A category as a list."""

    name: str
    title: str
    address: str
    articles: tuple[Article, ...]


class ArticleUrls:
    """The addresses of one catalog, and what its pages are made from. Immutable."""

    def __init__(self, catalog: ArticleCatalog, relator: RelationReader) -> None:
        self.catalog = catalog
        self._relator = relator
        self._relations: Relations | None = None
        self._lock = Lock()
        lists: defaultdict[str, list[Article]] = defaultdict(list)
        for article in catalog.articles:
            lists[article.category].append(article)
        self.categories: tuple[CategoryPage, ...] = tuple(
            CategoryPage(
                name, make_title(name), urls.of_category(name), tuple(lists[name])
            )
            for name in catalog.categories
        )
        self.by_address: Mapping[str, Article] = {
            urls.of_article(article): article for article in catalog.articles
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

    def __init__(
        self, frame: PageLayout, rendering: HtmlCache, folder: str = ""
    ) -> None:
        """Make pages of a folder of this name."""
        self._folder = folder
        self._frame = frame
        self._rendering = rendering

    def find(self, shelf: ArticleUrls, path: str) -> Representation | None:
        """Return the page at an address; blocks, belongs into a thread."""
        places, number = paging.parse_part(path)
        for where in places:
            if (page := self._find_list(shelf, where, number)) is not None:
                return page
        if (article := shelf.by_address.get(path)) is not None:
            return self._article(shelf, article)
        return None

    def addresses(self, shelf: ArticleUrls) -> Iterator[str]:
        """Yield every address that `find` knows."""
        for category in shelf.categories:
            yield from paging.list_parts(category.address, len(category.articles))
        yield from shelf.by_address
        yield from paging.list_parts(urls.TAGS, len(shelf.tags), most=MAX_TAGS)
        for where, (_, articles) in shelf.tags.items():
            yield from paging.list_parts(where, len(articles))

    def home(self, shelf: ArticleUrls, path: str = urls.HOME) -> Representation:
        """Return the home page."""
        identity = self._frame.identity
        return self._frame.make(
            "home.html",
            path,
            title=identity.title,
            description=identity.tagline,
            navigation=shelf.navigation,
            mark=mark_status,
            categories=shelf.categories,
            newest=shelf.catalog.articles[:NEWEST],
            total=len(shelf.catalog.articles),
        )

    def _find_list(
        self, shelf: ArticleUrls, where: str, number: int
    ) -> Representation | None:
        """Return a part of the list at an address."""
        if where == urls.TAGS:
            return self._tags(shelf, number)
        if where in shelf.tags:
            tag, articles = shelf.tags[where]
            part = paging.paginate(articles, where, number)
            return self._list(shelf, part, tag, f"Articles about {tag}")
        for category in shelf.categories:
            if where == category.address:
                part = paging.paginate(category.articles, where, number)
                count = len(category.articles)
                words = "article" if count == 1 else "articles"
                said = f"{count} {words} on {category.title.lower()}"
                return self._list(shelf, part, category.title, said)
        return None

    def _list(
        self,
        shelf: ArticleUrls,
        part: ListPart[Article] | None,
        title: str,
        description: str,
    ) -> Representation | None:
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

    def _tags(self, shelf: ArticleUrls, number: int) -> Representation | None:
        tags = [
            (Link(where, tag), len(articles))
            for where, (tag, articles) in shelf.tags.items()
        ]
        part = paging.paginate(tags, urls.TAGS, number, most=MAX_TAGS)
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

    def _article(self, shelf: ArticleUrls, article: Article) -> Representation:
        where = urls.of_article(article)
        prefix = self._frame.identity.prefix
        html, awaited = self._rendering.render(
            f"article {prefix} {article.category}",
            body_of(article),
            lambda href: article_link_resolver(article, href, prefix),
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
            mark=mark_status,
            # Of what nobody else may see there is nothing but the page.
            alternate=urls.as_markdown(where) if article.status.is_visible else "",
            article=article,
            category=category,
            is_experimental=article.status is ArticleStatus.EXPERIMENTAL,
            data=describe_article(article, self._frame.identity, category),
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
    return {urls.of_tag(tag): tag for tag in reversed(article.tags)}


def mark_status(article: Article) -> str:
    """Return what is said of an article behind its title where only its author is."""
    return "" if article.status.is_visible else f" ({article.status})"


def make_title(category: str) -> str:
    """Return a category's name as a heading."""
    words = category.replace("-", " ").replace("_", " ").strip()
    return words[:1].upper() + words[1:] or category


def _pick(shelf: ArticleUrls, names: Sequence[str]) -> tuple[Article, ...]:
    """Return the visible ones of named articles."""
    found = (shelf.catalog.pick(name) for name in names)
    return tuple(article for article in found if article is not None)
