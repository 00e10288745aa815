"""The visible articles of one snapshot: lookup, lists, keyword search, completion.

Immutable: a request uses one catalog from start to end. Only visible articles are in
its lists and indexes, so callers cannot show a hidden one.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from copy import copy
from functools import cached_property, partial
from operator import itemgetter
from threading import Lock
from typing import Final, Literal, TypeAlias

from asdlc_kb.articles.article import Article, Unreadable
from asdlc_kb.articles.article_filter import ArticleQuery, find_category
from asdlc_kb.articles.keyword_search import KeywordSearch
from asdlc_kb.articles.schema import ArticleFields
from asdlc_kb.articles.sorting import sort_categories
from asdlc_kb.articles.status import VISIBLE
from asdlc_kb.articles.visible_articles import (
    ArticlesById,
    Selection,
    VisibleArticles,
    count_again,
    list_tags,
    names_of,
)
from asdlc_kb.articles.written_names import (
    ArticleNames,
    NamedArticle,
    list_exact_names,
)
from asdlc_kb.exceptions import (
    ArticleAmbiguous,
    ArticleNotFound,
    ArticleUnreadable,
    UnknownCategory,
)
from asdlc_kb.files.snapshot import CachedFile, Snapshot, find_changed_paths
from asdlc_kb.search.name_completion import CompletionItem, NameCompletion
from asdlc_kb.search.synonyms import NO_SYNONYMS, Synonyms

Mode: TypeAlias = Literal["auto", "keyword", "fulltext"]
"""The search mode."""

MIN_REBUILD_FILES: Final = 500
"""Changed files up to which a catalog is always made from the one before; of a large
folder up to a twentieth. With more it is faster to make a new one."""


class ArticleCatalog:
    """The visible articles of a snapshot."""

    def __init__(
        self,
        snapshot: Snapshot[ArticleFields],
        *,
        includes_hidden: bool = False,
        visible: VisibleArticles | None = None,
        synonyms: Synonyms = NO_SYNONYMS,
    ) -> None:
        """Index the visible articles, or with `includes_hidden` hidden ones too.

        `visible` has them, if they are known.
        """
        self._includes_hidden = includes_hidden
        self._synonyms = synonyms
        if visible is None:
            visible = VisibleArticles.of(self._list_visible(snapshot.entries))
        self.visible = visible
        """The same object in later catalogs while no visible article changes."""
        self.generation = snapshot.generation
        """The number of the snapshot in which what clients can see last changed."""
        self.articles: tuple[Article, ...] = visible.articles
        """The visible articles: newest first, then by category, then by slug."""
        self.categories: tuple[str, ...] = tuple(
            sorted(visible.by_category, key=sort_categories)
        )
        """The categories with a visible article, sorted."""
        self._index_lock = Lock()
        self._set_snapshot(snapshot)

    def _set_snapshot(self, snapshot: Snapshot[ArticleFields]) -> None:
        """Set the snapshot, and what depends on hidden files."""
        self.snapshot = snapshot
        self.hidden_count = len(snapshot.entries) - len(self.articles)
        self.by_id = ArticlesById(
            snapshot.entries, self.articles, includes_hidden=self._includes_hidden
        )
        """The visible articles by id."""

    def _list_visible(
        self, entries: Mapping[str, CachedFile[ArticleFields]]
    ) -> Sequence[Article]:
        values = [entry.value for entry in entries.values()]
        articles = [value for value in values if isinstance(value, Article)]
        if self._includes_hidden:
            return articles
        return [article for article in articles if article.status in VISIBLE]

    def updated(self, snapshot: Snapshot[ArticleFields]) -> "ArticleCatalog":
        """Return the catalog of a later snapshot; blocks, call it in a thread.

        It shares what the changed files do not concern: if all are hidden, everything
        that clients can see, so that response times do not reveal the edit (D-293).
        """
        paths = find_changed_paths(self.snapshot, snapshot)
        make = partial(
            ArticleCatalog,
            includes_hidden=self._includes_hidden,
            synonyms=self._synonyms,
        )
        if len(paths) > max(MIN_REBUILD_FILES, len(snapshot.entries) // 20):
            later = make(snapshot)
            if self.is_indexed:
                later.precompute()
            return later
        later = copy(self)
        later._set_snapshot(snapshot)
        if self.by_id.describe(paths) != later.by_id.describe(paths):
            removed, added = self.by_id.select(paths), later.by_id.select(paths)
            later = make(snapshot, visible=self.visible.updated(removed, added))
            self._share_visible(later, removed, added)
        self._share_files(later, paths)
        return later

    def _share_files(self, later: "ArticleCatalog", paths: Set[str]) -> None:
        """Give a later catalog what was computed of all files, updated."""
        own, shared = vars(self), vars(later)
        before, after = self.snapshot.entries, later.snapshot.entries
        if "_files_by_folder" in own:
            shared["_files_by_folder"] = count_again(
                self._files_by_folder,
                map(_folder_of, filter(before.__contains__, paths)),
                map(_folder_of, filter(after.__contains__, paths)),
            )
        entries = (e[path] for e in (before, after) for path in paths if path in e)
        is_same = not any(isinstance(entry.value, Unreadable) for entry in entries)
        if is_same and "_unreadable" in own:
            shared["_unreadable"] = self._unreadable

    def _share_visible(
        self,
        later: "ArticleCatalog",
        removed: Sequence[Article],
        added: Sequence[Article],
    ) -> None:
        """Give a later catalog what was computed of visible articles, updated."""
        own, shared = vars(self), vars(later)
        if "_keywords" in own:
            shared["_keywords"] = self._keywords.updated(later.articles, removed, added)
        if "tag_counts" in own:
            shared["tag_counts"] = count_again(
                self.tag_counts, list_tags(removed), list_tags(added)
            )
        if "digests" in own:
            digests = dict(self.digests)
            for article in removed:
                if article.id not in later.by_id:
                    del digests[article.id]
            digests |= later.list_digests(added)
            shared["digests"] = digests
        if set(map(names_of, removed)) == set(map(names_of, added)):
            if "_written" in own:
                shared["_written"] = own["_written"]

    @property
    def is_indexed(self) -> bool:
        """Whether the keyword index is built: else the first search blocks."""
        return "_keywords" in vars(self)

    def precompute(self) -> None:
        """Build the keyword index, once; blocks, call it in a thread."""
        with self._index_lock:
            _ = self._keywords, self.tag_counts, self.folders, self._unreadable

    def count(self) -> Mapping[str, int]:
        """Return the number of visible and of hidden articles."""
        return {"articles": len(self.articles), "hidden": self.hidden_count}

    @property
    def is_outdated(self) -> bool:
        """Whether it changes by itself: an article does not."""
        return False

    @cached_property
    def statuses(self) -> Mapping[str, int]:
        """Number of articles for each visible status."""
        counted = Counter(article.status for article in self.articles)
        return {status.value: counted[status] for status in sorted(VISIBLE)}

    @property
    def category_counts(self) -> Mapping[str, int]:
        """Number of visible articles for each category."""
        return self.visible.by_category

    @cached_property
    def tag_counts(self) -> Mapping[str, int]:
        """Number of visible articles for each tag, as it is written."""
        return Counter(list_tags(self.articles))

    @property
    def folders(self) -> Set[str]:
        """The folders with files, visible or not."""
        return self._files_by_folder.keys()

    @cached_property
    def _files_by_folder(self) -> Mapping[str, int]:
        return Counter(map(_folder_of, self.snapshot.entries))

    @cached_property
    def _unreadable(self) -> frozenset[str]:
        """The names of files that break the schema."""
        values = (entry.value for entry in self.snapshot.entries.values())
        broken = (value for value in values if isinstance(value, Unreadable))
        return frozenset(name for b in broken for name in (b.slug, b.id))

    @cached_property
    def _keywords(self) -> KeywordSearch:
        return KeywordSearch.of(self.articles)

    @cached_property
    def digests(self) -> Mapping[str, bytes]:
        """The digest of each visible article's file, by the article's id."""
        return self.list_digests(self.articles)

    def list_digests(self, articles: Iterable[Article]) -> dict[str, bytes]:
        """Return the digests of the files of visible articles, by id."""
        entries = self.snapshot.entries
        return {id: entries[f"{id}.md"].digest for id in (a.id for a in articles)}

    def has_digest(self, id: str, digest: bytes) -> bool:
        """Whether the file of a visible article has this digest."""
        return id in self.by_id and self.snapshot.entries[f"{id}.md"].digest == digest

    def find(self, name: str) -> Article:
        """Return the visible article called `slug` or `category/slug`.

        Raises ArticleNotFound, ArticleAmbiguous or ArticleUnreadable.
        """
        if (article := self.get_or_none(name)) is not None:
            return article
        if candidates := self.same_slug(name):
            raise ArticleAmbiguous(name, tuple(article.id for article in candidates))
        if name in self._unreadable:
            raise ArticleUnreadable(name)
        raise ArticleNotFound(name)

    def look_up(self, written: str) -> Article:
        """Return the visible article that a name stands for as models write names.

        Raises ArticleNotFound, ArticleAmbiguous or ArticleUnreadable.
        """
        candidates = self.match(written)
        if len(candidates) == 1:
            return candidates[0]
        if candidates:
            raise ArticleAmbiguous(written, tuple(a.id for a in candidates))
        if not self._unreadable.isdisjoint(list_exact_names(written)):
            raise ArticleUnreadable(written)
        raise ArticleNotFound(written)

    def match(self, written: str) -> tuple[Article, ...]:
        """Return the visible articles that a name can stand for; an exact name wins."""
        for name in list_exact_names(written):
            if (article := self.by_id.get(name)) is not None:
                return (article,)
            if articles := self.same_slug(name):
                return articles
        found = (self.by_id[id] for id in self._written.find(written))
        return tuple(sorted(found, key=lambda a: sort_categories(a.category)))

    def find_former(self, written: str) -> Article | None:
        """Return the only visible article that had a name before, or None."""
        found = self._written.find_former(written)
        return self.by_id[found[0]] if len(found) == 1 else None

    def find_near(self, written: str) -> tuple[str, ...]:
        """Return names similar to one that was not found.

        The first call blocks: call it in a thread unless `is_near_indexed`.
        """
        return self._written.find_near(written)

    @property
    def is_near_indexed(self) -> bool:
        """Whether `find_near` takes less time than to hand it to a thread."""
        return "_written" in vars(self) and self._written.is_near_indexed

    @cached_property
    def _written(self) -> ArticleNames:
        return ArticleNames(
            NamedArticle.of(article, self.name(article)) for article in self.articles
        )

    def get_or_none(self, name: str) -> Article | None:
        """Return the only visible article with this name, or None."""
        categories = self.visible.by_slug.get(name)
        if categories is None:
            return self.by_id.get(name)
        return self.by_id[f"{categories[0]}/{name}"] if len(categories) == 1 else None

    def same_slug(self, slug: str) -> tuple[Article, ...]:
        """Return the visible articles that share a slug, in category order."""
        categories = self.visible.by_slug.get(slug, ())
        return tuple(self.by_id[f"{category}/{slug}"] for category in categories)

    def name(self, article: Article) -> str:
        """Return the shortest unambiguous name of the article."""
        is_unique = len(self.visible.by_slug[article.slug]) == 1
        return article.slug if is_unique else article.id

    def select(self, category: str | None, limit: int) -> Selection:
        """Return the first articles of a category or of all; raise UnknownCategory."""
        category = self.resolve_category(category)
        listed = self.articles
        if category is not None:
            listed = tuple(a for a in listed if a.category == category)
        return Selection(listed[:limit], len(listed))

    def search(self, query: str, category: str | None, limit: int) -> Selection:
        """Return articles that match keywords, best first; raise UnknownCategory."""
        return self.find_matches(ArticleQuery(query, category), limit)

    def find_matches(self, query: ArticleQuery, limit: int) -> Selection:
        """Return articles that match keywords and filters; raise UnknownCategory."""
        category = self.resolve_category(query.category)
        variants = self._synonyms.vary(query.text) if self._synonyms else ()
        found = self._keywords.find(
            query.text, category, limit, variants, query.filters
        )
        return Selection(*found)

    def search_first(
        self, query: ArticleQuery, limit: int, *, mode: Mode = "auto"
    ) -> Selection | None:
        """Return keyword matches, or None where full text must be searched.

        In mode `auto` that is when keywords match nothing. An empty query lists all.
        Raises UnknownCategory.
        """
        self.resolve_category(query.category)
        is_blank = not query.text.strip()
        if mode == "fulltext" and not is_blank:
            return None
        selection = self.find_matches(query, limit)
        is_enough = selection.total or is_blank or mode == "keyword"
        return selection if is_enough else None

    def related(self, article: Article) -> tuple[str, ...]:
        """Return the names of the related articles that are visible.

        A name is as written, or that of each article if several share it.
        """
        names: dict[str, None] = {}
        for name in article.related:
            if self.get_or_none(name) is not None:
                names[name] = None
            else:
                names.update(dict.fromkeys(a.id for a in self.same_slug(name)))
        return tuple(names)

    @cached_property
    def completion(self) -> NameCompletion:
        """Completion of names, by category."""
        names = sorted(
            ((self.name(one), one) for one in self.articles), key=itemgetter(0)
        )
        return NameCompletion(
            CompletionItem(name, one.category, " ".join((one.title, *one.aliases)))
            for name, one in names
        )

    def resolve_category(self, category: str | None) -> str | None:
        """Return the category of a name, in any case if it is unambiguous.

        Raise UnknownCategory for one without visible articles.
        """
        if category is None:
            return None
        found = find_category(category, self.categories)
        if found is None:
            raise UnknownCategory(category, self.categories)
        return found


def _folder_of(path: str) -> str:
    return path.split("/", 1)[0]
