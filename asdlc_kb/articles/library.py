"""The articles of one content root, in sync with the disk."""

import asyncio
from functools import partial
from pathlib import Path
from typing import Literal, Unpack

from asdlc_kb.articles.article import Unreadable
from asdlc_kb.articles.catalog import ArticleCatalog
from asdlc_kb.articles.schema import ArticleFields, keeps_last_good, read_article
from asdlc_kb.articles.stored_articles import PARSED_CACHE_FORMAT
from asdlc_kb.articles.written_names import list_exact_names
from asdlc_kb.attachments.referenced_files import (
    AttachmentLibrary,
    ReferencedFiles,
    ReferringText,
)
from asdlc_kb.attachments.store import AttachmentStore
from asdlc_kb.files import live_library
from asdlc_kb.files.article_listing import check_article_path, list_files
from asdlc_kb.files.cache import ContentCache
from asdlc_kb.files.cache_options import CacheOptions
from asdlc_kb.files.paths import is_name
from asdlc_kb.files.problem import Problem
from asdlc_kb.search.synonyms import NO_SYNONYMS, Synonyms


class ArticleLibrary(live_library.LiveLibrary[ArticleFields, ArticleCatalog]):
    """Owns the content cache of a root and the catalog of its current snapshot."""

    def __init__(
        self,
        root: Path,
        *,
        synonyms: Synonyms = NO_SYNONYMS,
        **options: Unpack[CacheOptions],
    ) -> None:
        cache: ContentCache[ArticleFields] = ContentCache(
            root,
            read_article,
            list_files=list_files,
            judge=check_article_path,
            keeps_last_good=keeps_last_good,
            stored_as=PARSED_CACHE_FORMAT,
            **options,
        )
        super().__init__(cache, ArticleCatalog(cache.snapshot, synonyms=synonyms))
        self._attachments = AttachmentLibrary(AttachmentStore((root,)))

    @property
    def kind(self) -> Literal["articles"]:
        """The kind of its entries."""
        return "articles"

    @property
    def recognized_by(self) -> str:
        """Articles are recognized by nothing but their place."""
        return ""

    def exposes(self, problem: Problem) -> bool:
        """Whether a problem is of a visible article, or of one that cannot be read."""
        entry = self.catalog.snapshot.entries.get(problem.path)
        if entry is None:
            return False
        is_visible = problem.path.removesuffix(".md") in self.catalog.by_id
        return is_visible or isinstance(entry.value, Unreadable)

    def with_hidden(self) -> ArticleCatalog:
        """Return a catalog that includes hidden articles, for their author.

        Rebuilt for each snapshot: blocks, call it in a thread.
        """
        return ArticleCatalog(self.catalog.snapshot, includes_hidden=True)

    def open_files(self, catalog: ArticleCatalog) -> ReferencedFiles:
        """Return the attachments of the articles of a catalog."""
        articles = catalog.articles
        return self._attachments.open(
            catalog.visible,
            lambda: (ReferringText.of(f"{each.id}.md", each.body) for each in articles),
        )

    async def searchable_catalog(self) -> ArticleCatalog:
        """Return the current catalog with its keyword index.

        A thread builds it once after the start; later scans update it.
        """
        catalog = self.catalog
        if not catalog.is_indexed:
            await asyncio.to_thread(catalog.precompute)
        return catalog

    async def fetch(self, name: str) -> ArticleCatalog:
        """Return a catalog in which the named article matches the disk now.

        A name may be written as `ArticleCatalog.look_up` accepts it. Costs one `stat`
        for a visible article. A name without one costs the same whether the article is
        hidden or missing: one `stat` in each category.
        """
        visible = [f"{article.id}.md" for article in self.catalog.match(name)]
        catalog = await self.refresh(visible)
        if len(visible) == 1:
            return catalog
        return await self.refresh_folders(self._folders(name))

    def make_check(self, name: str) -> live_library.FreshnessCheck:
        """Return a check whether the named article matches the disk."""
        visible = [f"{article.id}.md" for article in self.catalog.match(name)]
        folders = () if len(visible) == 1 else self._folders(name)
        return partial(self.is_unchanged, visible, folders)

    def is_current(self, name: str) -> bool:
        """Whether the file of a visible article is unchanged since it was read.

        Costs one `stat`; False for a name without one article.
        """
        articles = self.catalog.match(name)
        is_one = len(articles) == 1
        return is_one and self._cache.is_current(f"{articles[0].id}.md")

    def _folders(self, written: str) -> list[str]:
        """Return the folders that can hold the named article."""
        folders: dict[str, None] = {}
        for name in list_exact_names(written):
            *category, slug = name.split("/")
            if len(category) < 2 and all(map(is_name, (*category, slug))):
                folders.update(dict.fromkeys(category or sorted(self.catalog.folders)))
        return list(folders)
