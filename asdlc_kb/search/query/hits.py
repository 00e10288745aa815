"""Hits: the best section of each page of a ranking, with its snippet."""

import math
from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

import tantivy

from asdlc_kb.search.index.index_schema import PAGES, slot_query
from asdlc_kb.search.index.index_snapshot import IndexHit, VisibleIndex
from asdlc_kb.search.policy import QueryPolicy
from asdlc_kb.search.query.engine_query import limit_to_pages, sections_of_page
from asdlc_kb.search.query.exact_identifiers import ExactIdentifiers
from asdlc_kb.search.query.ranking import Ranked
from asdlc_kb.search.query.snippet import make_snippet
from asdlc_kb.search.values import IndexedSection, SearchHit

MAX_HEADING_CHARS: Final = 200
"""Characters of a hit's heading; a longer anchor is omitted, because it would break if
truncated."""

_MAX_SHARED_SECTIONS: Final = 100
"""Sections fetched to find the best ones of all result pages."""

_MAX_NEXT_SECTIONS: Final = 8
"""Further sections of a page that a passage may take."""

_NEXT_SHARE: Final = 0.5
"""Share of the best section's score below which a further one is left out."""

_MAX_NESTED_SECTIONS: Final = 2_000
"""Sections of a page up to which their nesting is resolved."""

_NO_SECTION: Final = IndexedSection("", "", 0, 1, "")

_Page: TypeAlias = Ranked[tantivy.DocAddress]


class HitReader:
    """Reads the hits of one query."""

    def __init__(
        self,
        view: VisibleIndex,
        scored: tantivy.Query,
        weights: Mapping[str, float],
        policy: QueryPolicy,
        exact: ExactIdentifiers | None = None,
        *,
        shows_lead: bool = False,
    ) -> None:
        """Score sections by a query, and choose snippets by the weights of stems.

        Sections with one of the `exact` identifiers come before others of a passage. If
        `shows_lead`, show descriptions or the first text of pages instead.
        """
        self._view = view
        self._scored = scored
        self._weights = weights
        self._policy = policy
        self._exact = exact
        self._shows_lead = shows_lead

    def read(self, pages: Sequence[_Page], passages: int) -> tuple[SearchHit, ...]:
        """Return the hit of each page, the first `passages` with their next lines."""
        sections = self._list_sections(pages, passages)
        return tuple(
            self._read_hit(page, sections.get(page.slot, ()), has_passage=at < passages)
            for at, page in enumerate(pages)
        )

    def _list_sections(
        self, pages: Sequence[_Page], passages: int
    ) -> dict[int, list[IndexHit]]:
        """Return the best sections of the pages for which they must be searched.

        They are complete, or enough for a passage.
        """
        missing = [page.slot for page in pages if page.section is None]
        with_passage = [page.slot for page in pages[:passages]]
        wanted = list(dict.fromkeys((*missing, *with_passage)))
        if not wanted:
            return {}
        # One search for all of them is faster, and mostly sufficient.
        limited = limit_to_pages(self._scored, wanted)
        hits = self._view.find_sections(limited, _MAX_SHARED_SECTIONS)
        sections: dict[int, list[IndexHit]] = {slot: [] for slot in wanted}
        for hit in hits:
            sections[hit[0]].append(hit)
        if len(hits) == _MAX_SHARED_SECTIONS:
            for slot in with_passage:
                if len(sections[slot]) <= _MAX_NEXT_SECTIONS:
                    sections[slot] = self._search_page(slot, _MAX_NEXT_SECTIONS + 1)
            for slot in missing:
                sections[slot] = sections[slot] or self._search_page(slot, 1)
        for slot in missing:
            sections[slot] = sections[slot] or self._find_first_section(slot)
        return sections

    def _search_page(self, slot: int, limit: int) -> list[IndexHit]:
        """Return the best matching sections of a page."""
        limited = limit_to_pages(self._scored, [slot])
        return self._view.find_sections(limited, limit)

    def _find_first_section(self, slot: int) -> list[IndexHit]:
        """Return the first section of a page without matching ones, if it has any."""
        limited = limit_to_pages(tantivy.Query.all_query(), [slot])
        return self._view.find_sections(limited, 1)

    def _read_hit(
        self,
        page: _Page,
        sections: Sequence[IndexHit],
        *,
        has_passage: bool,
    ) -> SearchHit:
        entry = self._view.snapshot.entries[page.slot]
        address = page.section
        if address is None and sections:
            *_, address = sections[0]
        if self._shows_lead:
            first = self._find_first_section(page.slot)
            address = next((at for *_, at in first), None)
        section = self._read_section(page.slot, address)
        length = self._policy.max_snippet_chars
        return SearchHit(
            entry.key,
            round(page.score, 4),
            section.heading[:MAX_HEADING_CHARS],
            section.anchor if len(section.anchor) <= MAX_HEADING_CHARS else "",
            section.line,
            make_snippet(section.text, self._weights, length, entry.language),
            self._read_next_lines(sections, section.line) if has_passage else (),
            entry.language,
        )

    def _read_next_lines(
        self, sections: Sequence[IndexHit], line: int
    ) -> tuple[int, ...]:
        """Return where sections near the best one begin, without that at `line`."""
        near = [
            address
            for _, score, address in sections[: _MAX_NEXT_SECTIONS + 1]
            if score >= _NEXT_SHARE * sections[0][1]
        ]
        read = [self._view.read_numbered(address)[1] for address in near]
        if exact := self._exact:
            read.sort(key=lambda section: not exact.are_in(section))
        return tuple(
            section.line
            for section in read
            if section.line != line and section.text.strip()
        )

    def _read_section(
        self, slot: int, address: tantivy.DocAddress | None
    ) -> IndexedSection:
        """Return the section to show, one with text if there is any.

        For a heading without own text, it is the best of its subsections.
        """
        view, section = self._view, _NO_SECTION
        if self._shows_lead and (described := self._describe(slot)):
            return described
        if address is not None:
            number, section = view.read_numbered(address)
            if section.text.strip():
                return section
            if below := self._find_subsection(slot, number, section.level):
                return below
        return self._describe(slot) or section

    def _describe(self, slot: int) -> IndexedSection | None:
        """Return a page's description as a section, if it has one."""
        for *_, page in self._view.find_pages(slot_query(PAGES, slot), 1):
            if description := self._view.read_page(page).description:
                return IndexedSection("", "", 0, 1, description)
        return None

    def _find_subsection(
        self, slot: int, number: int, level: int
    ) -> IndexedSection | None:
        """Return the best subsection with text."""
        section_hits = self._view.find_sections(
            sections_of_page(self._scored, slot), _MAX_NESTED_SECTIONS
        )
        if len(section_hits) == _MAX_NESTED_SECTIONS:
            return None
        read = [(score, *self._view.read_numbered(at)) for _, score, at in section_hits]
        after = [row for row in read if row[1] > number]
        end = min((n for _, n, s in after if s.level <= level), default=math.inf)
        below = [row for row in after if row[1] < end and row[2].text.strip()]
        best = max(below, key=lambda row: (row[0], -row[1]), default=None)
        return best[2] if best else None
