"""The pages of a tree as every engine gets them: the texts that ours indexes."""

from collections.abc import Sequence
from html import escape
from pathlib import Path

import msgspec

from asdlc_kb.docs.catalogs.catalog import DocCatalog
from asdlc_kb.docs.documents import PageSource
from asdlc_kb.docs.library import DocLibrary
from asdlc_kb.search.values import SearchDocument


class PeerSection(msgspec.Struct, frozen=True):
    """The text below one heading."""

    anchor: str
    heading: str
    level: int
    text: str


class PeerPage(msgspec.Struct, frozen=True):
    """A page for other engines: without frontmatter, components and marks."""

    path: str
    title: str
    description: str
    sections: tuple[PeerSection, ...]

    @property
    def html(self) -> str:
        """The page as a static site generator writes it, without navigation."""
        parts = [f"<h1>{escape(self.title)}</h1>", _paragraphs(self.description)]
        for section in self.sections:
            if section.heading and section.heading != self.title:
                level = min(max(section.level, 2), 6)
                head = f'<h{level} id="{escape(section.anchor)}">'
                parts.append(f"{head}{escape(section.heading)}</h{level}>")
            parts.append(_paragraphs(section.text))
        body = "\n".join(parts)
        head = f'<meta charset="utf-8"><title>{escape(self.title)}</title>'
        return (
            f'<!doctype html>\n<html lang="en"><head>{head}</head>\n'
            f"<body><main data-pagefind-body>\n{body}\n</main></body></html>\n"
        )


def _paragraphs(text: str) -> str:
    blocks = (block.strip() for block in text.split("\n\n"))
    return "\n".join(f"<p>{escape(block)}</p>" for block in blocks if block)


class PreparedTree:
    """A tree that was read: its catalog, and its searched pages for other engines."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.catalog: DocCatalog = DocLibrary(root).load()
        self.source = PageSource(self.catalog)
        keys = sorted(self.source.digests())
        self.pages: Sequence[PeerPage] = [
            _convert(self.source.document(k)) for k in keys
        ]


def _convert(document: SearchDocument) -> PeerPage:
    return PeerPage(
        document.key,
        document.title or document.key,
        document.description,
        tuple(
            PeerSection(one.anchor, one.heading, one.level, one.text)
            for one in document.sections
        ),
    )
