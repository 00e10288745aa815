"""The table of vectors, and its search."""

import numpy as np
import pytest

from asdlc_kb.search.semantic.section_vectors import (
    SectionVectors,
    Vector,
    encode_page,
)

DIMENSIONS = 8


def unit(*values: float) -> Vector:
    """Return a vector of length 1."""
    vector = np.zeros(DIMENSIONS, np.float32)
    vector[: len(values)] = values
    length = np.float32(np.linalg.norm(vector))
    scaled: Vector = vector / length
    return scaled


def table(*pages: list[Vector]) -> SectionVectors:
    """Return a table of pages, with slots and digests from 1."""
    encoded = {
        slot: encode_page(bytes([slot]), vectors, DIMENSIONS)
        for slot, vectors in enumerate(pages, 1)
    }
    return SectionVectors(encoded, DIMENSIONS)


def test_a_page_is_as_similar_as_its_best_section() -> None:
    """And the number of that section is known."""
    vectors = table([unit(1), unit(1, 1)], [unit(0, 0, 1)], [unit(0, 1), unit(1, 2)])
    found = vectors.find(unit(0, 1), lambda slot, digest: True, 10)
    assert [(one.slot, one.section) for one in found] == [(3, 0), (1, 1), (2, 0)]
    assert [round(one.similarity, 2) for one in found] == [1.0, 0.71, 0.0]
    assert len(vectors) == 5


def test_bytes_are_near_the_vectors() -> None:
    """Within a hundredth of the cosine, whatever the scale of the components."""
    pick = np.random.default_rng(1)
    pages = [[unit(*pick.normal(size=DIMENSIONS))] for _ in range(200)]
    query = unit(*pick.normal(size=DIMENSIONS))
    found = table(*pages).find(query, lambda slot, digest: True, 200)
    for one in found:
        exact = float(pages[one.slot - 1][0] @ query)
        assert one.similarity == pytest.approx(exact, abs=0.01)
    assert len(found) == 200


def test_what_is_not_included_affects_nothing() -> None:
    """The others are as many, and the same, as without it."""
    hidden, seen = (
        [unit(0, 1)],
        [unit(1, 2)],
    )
    query = unit(0, 1)
    with_hidden = table(seen, hidden, [unit(1)], [unit(0, 0, 1)])
    included = {1: b"\1", 3: b"\3"}
    found = with_hidden.find(query, lambda s, digest: included.get(s) == digest, 2)
    alone = table(seen, [], [unit(1)])
    assert found == alone.find(query, lambda slot, digest: True, 2)
    assert [one.slot for one in found] == [1, 3]


def test_a_page_without_sections_is_kept_but_not_found() -> None:
    """An empty table finds nothing."""
    vectors = table([], [unit(1)])
    assert vectors.pages.keys() == {1, 2}
    assert [p.slot for p in vectors.find(unit(1), lambda *_: True, 9)] == [2]
    empty = SectionVectors({}, DIMENSIONS)
    assert not len(empty)
    assert empty.find(unit(1), lambda *_: True, 9) == []


def test_a_zero_vector_is_similar_to_nothing() -> None:
    """Such is that of a section without words."""
    vectors = table([np.zeros(DIMENSIONS, np.float32)], [unit(1)])
    found = vectors.find(unit(1), lambda *_: True, 9)
    assert [round(one.similarity, 2) for one in found] == [1.0, 0.0]
