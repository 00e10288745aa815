"""Article pages: home, categories, tags, articles."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from threading import Lock
from urllib.parse import unquote

from asdlc_kb.articles.article import Article
from asdlc_kb.articles.catalog import ArticleCatalog
from asdlc_kb.articles.links import article_uri
from asdlc_kb.articles.sorting import date_key, sort_categories
from asdlc_kb.articles.status import ArticleStatus
from asdlc_kb.attachments.referenced_files import (
    NO_FILES,
    ReferencedFiles,
    ReferringText,
)
from asdlc_kb.markup.titles import readable_title
from asdlc_kb.site import urls
from asdlc_kb.site.layout import paging
from asdlc_kb.site.layout.frame import FilePlace, Link, PageLayout
from asdlc_kb.site.layout.texts import Texts
from asdlc_kb.site.pages.json_ld import describe_article
from asdlc_kb.site.pages.relations import RelationReader, Relations
from asdlc_kb.site.rendering.attachment_resolver import AttachmentResolver
from asdlc_kb.site.rendering.html_cache import HtmlCache, list_headings
from asdlc_kb.site.rendering.link_resolver import SiteLinks
from asdlc_kb.site.rendering.long_text import cut_long_text
from asdlc_kb.site.rendering.markdown import body_of
from asdlc_kb.site.rendering.summary import find_picture
from asdlc_kb.site.representation import Representation

NEWEST = 6
"""Newest articles on the home page."""
MAX_TITLES = 24
"""Titles of a category on the home page."""
MAX_TAGS = 500
"""Tags on one page of their list: their entries are small."""


@dataclass(frozen=True, slots=True)
class CategoryPage:
    """A category as a list."""

    name: str
    title: str
    address: str
    articles: tuple[Article, ...]


class ArticleUrls:
    """The addresses of one catalog, and the data of its pages. Immutable."""

    def __init__(
        self,
        catalog: ArticleCatalog,
        relation_reader: RelationReader,
        files: ReferencedFiles = NO_FILES,
    ) -> None:
        self.catalog = catalog
        self.files = files
        """The attachments of its articles."""
        self._relation_reader = relation_reader
        self._relations: Relations | None = None
        self._lock = Lock()
        lists: defaultdict[str, list[Article]] = defaultdict(list)
        for article in catalog.articles:
            lists[article.category].append(article)
        self.categories: tuple[CategoryPage, ...] = tuple(
            CategoryPage(
                name, readable_title(name), urls.of_category(name), tuple(lists[name])
            )
            for name in sorted(catalog.categories, key=_sort_titles)
        )
        self.by_address: Mapping[str, Article] = {
            urls.of_article(article): article for article in catalog.articles
        }

    def find_in_any_case(self, address: str) -> str:
        """Return the only address of an article or category that differs in case.

        Empty if there is none.
        """
        found = self._by_folded.get(_fold(address), ())
        return found[0] if len(found) == 1 and found[0] != address else ""

    @cached_property
    def _by_folded(self) -> Mapping[str, list[str]]:
        """Addresses by what they are in any case."""
        folded: dict[str, list[str]] = {}
        for where in (*self.by_address, *(each.address for each in self.categories)):
            folded.setdefault(_fold(where), []).append(where)
        return folded

    @property
    def relations(self) -> Relations:
        """Relations of the articles; computed by the first caller, others wait."""
        with self._lock:
            if self._relations is None:
                self._relations = self._relation_reader.read(self.catalog)
            return self._relations

    @cached_property
    def tags(self) -> Mapping[str, tuple[str, tuple[Article, ...]]]:
        """Each tag in its first spelling and its articles, by the tag's address."""
        tags: dict[str, tuple[str, list[Article]]] = {}
        for article in self.catalog.articles:
            for where, tag in _place_tags(article).items():
                tags.setdefault(where, (tag, []))[1].append(article)
        return {
            where: (tag, tuple(articles))
            for where, (tag, articles) in sorted(tags.items())
        }

    @cached_property
    def neighbours(self) -> Mapping[str, tuple[Article | None, Article | None]]:
        """The newer and the older article in the same category, by id."""
        neighbours: dict[str, tuple[Article | None, Article | None]] = {}
        for category in self.categories:
            pairs = paging.find_neighbours(
                category.articles, lambda article: article.id
            )
            neighbours |= pairs
        return neighbours

    @cached_property
    def navigation(self) -> tuple[Link, ...]:
        """The categories, for every page's header."""
        return tuple(
            Link(category.address, category.title) for category in self.categories
        )


