"""The `llms.txt` files of authors, with addresses of this site (D-166)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote

from asdlc_kb.docs.curated.curated_index import CuratedIndex
from asdlc_kb.docs.curated.curated_links import resolve_index
from asdlc_kb.docs.curated.tree_index import TreeIndex
from asdlc_kb.docs.links.link_resolution import PageTarget
from asdlc_kb.site import urls
from asdlc_kb.site.layout.frame import SiteIdentity
from asdlc_kb.site.pages.doc_urls import DocUrls

_PARTS: Final = re.compile(
    r"\s*\# +(?P<title>[^\n]*)(?:\n[ \t]*)*"
    r"(?P<summary>(?:>[^\n]*(?:\n|\Z))*)\n*(?P<rest>.*)",
    re.DOTALL,
)
"""Title, summary and the rest, in the order of llmstxt.org."""


@dataclass(frozen=True, slots=True)
class CuratedText:
    """An index as it is shown."""

    address: str
    text: str
    title: str
    summary: str
    rest: str
    """The text below title and summary."""
    has_pages: bool
    """Whether a link leads to a page."""


@dataclass(frozen=True, slots=True)
class CuratedTexts:
    """The indexes of all trees at one moment."""

    by_source: Mapping[str, CuratedText]
    """By the name of the tree; those without an index are left out."""
    files: tuple[CuratedIndex, ...]

    def is_current(self) -> bool:
        """Whether the files are as they were; costs a `stat` for each."""
        return all(file.is_current() for file in self.files)


NO_TEXTS: Final = CuratedTexts({}, ())


def read_curated(identity: SiteIdentity, docs: DocUrls | None) -> CuratedTexts:
    """Return the indexes of documentation, without what is hidden or missing."""
    if docs is None:
        return NO_TEXTS
    read = [(index, index.read()) for index in docs.indexes]
    texts = {
        index.source: _show(identity, docs, index, file.text)
        for index, file in read
        if file.text
    }
    return CuratedTexts(texts, tuple(file for _, file in read))


def _show(
    identity: SiteIdentity, docs: DocUrls, index: TreeIndex, text: str
) -> CuratedText:
    used: set[str] = set()

    def locate(target: PageTarget) -> str:
        used.add(target.path)
        where = urls.as_markdown(docs.addresses[target.path])
        anchor = f"#{urls.escape(unquote(target.anchor))}" if target.anchor else ""
        return f"{identity.cite(where)}{anchor}"

    address = urls.of_index(index.source)
    files = {
        "llms.txt": identity.cite(address),
        "llms-full.txt": identity.cite(urls.FULL),
    }
    shown = resolve_index(text, lambda href: index.resolve(href, locate, files))
    parts = _PARTS.match(shown)
    assert parts is not None  # It begins with a title.
    summary = " ".join(line.lstrip("> ") for line in parts["summary"].split("\n"))
    return CuratedText(
        address, shown, parts["title"], summary.strip(), parts["rest"], bool(used)
    )
