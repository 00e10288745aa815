"""The pages of one documentation tree, in sync with the disk."""

import asyncio
import logging
import math
import time
import weakref
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Final, Literal, TypeAlias, Unpack

from asdlc_kb.docs.catalogs.tree_catalog import TreeCatalog
from asdlc_kb.docs.generators.configuration import TreeConfiguration
from asdlc_kb.docs.generators.exclusions import Exclusions
from asdlc_kb.docs.generators.live_configuration import Configure, LiveConfiguration
from asdlc_kb.docs.generators.static_folders import find_static_folders
from asdlc_kb.docs.links.link_paths import path_candidates
from asdlc_kb.docs.links.written_names import list_page_names
from asdlc_kb.docs.pages.page import DocPage, PageContent
from asdlc_kb.docs.pages.page_frontmatter import keeps_last_good
from asdlc_kb.docs.pages.publication import select_published
from asdlc_kb.docs.stored_pages import make_format
from asdlc_kb.docs.tree_reader import TreeReader
from asdlc_kb.exceptions import DocNotFound, UnreadableFile
from asdlc_kb.files import live_library
from asdlc_kb.files.cache import ContentCache
from asdlc_kb.files.cache_options import CacheOptions
from asdlc_kb.files.clean_text import clean_text
from asdlc_kb.files.reader import ChangedWhileRead, read_file
from asdlc_kb.files.tree_listing import check_page_path, is_tree_path

logger = logging.getLogger(__name__)

MAX_TIMER_SECONDS: Final = 86_400.0
"""Seconds after which the dates of the pages are looked at again, as a clock may be
changed."""

RETRY_SECONDS: Final = 1.0
"""Pause after a date at which the pages could not be published."""

DocUpdate: TypeAlias = live_library.LibraryUpdate[PageContent, TreeCatalog]