@dataclass(frozen=True, slots=True)
class ArticlePages:
    """Renders the pages of articles. Blocks: use it in a thread."""

    frame: PageLayout
    rendering: HtmlCache
    folder: str = ""
    """Name of the served folder."""

    def home(self, view: ArticleUrls) -> Representation:
        """Return the home page."""
        identity = self.frame.identity
        return self.frame.make(
            "home.html",
            urls.HOME,
            title=identity.title,
            description=identity.tagline,
            navigation=view.navigation,
            mark=mark_status,
            categories=view.categories,
            newest=pick_newest(view.categories),
            name_category=readable_title,
            max_titles=MAX_TITLES,
            total=len(view.catalog.articles),
        )

    def category(
        self, view: ArticleUrls, category: CategoryPage, number: int
    ) -> Representation:
        """Return a page of the list of a category."""
        part = paging.paginate(category.articles, category.address, number)
        number_of_articles = count_articles(self.frame.find_texts(), part.total)
        text = f"{category.title}: {number_of_articles}"
        return self._list(view, part, category.title, text)

    def tag(self, view: ArticleUrls, where: str, number: int) -> Representation:
        """Return a page of the list of the tag at an address."""
        tag, articles = view.tags[where]
        part = paging.paginate(articles, where, number)
        description = self.frame.find_texts()("Articles about {tag}", tag=tag)
        return self._list(view, part, tag, description)

    def tags(self, view: ArticleUrls, number: int) -> Representation:
        """Return a page of the list of tags."""
        tags = [
            (Link(where, tag), len(articles))
            for where, (tag, articles) in view.tags.items()
        ]
        part = paging.paginate(tags, urls.TAGS, number, page_size=MAX_TAGS)
        text = self.frame.find_texts()
        return self.frame.make(
            "tags.html",
            part.path,
            title=part.page_title(text("Tags"), text),
            description=self.frame.identity.tagline,
            navigation=view.navigation,
            part=part,
        )

    def _list(
        self,
        view: ArticleUrls,
        part: paging.ListPart[Article],
        title: str,
        description: str,
    ) -> Representation:
        """Return a page of the list of a category or tag."""
        is_tag, text = part.where in view.tags, self.frame.find_texts()
        return self.frame.make(
            "list.html",
            part.path,
            title=part.page_title(title, text),
            heading=title,
            description=description,
            navigation=view.navigation,
            eyebrow=text("Tags") if is_tag else text("Category"),
            count_articles=count_articles,
            name_category=readable_title,
            part=part,
            with_category=is_tag,
        )

    def article(
        self, view: ArticleUrls, article: Article, links: SiteLinks
    ) -> Representation:
        """Return the page of an article."""
        where = urls.of_article(article)
        prefix = self.frame.identity.prefix
        files = view.files.open_text(ReferringText.of(f"{article.id}.md", article.body))
        attachments = AttachmentResolver(
            files, lambda name: f"{prefix}{urls.of_attachment(name)}"
        )
        body = body_of(article)
        shown = cut_long_text(body)
        html, awaited = self.rendering.render(
            shown,
            attachments.wrap(links.of_article(article)),
            attachments.find_picture,
        )
        newer, older = view.neighbours[article.id]
        relations = view.relations
        category = readable_title(article.category)
        return self.frame.make(
            "article.html",
            where,
            title=article.title,
            description=article.description,
            navigation=view.navigation,
            mark=mark_status,
            # Hidden articles have no other representation than the page.
            alternate=urls.as_markdown(where) if article.status.is_visible else "",
            document=find_uri(view.catalog, article),
            article=article,
            crumbs=(Link(urls.of_category(article.category), category),),
            is_experimental=article.status is ArticleStatus.EXPERIMENTAL,
            data=describe_article(article, self.frame.identity, category),
            html=html,
            is_plain=html.is_plain and awaited is None,
            is_cut=len(shown) < len(body),
            picture=find_picture(html.text),
            headings=list_headings(html),
            related=_pick(view, relations.names.get(article.id, ())),
            backlinks=_pick(view, relations.named_by.get(article.id, ())),
            edit=self.frame.identity.edit(self._place(article)),
            successors=_pick(view, article.superseded_by),
            newer=newer,
            older=older,
            awaited=awaited,
            files=files,
        )

    def _place(self, article: Article) -> FilePlace:
        """Return where the file of an article is."""
        path = f"{article.id}.md"
        file = f"{self.folder}/{path}" if self.folder else path
        return FilePlace(self.folder, path, file)


def _fold(address: str) -> str:
    return unquote(address).casefold()


def _sort_titles(category: str) -> tuple[int, str, str]:
    """Return a category's sort key: as in other lists, but by the title shown."""
    leading, name = sort_categories(category)
    return leading, readable_title(name).casefold(), name


def pick_newest(categories: Sequence[CategoryPage]) -> tuple[Article, ...]:
    """Return the newest articles; of one day, the first of each category in turn."""
    ranked = [
        (date_key(day), rank, order, article)
        for order, category in enumerate(categories)
        for day, articles in groupby(
            category.articles[:NEWEST], key=lambda each: each.last_updated
        )
        for rank, article in enumerate(articles)
    ]
    ranked.sort(key=lambda each: each[:3])
    return tuple(article for *_, article in ranked[:NEWEST])


def _place_tags(article: Article) -> Mapping[str, str]:
    """Return an article's tags by address; the first of those that share one."""
    return {urls.of_tag(tag): tag for tag in reversed(article.tags)}


def count_articles(text: Texts, count: int) -> str:
    """Return a number of articles in words."""
    if count == 1:
        return text("1 article")
    return text("{count} articles", count=f"{count:,}")


def find_uri(catalog: ArticleCatalog, article: Article) -> str:
    """Return the resource URI of a visible article; nothing for a hidden one."""
    is_visible = article.status.is_visible
    return article_uri(catalog.name(article)) if is_visible else ""


def mark_status(article: Article) -> str:
    """Return the status suffix of a hidden article's title, for its author."""
    return "" if article.status.is_visible else f" ({article.status})"


def _pick(view: ArticleUrls, names: Sequence[str]) -> tuple[Article, ...]:
    """Return the visible articles among the named ones."""
    articles = (view.catalog.get_or_none(name) for name in names)
    return tuple(article for article in articles if article is not None)
