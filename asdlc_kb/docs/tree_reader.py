"""Reader of a documentation tree: its files, and each page by the tree's rules."""

import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from asdlc_kb.docs.edition import EditionReader
from asdlc_kb.docs.generators.configuration import TreeConfiguration
from asdlc_kb.docs.generators.exclusions import Exclusions
from asdlc_kb.docs.generators.live_configuration import LiveConfiguration
from asdlc_kb.docs.pages.cascades import read_site_cascades
from asdlc_kb.docs.pages.leaf_bundles import find_resources
from asdlc_kb.docs.pages.note_names import NoteNames
from asdlc_kb.docs.pages.page import DocPage, PageContent, read_page
from asdlc_kb.docs.pages.page_text import NAVIGATION, PageRules
from asdlc_kb.exceptions import UnreadableFile
from asdlc_kb.files.listing import Listing
from asdlc_kb.files.problem import Problem
from asdlc_kb.files.reader import RawFile
from asdlc_kb.files.snapshot import ParseResult
from asdlc_kb.files.tree_listing import list_tree


class TreeReader:
    """Lists a tree and reads its pages as its generator is configured.

    Each listing follows changes of the configuration.
    """

    def __init__(
        self,
        configuration: LiveConfiguration,
        dialect: str | None = None,
        language: str = "",
    ) -> None:
        """Read a tree; `dialect` and `language` replace those of the configuration."""
        self._live = configuration
        self._dialect = dialect
        self._language = language
        self._revision = 0
        self.rules = PageRules()
        self.configuration = configuration.last_good
        self._use(self.configuration)

    @property
    def fault(self) -> Problem | None:
        """Why the present configuration is not used; None if it is."""
        return self._live.fault

    def is_current(self) -> bool:
        """Whether the configuration is as it was at the last listing."""
        return self._live.is_current()

    def list(self, root: Path, max_files: int = sys.maxsize) -> Listing:
        """List a tree; the sidebar and the topbar may be links to pages."""
        if not self.is_current():
            self._live.refresh()
            self._use(self._live.last_good)
        leaves_out = self.exclusions.leaves_out
        listing = list_tree(root, self.rules.bars, leaves_out, max_files)
        if self.fault is not None:
            listing.problems.append(self.fault)
        if self.configuration.generator == "hugo":
            for path in [*find_resources(listing.files)]:
                del listing.files[path]
        if self.configuration.dialect == "obsidian":
            self.rules = self.rules._replace(names=NoteNames(root, listing))
        listing.revision = self._revision
        return listing

    def read(self, raw: RawFile) -> ParseResult[PageContent]:
        """Return the page in a file, with every problem of the file."""
        result = read_page(raw, self.rules)
        if not isinstance(result.value, DocPage):
            return result
        page = result.value.of_edition(self._editions.read(raw.path))
        if self.configuration.repository is None:
            seconds = raw.signature.mtime_ns // 1_000_000_000
            date = datetime.fromtimestamp(seconds, UTC).date().isoformat()
            page = msgspec.structs.replace(page, file_date=date)
        return replace(result, value=page)

    def describe_rules(self) -> str:
        """Return what the value of a file depends on besides files."""
        stated = self.configuration
        rules = (
            *(stated.generator, str(stated.root), stated.base, stated.dialect),
            *(stated.sidebar_file, stated.include_folders, stated.editions),
            *(stated.ignored, stated.repository, stated.cascades, stated.defaults),
            *(stated.include_mounts, stated.values, sorted(stated.labels)),
        )
        return repr(rules)

    def _use(self, configuration: TreeConfiguration) -> None:
        configuration = self._adapt(configuration)
        if configuration == self.configuration and self._revision:
            return
        self.configuration = configuration
        self._revision += 1
        self._editions = EditionReader(configuration.editions)
        self.exclusions = Exclusions(configuration)
        self.rules = PageRules(
            configuration.root,
            configuration.dialect,
            frozenset({*NAVIGATION, configuration.sidebar_file} - {""}),
            configuration.include_folders,
            self._refuse_ignored,
            configuration.base,
            read_site_cascades(configuration.cascades, configuration.base),
            configuration.defaults,
            include_mounts=configuration.include_mounts,
            values=configuration.values,
            labels=configuration.labels,
        )

    def _adapt(self, configuration: TreeConfiguration) -> TreeConfiguration:
        """Return a configuration with what the operator states."""
        editions = configuration.editions
        if self._language:
            editions = replace(
                editions, language=self._language, default_language=self._language
            )
        dialect = self._dialect or configuration.dialect
        return replace(configuration, dialect=dialect, editions=editions)

    def _refuse_ignored(self, path: str) -> UnreadableFile | None:
        """Return why a file is not included: git ignores it."""
        if self.exclusions.is_ignored(path):
            return UnreadableFile("git ignores it", "add it to the repository")
        return None
