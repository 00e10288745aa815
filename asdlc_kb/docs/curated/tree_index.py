"""The `llms.txt` of a tree in a collection, and the pages to which it leads (D-166)."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Final

from asdlc_kb.docs.catalogs.catalog import DocCatalog
from asdlc_kb.docs.collection import DocCollection, DocTree
from asdlc_kb.docs.curated.curated_index import NAME, CuratedIndex, CuratedIndexFile
from asdlc_kb.docs.curated.curated_links import list_links
from asdlc_kb.docs.links.link_paths import read_path
from asdlc_kb.docs.links.link_resolution import PageTarget, localize, resolve_link
from asdlc_kb.docs.links.path_lookup import PathLookup
from asdlc_kb.docs.links.written_names import URI_PREFIX
from asdlc_kb.files.problem import Problem

PUBLICATIONS: Final = (NAME, "llms-full.txt")
"""Files that every site has, by their names."""

_MARKDOWN_OF_HTML: Final = ".html.md"
"""The suffix that llmstxt.org asks for where a page has the suffix `.html`."""


class TreeIndex:
    """The index that the authors of a tree wrote, if they did."""

    def __init__(
        self, collection: DocCatalog, tree: DocTree, editions: Sequence[DocTree] = ()
    ) -> None:
        """Resolve the links of the index to the pages of a collection.

        `editions` are folders with editions of the tree outside of its root.
        """
        self.source = tree.mount.source
        """The name of the tree; empty for the unnamed one."""
        self._collection = collection
        self._path = f"{tree.mount.prefix}{NAME}"
        catalog = tree.library.catalog
        self._rules = catalog.link_rules
        hidden = (_list_hidden(each, tree.mount.prefix) for each in (tree, *editions))
        self._hidden = PathLookup(chain.from_iterable(hidden))
        self._file = CuratedIndexFile(tree.library.root, catalog.configuration)

    def read(self) -> CuratedIndex:
        """Return the index as it is now; blocks."""
        return self._file.read()

    def resolve(
        self,
        href: str,
        locate: Callable[[PageTarget], str],
        publications: Mapping[str, str],
    ) -> str | None:
        """Return the address to which a link leads, None if it leads to nothing.

        `locate` returns the address of a visible page, `publications` has those of the
        files of the site. Links to other sites stay as they are.
        """
        if href.startswith("#"):
            return href
        name = (read_path(localize(href, self._rules)) or "").strip("./")
        if name in publications:
            return publications[name]
        if (target := self._find(href)) is not None:
            return locate(target)
        is_dead = self._is_hidden(href) or _is_path(href)
        return None if is_dead else href

    def check(self) -> Iterator[Problem]:
        """Yield every problem of the index and of its links."""
        index = self.read()
        yield from index.problems
        published = dict.fromkeys(PUBLICATIONS, "")
        for href, line, column in list_links(index.text):
            if self.resolve(href, lambda target: target.path, published) is not None:
                continue
            where = index.path, line, column
            if self._is_hidden(href):
                message = f"links to '{href}', which is hidden: remove the entry"
                yield Problem(*where, "KB031", message)
            else:
                message = f"no page '{href}': correct or remove the entry"
                yield Problem(*where, "KB030", message)

    def _find(self, href: str) -> PageTarget | None:
        path, mark, anchor = href.partition("#")
        if path.endswith(_MARKDOWN_OF_HTML):
            href = f"{path.removesuffix('.md')}{mark}{anchor}"
        target = self._collection.resolve(href, self._path)
        if target is None or not _is_published(href):
            return target
        return PageTarget(self._find_edition(target.path, href), target.anchor)

    def _find_edition(self, path: str, href: str) -> str:
        """Return the path of a page in the edition that a published address states.

        Without a version it is of the default one.
        """
        page = self._collection.by_path[path]
        stated = href.partition("#")[0].split("/")
        editions = [e for e in self._collection.editions if e.source == self.source]
        versions = [e.version for e in editions if e.version in stated and e.version]
        languages = [e.language for e in editions if e.language in stated]
        defaults = [e.version for e in editions if e.is_default_version]
        version = next(iter((*versions, *defaults)), page.edition.version)
        language = next(iter(languages), page.edition.language)
        same = (
            each.path
            for each in (page, *self._collection.list_editions(page))
            if (each.edition.version, each.edition.language) == (version, language)
        )
        return next(same, path)

    def _is_hidden(self, href: str) -> bool:
        """Whether a link may lead to a hidden page."""
        return resolve_link(href, NAME, self._hidden, self._rules) is not None


def list_indexes(docs: DocCollection, catalog: DocCatalog) -> Sequence[TreeIndex]:
    """Return the index of each tree; folders with editions of one have none."""
    by_source: dict[str, list[DocTree]] = {}
    for tree in docs.trees:
        if not has_index(tree):
            by_source.setdefault(tree.mount.source, []).append(tree)
    return [
        TreeIndex(catalog, tree, by_source.get(tree.mount.source, ()))
        for tree in docs.trees
        if has_index(tree)
    ]


def has_index(tree: DocTree) -> bool:
    """Whether a tree has an index of its own: it is no edition of another one."""
    mount = tree.mount
    return mount.prefix == (f"{mount.source}/" if mount.source else "")


def _list_hidden(tree: DocTree, prefix: str) -> Iterator[str]:
    """Yield the paths of the files of a tree that are not visible, from another one."""
    catalog = tree.library.catalog
    below = tree.mount.prefix.removeprefix(prefix)
    for path in catalog.snapshot.entries:
        if path not in catalog.by_path:
            yield f"{below}{path}"


def _is_published(href: str) -> bool:
    """Whether a link is an address of the published site, not a path of a file."""
    return href.startswith("/") or ("://" in href and not href.startswith(URI_PREFIX))


def _is_path(href: str) -> bool:
    return href.startswith(URI_PREFIX) or read_path(href) is not None
