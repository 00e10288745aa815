"""Vectors of the sections of all documents: an immutable table, and its search.

A component of a vector is one byte. 5,000 sections take 1.3 MB, and a query compares
them all in about a millisecond.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from asdlc_kb.search.values import SimilarPage

Vector: TypeAlias = npt.NDArray[np.float32]
Codes: TypeAlias = npt.NDArray[np.int8]

_MAX_CODE: Final = 127
"""The largest component of a vector as one byte."""

_BLOCK: Final = 4_096
"""Vectors that are compared at once, to bound the memory of a query."""


@dataclass(frozen=True, slots=True, eq=False)
class PageVectors:
    """The vectors of the sections of one page, in order."""

    digest: bytes
    """Digest of the page's content."""
    codes: Codes
    scales: Vector
    """The factor by which each row of `codes` is to be multiplied."""

    def __len__(self) -> int:
        return len(self.scales)


def encode_page(
    digest: bytes, vectors: Sequence[Vector], dimensions: int
) -> PageVectors:
    """Return vectors of length 1 or 0 as bytes."""
    matrix = np.array(vectors, dtype=np.float32).reshape(len(vectors), dimensions)
    scales = np.abs(matrix).max(axis=1, initial=0.0) / np.float32(_MAX_CODE)
    divisors = np.where(scales > 0, scales, np.float32(1))
    codes = np.rint(matrix / divisors[:, np.newaxis]).astype(np.int8)
    return PageVectors(digest, codes, scales.astype(np.float32))


class SectionVectors:
    """The vectors of the pages of an index."""

    def __init__(self, pages: Mapping[int, PageVectors], dimensions: int) -> None:
        """Copy the vectors of pages, by slot, to one table."""
        rows = [(slot, pages[slot]) for slot in sorted(pages) if len(pages[slot])]
        self._slots = [slot for slot, _ in rows]
        sizes = np.array([len(page) for _, page in rows], dtype=np.intp)
        self._ends = np.cumsum(sizes)
        self._starts = self._ends - sizes
        codes = np.zeros((0, dimensions), np.int8), *(page.codes for _, page in rows)
        scales = np.zeros(0, np.float32), *(page.scales for _, page in rows)
        self._codes = np.concatenate(codes)
        self._scales = np.concatenate(scales)
        self.pages = dict(pages)
        """The vectors by slot, which share the memory of the table."""
        spans = zip(rows, self._starts, self._ends, strict=True)
        for (slot, page), start, end in spans:
            codes_of_page, scales_of_page = (
                self._codes[start:end],
                self._scales[start:end],
            )
            self.pages[slot] = PageVectors(page.digest, codes_of_page, scales_of_page)

    def __len__(self) -> int:
        """Return the number of sections."""
        return len(self._scales)

    def find(
        self, query: Vector, includes: Callable[[int, bytes], bool], limit: int
    ) -> list[SimilarPage]:
        """Return the pages most similar to a query, best first.

        `includes` is called with slot and digest until there are `limit` pages: others
        affect nothing.
        """
        if not len(self):
            return []
        cosines = self._compare(query)
        best = np.maximum.reduceat(cosines, self._starts)
        found: list[SimilarPage] = []
        for at in np.argsort(-best, kind="stable"):
            slot = self._slots[at]
            if includes(slot, self.pages[slot].digest):
                section = cosines[self._starts[at] : self._ends[at]].argmax()
                found.append(SimilarPage(slot, float(best[at]), int(section)))
                if len(found) == limit:
                    break
        return found

    def _compare(self, query: Vector) -> Vector:
        """Return the cosine of each section and a query."""
        cosines = np.empty(len(self), np.float32)
        for start in range(0, len(self), _BLOCK):
            block = slice(start, start + _BLOCK)
            cosines[block] = self._codes[block].astype(np.float32) @ query
        cosines *= self._scales
        return cosines
