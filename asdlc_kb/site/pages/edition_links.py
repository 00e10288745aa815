"""Links from a page of documentation to the same page in other editions (D-167)."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from asdlc_kb.docs.catalogs.catalog import DocCatalog
from asdlc_kb.docs.edition import Edition
from asdlc_kb.docs.pages.page import DocPage
from asdlc_kb.site.layout.languages import ENGLISH, name_language, read_tag
from asdlc_kb.site.layout.texts import Texts, choose_texts

_NUMBER: Final = re.compile(r"\d{1,9}")


@dataclass(frozen=True, slots=True)
class EditionLink:
    """The page in one edition."""

    title: str
    address: str
    language: str
    """A language tag (BCP 47); empty if it is unknown."""
    is_current: bool
    is_default: bool
    """Whether it is the default edition."""


@dataclass(frozen=True, slots=True)
class EditionLinks:
    """The editions that have a page, as the page shows them."""

    title: str
    """That of the page's own edition."""
    versions: Sequence[EditionLink] = ()
    """In the language of the page; empty if there is one only."""
    languages: Sequence[EditionLink] = ()
    """Of the version of the page; empty if there is one only."""
    version: str = ""
    """The title of the page's version, if that is not the default."""
    default_version: str = ""
    default_address: str = ""
    """The address of the page in the default version, to which search engines are led;
    empty if it is not there."""

    @property
    def translations(self) -> Iterator[tuple[str, str]]:
        """Language tag and address of each translation, for search engines."""
        if self.version:
            return
        for link in self.languages:
            if link.language:
                yield link.language, link.address
            if link.is_default:
                yield "x-default", link.address


ONE_EDITION = EditionLinks("")
"""Those of a page in a tree with one edition."""


class EditionLinker:
    """Finds the editions of the pages of a catalog."""

    def __init__(self, catalog: DocCatalog, addresses: Mapping[str, str]) -> None:
        self._catalog = catalog
        self._addresses = addresses
        editions = sorted(catalog.editions, key=_rank)
        self._ranks = {edition: number for number, edition in enumerate(editions)}

    def find(self, page: DocPage, text: Texts) -> EditionLinks:
        """Return the links of a page, with titles in its language."""
        if len(self._ranks) < 2:
            return ONE_EDITION
        others = self._catalog.list_editions(page)
        same = sorted((page, *others), key=lambda each: self._ranks[each.edition])
        edition = page.edition
        versions = [p for p in same if p.edition.language == edition.language]
        languages = [p for p in same if p.edition.version == edition.version]
        links = EditionLinks(
            name_edition(edition, text),
            [
                self._link(p, page, name_version(p.edition, text))
                for p in _several(versions)
            ],
            [
                self._link(p, page, name_language(p.edition.language))
                for p in _several(languages)
            ],
        )
        if edition.is_default_version:
            return links
        default = next((p for p in versions if p.edition.is_default_version), None)
        return replace(
            links,
            version=name_version(edition, text),
            default_version=self._name_default(edition, text),
            default_address=self._addresses[default.path] if default else "",
        )

    def is_canonical(self, page: DocPage) -> bool:
        """Whether a page is the one to which search engines should lead."""
        if page.edition.is_default_version:
            return True
        return not self.find(page, choose_texts(ENGLISH)).default_address

    def _name_default(self, edition: Edition, text: Texts) -> str:
        """Return the title of the default version of a tree; empty if it has none."""
        found = (
            name_version(each, text)
            for each in self._ranks
            if each.source == edition.source and each.is_default_version
        )
        return next(found, "")

    def _link(self, target: DocPage, page: DocPage, title: str) -> EditionLink:
        tag = read_tag(target.edition.language)
        where = self._addresses[target.path]
        is_default = target.edition.is_default
        return EditionLink(title, where, tag, target is page, is_default)


def _rank(edition: Edition) -> tuple[bool, Sequence[int], bool, str]:
    """Return the place of an edition: default ones first, then new versions."""
    numbers = [-int(number) for number in _NUMBER.findall(edition.version)]
    is_other = not edition.is_default_language
    return not edition.is_default_version, numbers, is_other, edition.language


def _several(pages: Sequence[DocPage]) -> Sequence[DocPage]:
    return pages if len(pages) > 1 else ()


def name_version(edition: Edition, text: Texts) -> str:
    """Return the title of a version."""
    if not edition.version:
        return text("Current version")
    return text("Version {number}", number=edition.version)


def name_edition(edition: Edition, text: Texts) -> str:
    """Return the title of an edition; empty for that of a tree that has one only."""
    version = name_version(edition, text) if edition.version else ""
    language = name_language(edition.language) if edition.language else ""
    return ", ".join(filter(None, (version, language)))
