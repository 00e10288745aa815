"""llms-full.txt: the texts of all pages, of a large site in parts (D-166).

Of documentation with several editions it has the default one. A part has pages of one
section. Small sections share a part, a large one has several.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Final, TypeAlias

from asdlc_kb.articles.article import Article
from asdlc_kb.docs.pages.page import DocPage
from asdlc_kb.site import urls
from asdlc_kb.site.layout.frame import SiteIdentity
from asdlc_kb.site.pages.article_pages import ArticleUrls
from asdlc_kb.site.pages.doc_urls import DocUrls
from asdlc_kb.site.publications.entries import NOTICE, write_entry
from asdlc_kb.site.publications.link_list import (
    DOCUMENTATION,
    count,
    one_line,
    write_link,
)
from asdlc_kb.site.rendering.markdown import body_of, cut_title

MAX_CHARS: Final = 4_000_000
"""Characters of the texts in one file, about a million tokens: no model reads more at
once. Beyond that the file lists parts."""

MAX_PART_CHARS: Final = 400_000
"""Characters of the texts in a part, about a hundred thousand tokens; a longer page is
a part by itself."""

MAX_SHARED_CHARS: Final = 40_000
"""Characters of sections that share a part."""

MAX_NAMED: Final = 3
"""Sections that are named in the title of a part."""

_ADDRESS: Final = re.compile(r"/llms-full-([1-9][0-9]{0,5})\.txt")

Text: TypeAlias = Article | DocPage


@dataclass(frozen=True)
class TextPart:
    """The texts of one part."""

    title: str
    texts: Sequence[Text]

    @cached_property
    def size(self) -> int:
        """Characters of its texts."""
        return sum(len(text.body) for text in self.texts)


@dataclass(frozen=True)
class SiteTexts:
    """The texts of a site at one moment."""

    identity: SiteIdentity
    articles: ArticleUrls | None
    docs: DocUrls | None

    @property
    def addresses(self) -> Iterator[str]:
        """The addresses of llms-full.txt and of its parts."""
        yield urls.FULL
        for number in range(1, len(self.parts) + 1):
            yield urls.of_full_part(number)

    def write(self, path: str = urls.FULL) -> Iterator[bytes] | None:
        """Return the text at an address in pieces, None if there is none."""
        match = _ADDRESS.fullmatch(path)
        number = int(match[1]) if match else 0
        if path == urls.FULL:
            return self._write_list() if self.is_divided else self._write_all()
        if not 1 <= number <= len(self.parts):
            return None
        part = self.parts[number - 1]
        return self._write(f"{self.identity.title}: {part.title}", part.texts)

    @cached_property
    def parts(self) -> Sequence[TextPart]:
        """The parts; none if all texts are in one file."""
        return tuple(_divide(self._list_sections())) if self.is_divided else ()

    @cached_property
    def is_divided(self) -> bool:
        """Whether the texts are too long for one file; reads them only so far."""
        sizes = accumulate(len(text.body) for text in self._list_texts())
        return any(size > MAX_CHARS for size in sizes)

    def _list_texts(self) -> Iterator[Text]:
        yield from self.articles.catalog.articles if self.articles else ()
        for page in self.docs.catalog.pages if self.docs else ():
            if page.edition.is_default:
                yield page

    def _list_sections(self) -> Iterator[TextPart]:
        for category in self.articles.categories if self.articles else ():
            yield TextPart(category.title, category.articles)
        for group in self.docs.catalog.groups if self.docs else ():
            pages = [page for page in group.pages if page.edition.is_default]
            if pages:
                yield TextPart(group.title or DOCUMENTATION, pages)

    def _write_list(self) -> Iterator[bytes]:
        identity = self.identity
        yield (
            f"# {one_line(identity.title)}\n\n"
            f"All texts have {self.size:,} characters, too many for one file. These "
            f"{len(self.parts):,} files have them by section.\n\n## Parts\n\n"
        ).encode()
        for number, part in enumerate(self.parts, 1):
            where = urls.of_full_part(number)
            first, last = part.texts[0].title, part.texts[-1].title
            span = f", from “{first}” to “{last}”" if len(part.texts) > 1 else ""
            note = f"{count(len(part.texts), 'page')}{span}, {part.size:,} characters"
            yield f"{write_link(identity, part.title, where, note)}\n".encode()

    @property
    def size(self) -> int:
        """Characters of all texts."""
        return sum(part.size for part in self.parts)

    def _write_all(self) -> Iterator[bytes]:
        return self._write(self.identity.title, self._list_texts())

    def _write(self, title: str, texts: Iterable[Text]) -> Iterator[bytes]:
        """Yield an introduction, then an entry for each text."""
        yield f"# {one_line(title)}\n\n{NOTICE}\n".encode()
        for text in texts:
            if isinstance(text, Article):
                where, body = urls.of_article(text), body_of(text)
            else:
                assert self.docs is not None
                where = self.docs.addresses[text.path]
                body = cut_title(text.title, text.body)
            yield self._write_entry(text, where, body)

    def _write_entry(self, text: Text, where: str, body: str) -> bytes:
        """Return a text as an entry: title, address, description, body."""
        source = self.identity.cite(where)
        note = one_line(text.description)
        quote = f"> {note}\n\n" if note else ""
        whole = f"# {one_line(text.title)}\n\nSource: {source}\n\n{quote}{body}"
        return f"\n{write_entry(source, whole)}".encode()


def _divide(sections: Iterable[TextPart]) -> Iterator[TextPart]:
    """Yield parts of sections: small ones together, large ones in several."""
    small: list[TextPart] = []
    for section in sections:
        if sum(each.size for each in small) + section.size <= MAX_SHARED_CHARS:
            small.append(section)
            continue
        yield from _join(small)
        small = [section] if section.size <= MAX_SHARED_CHARS else []
        if not small:
            yield from _cut(section)
    yield from _join(small)


def _join(sections: Sequence[TextPart]) -> Iterator[TextPart]:
    """Yield one part of several sections, none of none."""
    if not sections:
        return
    titles = list(dict.fromkeys(section.title for section in sections))
    more = len(titles) - MAX_NAMED
    title = ", ".join(titles[:MAX_NAMED]) + (f" and {more} more" if more > 0 else "")
    yield TextPart(title, [text for section in sections for text in section.texts])


def _cut(section: TextPart) -> Iterator[TextPart]:
    """Yield the parts of one section."""
    parts: list[list[Text]] = [[]]
    size = 0
    for text in section.texts:
        size += len(text.body)
        if size > MAX_PART_CHARS and parts[-1]:
            parts.append([])
            size = len(text.body)
        parts[-1].append(text)
    for number, texts in enumerate(parts, 1):
        ending = f", part {number} of {len(parts)}" if len(parts) > 1 else ""
        yield TextPart(f"{section.title}{ending}", texts)