class DocLibrary(live_library.LiveLibrary[PageContent, TreeCatalog]):
    """Owns the content cache of a tree and the catalog of its current snapshot."""

    def __init__(
        self,
        root: Path | None = None,
        configure: Configure | None = None,
        *,
        dialect: str | None = None,
        language: str = "",
        **options: Unpack[CacheOptions],
    ) -> None:
        """Open a tree: at `root`, or at the root that its configuration states.

        One of both is required; without a configuration the tree has no generator.
        """
        if configure is None:
            assert root is not None
            configure = partial(TreeConfiguration, root=root)
        clock = options.get("clock", time.time)
        uses_kernel_state = options.get("uses_kernel_state", True)
        live = LiveConfiguration(
            configure, uses_kernel_state=uses_kernel_state, clock=clock
        )
        self._reader = TreeReader(live, dialect, language)
        root = root or self._reader.configuration.root
        cache: ContentCache[PageContent] = ContentCache(
            root,
            self._reader.read,
            list_files=self._reader.list,
            is_listing_current=self._reader.is_current,
            judge=check_page_path,
            keeps_last_good=keeps_last_good,
            stored_as=make_format(self._reader.describe_rules, clock),
            **options,
        )
        reader = self._reader
        catalog = TreeCatalog(cache.snapshot, lambda: reader.configuration, clock)
        super().__init__(cache, catalog)
        self._clock = clock
        self._timer: asyncio.TimerHandle | None = None
        self._renewals: set[asyncio.Task[None]] = set()

    @property
    def configuration(self) -> TreeConfiguration:
        """The configuration of its generator."""
        return self.catalog.configuration

    @property
    def recognized_by(self) -> str:
        """The file by which its generator was recognized; empty without one."""
        files = self.configuration.files
        if not (self.configuration.generator and files):
            return ""
        is_inside = files[0].is_relative_to(self.root)
        return str(files[0].relative_to(self.root)) if is_inside else files[0].name

    @property
    def kind(self) -> Literal["docs"]:
        """The kind of its entries."""
        return "docs"

    def publish(self, update: DocUpdate) -> None:
        """Make the result of a scan current, until the next page's date."""
        super().publish(update)
        self._set_timer(self.catalog.changes_at - self._clock())

    def _set_timer(self, seconds: float) -> None:
        """Look at the dates of the pages again after so many seconds."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if seconds < math.inf:
            with suppress(RuntimeError):  # No event loop: a one-shot command.
                self._timer = asyncio.get_running_loop().call_later(
                    min(max(seconds, 0.0), MAX_TIMER_SECONDS),
                    _start_renewal,
                    weakref.ref(self),
                )

    def start_renewal(self) -> None:
        """Publish the pages of this moment in the background; on the event loop."""
        task = asyncio.get_running_loop().create_task(self._try_renew())
        self._renewals.add(task)
        task.add_done_callback(self._renewals.discard)

    async def _try_renew(self) -> None:
        try:
            await self._renew()
        except Exception:
            logger.exception("pages could not be published by their dates")
            self._set_timer(RETRY_SECONDS)

    async def _renew(self) -> None:
        """Make a catalog current that has the pages of this moment."""
        self.publish(await asyncio.to_thread(self.prepare_renewal))

    @property
    def exclusions(self) -> Exclusions:
        """What the tree leaves out; the same object until that changes."""
        return self._reader.exclusions

    @property
    def attachment_folders(self) -> tuple[Path, ...]:
        """The folders in which its attachments are, the root first."""
        return self.root, *find_static_folders(self.configuration)

    async def fetch(self, name: str) -> TreeCatalog:
        """Return a catalog in which the named page matches the disk now.

        A name may be written as `DocCatalog.look_up` accepts it. Costs one `stat` for a
        visible page by its path. A name without one costs the same whether the page is
        hidden or missing: one `stat` for each folder that it can be in. So does one of
        a link on the disk, and one that is no path.
        """
        if self.catalog.is_outdated:
            await self._renew()
        pages = self.catalog.match(name)
        catalog = await self.refresh([page.path for page in pages])
        return await self.refresh_folders(self._list_folders(catalog, name, pages))

    def make_check(self, name: str) -> live_library.FreshnessCheck:
        """Return a check whether the named page matches the disk."""
        catalog = self.catalog
        pages = catalog.match(name)
        paths = [page.path for page in pages]
        folders = self._list_folders(catalog, name, pages)
        return lambda: not catalog.is_outdated and self.is_unchanged(paths, folders)

    def _list_folders(
        self, catalog: TreeCatalog, name: str, pages: Sequence[DocPage]
    ) -> Sequence[str]:
        """Return the folders that can hold another page with the name of `pages`."""
        is_sure = any(map(catalog.find_exact, list_page_names(name)))
        if pages and is_sure and not self._may_be_link(name):
            return ()
        return _folders(name)

    def read_source(self, path: str) -> str:
        """Return the file of a visible page as it is, but for invisible characters.

        Blocks. Raises DocNotFound if it is no longer there or hidden.
        """
        try:
            raw = read_file(self.root, path, judge=check_page_path)
        except (OSError, UnreadableFile, ChangedWhileRead):
            raise DocNotFound(path) from None
        value = self._reader.read(raw).value
        if not select_published((value,), self._clock()).pages:
            raise DocNotFound(path)
        return clean_text(path, raw.text).text

    def _may_be_link(self, name: str) -> bool:
        links = self.catalog.snapshot.links
        return bool(links) and any(path in links for path in _paths(name))

    def is_current(self, name: str) -> bool:
        """Whether the file of a visible page is unchanged since it was read.

        Costs one `stat`; False for a name without a page.
        """
        pages = self.catalog.match(name)
        return len(pages) == 1 and self._cache.is_current(pages[0].path)


def _start_renewal(reference: "weakref.ref[DocLibrary]") -> None:
    """Renew a library, unless a reload has replaced it."""
    library = reference()
    if library is not None:
        library.start_renewal()


def _folders(written: str) -> list[str]:
    """Return the folders that can hold the named page, "" for the root."""
    paths = filter(is_tree_path, _paths(written))
    return list(dict.fromkeys(path.rpartition("/")[0] for path in paths))


def _paths(written: str) -> Iterator[str]:
    """Yield the paths that can be meant by a name."""
    for name in list_page_names(written):
        yield from path_candidates(name)
