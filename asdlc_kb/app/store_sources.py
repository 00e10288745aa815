"""The sources of a store as folders: mirrors, which are served like any folders.

Loaded only with the setting `store`.
"""

import atexit
import logging
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from asdlc_kb.app.cache_folder import locate_mirrors
from asdlc_kb.app.store_address import read_store
from asdlc_kb.exceptions import OperationalError, SettingsError
from asdlc_kb.files.cache_options import MirrorLock
from asdlc_kb.settings import Settings
from asdlc_kb.store.mirror_set import MirroredSource, MirrorSet
from asdlc_kb.store.snapshot_follower import (
    MirroredLibrary,
    SnapshotFollower,
    follow_mirrors,
)
from asdlc_kb.store.values import StoreStatus
from asdlc_kb.temporary_folders import TemporaryFolder

if TYPE_CHECKING:
    from asdlc_kb.docs.collection import DocTree
    from asdlc_kb.store.database import StoreAddress
    from asdlc_kb.store.mirror_writer import MirrorWriter

logger = logging.getLogger(__name__)

START_SECONDS: Final = 30.0
"""Time that a start without a mirror waits for the store."""

REACHABLE_SECONDS: Final = 5.0
"""Time since the last contact for which the store counts as reachable: a poll a second,
and the time limit of an answer."""


class MirroredFolders(NamedTuple):
    """The sources of a store at one moment, as settings that name folders."""

    settings: Settings
    sources: tuple[MirroredSource, ...]
    find_lock: Callable[[str], MirrorLock]
    """Return the lock of a documentation tree by its name, empty for the unnamed one.
    """
    articles_lock: MirrorLock | None


class Store:
    """The mirrors of a store, which all processes of a server share."""

    def __init__(
        self, address: "StoreAddress", folder: Path, chosen: Collection[str] = ()
    ) -> None:
        """Mirror the chosen sources in a folder; all of them if none is chosen."""
        self._address = address
        self.mirrors = MirrorSet(folder, chosen)

    def fill(self, *, waits: bool) -> None:
        """Make sure that each source has a whole mirror; blocks.

        Raises OperationalError if the store cannot be read; `waits` until it can.
        """
        if not self.mirrors.is_whole:
            self.open_writer().fill(None if waits else START_SECONDS)
        for name in sorted(self.mirrors.chosen):
            if self.mirrors.find(name) is None:
                logger.warning("source not in the store", extra={"source": name})

    def open_writer(
        self, record: Callable[[str], None] = lambda outcome: None
    ) -> "MirrorWriter":
        """Return the writer of this process; `record` gets the outcome of updates."""
        from asdlc_kb.store.mirror_writer import MirrorWriter

        return MirrorWriter(self.mirrors, self._address, record)

    def localize(self, settings: Settings) -> MirroredFolders:
        """Return settings that name the mirrors as the folders to serve.

        Raises SettingsError if they name folders already, OperationalError if the
        store has several sources of articles.
        """
        for name in ("content", "docs", "dialect", "language"):
            if getattr(settings, name):
                raise SettingsError(
                    f"--store serves the sources of the store: leave out '{name}', or "
                    "write that folder into the store with 'asdlc-kb ingest'"
                )
        sources = self.mirrors.sources
        articles = [each for each in sources if each.kind == "articles"]
        if len(articles) > 1:
            names = " and ".join(f"'{each.name}'" for each in articles[:2])
            raise OperationalError(
                f"the store has several sources of articles, {names}, and a server "
                "has one: name what to serve with --store-source"
            )
        trees = {_name_tree(each): each for each in sources if each.kind == "docs"}
        local = msgspec.structs.replace(
            settings,
            content=str(self._locate(articles[0])) if articles else None,
            docs=tuple(
                _write_named(each, str(self._locate(each))) for each in trees.values()
            ),
            dialect=tuple(_list_options(trees, "dialect")),
            language=tuple(_list_options(trees, "language")),
        )
        return MirroredFolders(
            local,
            sources,
            lambda tree: self._lock(trees[tree]),
            self._lock(articles[0]) if articles else None,
        )

    def has_changed(self, served: Sequence[MirroredSource]) -> bool:
        """Whether the store has other sources than those that are served."""
        now = self.mirrors.sources
        return self.mirrors.is_whole and (
            len(now) != len(served)
            or not all(map(MirroredSource.is_same_source, now, served))
        )

    def is_outdated(self, max_age: int) -> bool:
        """Whether the content may not be served: not brought up to date for `max_age`.

        Also if all sources were removed.
        """
        age = self.mirrors.content_age
        is_late = max_age > 0 and (age is None or age > max_age)
        return is_late or not self.mirrors.sources

    def follow(
        self,
        served: Sequence[MirroredSource],
        articles: MirroredLibrary | None,
        trees: "Sequence[DocTree]",
    ) -> Iterator[SnapshotFollower]:
        """Yield what publishes the snapshots of each source that is served."""
        for source in served:
            name = _name_tree(source)
            libraries: list[MirroredLibrary] = [
                tree.library for tree in trees if tree.mount.source == name
            ]
            if source.kind == "articles":
                assert articles is not None
                libraries = [articles]
            yield SnapshotFollower(self.mirrors, source, libraries)

    async def run(self, followers: Sequence[SnapshotFollower]) -> None:
        """Publish new snapshots until cancelled."""
        await follow_mirrors(self.mirrors, followers)

    def describe(self, followers: Sequence[SnapshotFollower]) -> StoreStatus:
        """Return the state of the store, and what is served of it."""
        age = self.mirrors.contact_age
        return StoreStatus(
            {each.name: each.snapshot for each in followers},
            is_reachable=age is not None and age < REACHABLE_SECONDS,
            contact_age=age,
        )

    def _lock(self, source: MirroredSource) -> MirrorLock:
        return partial(self.mirrors.reading, source.name)

    def _locate(self, source: MirroredSource) -> Path:
        return self.mirrors.locate(source) / source.options.get("folder", "")


def open_store(settings: Settings) -> Store:
    """Return the store of the settings, with its mirrors in the cache folder.

    Without a cache folder they are in a temporary one, which this process deletes at
    its end. Blocks as `Store.fill`. Raises OperationalError and SettingsError.
    """
    address = read_store(settings)
    # Imported late: needs the extra, as the address does.
    from asdlc_kb.store.database import describe

    # The password may change, and is in no name.
    parts = (describe(address.primary), *sorted(set(settings.store_source)))
    identity = blake2b("\0".join(parts).encode(), digest_size=8).hexdigest()
    folder = locate_mirrors(settings, identity)
    if folder is None:
        folder = _make_temporary()
    store = Store(address, folder, settings.store_source)
    store.fill(waits=settings.wait)
    return store


def _make_temporary() -> Path:
    try:
        folder = TemporaryFolder()
    except OSError as error:
        raise OperationalError(
            f"no temporary folder for the mirror of the store: {error.strerror}"
        ) from None
    atexit.register(folder.delete)
    return folder.path


def _name_tree(source: MirroredSource) -> str:
    """Return the name of a documentation tree; empty for the unnamed one."""
    return source.options.get("tree", "")


def _write_named(source: MirroredSource, value: str) -> str:
    name = _name_tree(source)
    return f"{name}={value}" if name else value


def _list_options(trees: Mapping[str, MirroredSource], name: str) -> Iterator[str]:
    for source in trees.values():
        if value := source.options.get(name):
            yield _write_named(source, value)
