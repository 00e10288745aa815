"""Sections that have an identifier as a word."""

import pytest
from support.texts import document, index, section

from asdlc_kb.search.query.exact_identifiers import _MAX_CHARS
from asdlc_kb.search.values import SearchDocument, SearchHit, SearchRequest

MIGRATION = document(
    "migration.md",
    "Migration",
    "Changes of methods.",
    section("Parsing objects", "Parse an object: parse_obj_as, parse_obj_as.", 5),
    section("Methods", "Many were renamed. `parse_obj()` is model_validate.", 9),
)
OTHER = document("other.md", "Parsing objects", "parse_obj_as parses objects.")


def find(query: str, *documents: SearchDocument) -> tuple[SearchHit, ...]:
    """Return the hits of a query, the first ones with further sections."""
    full, source = index(*(documents or (MIGRATION, OTHER)))
    request = SearchRequest(query, 5, source.accepts, passages=3)
    return full.search(request).hits


def test_the_page_with_the_identifier_as_a_word_comes_first() -> None:
    """And its section, though others have the parts more often."""
    first, second = find("parse_obj")
    assert (first.key, first.heading) == ("migration.md", "Methods")
    assert second.key == "other.md"
    assert first.score >= second.score
    assert 9 not in first.next_lines
    assert find("parse obj")[0].key == "other.md"


@pytest.mark.parametrize("query", ["parse_obj_as", "Parse_Obj_As"])
def test_case_does_not_matter(query: str) -> None:
    """Nor does the longer name need another treatment."""
    migration, *_ = [hit for hit in find(query) if hit.key == "migration.md"]
    assert migration.heading == "Parsing objects"


def test_a_title_counts_as_a_section_does() -> None:
    """It is in none of them."""
    titled = document("titled.md", "parse_obj", "It reads a value.")
    assert find("parse_obj", MIGRATION, OTHER, titled)[0].key == "titled.md"


def test_with_other_words_a_page_far_behind_stays_there() -> None:
    """An identifier is one word of several there."""
    far = document("far.md", "Far", "Unlike parse_obj.")
    near = document(
        "near.md", "Parsing objects of a frozen dataclass", "frozen dataclass " * 9
    )
    query = "parsing objects of a frozen dataclass, parse_obj"
    assert find(query, near, far)[0].key == "near.md"
    assert find("parse_obj", near, far)[0].key == "far.md"


def test_further_sections_with_the_identifier_come_first() -> None:
    """In the order of their scores among themselves."""
    page = document(
        "a.md",
        "Page",
        "x",
        section("parse_obj", "parse_obj", 3),
        section("Parse obj", "parse obj parse obj parse obj", 6),
        section("Uses of parse_obj", "Call parse_obj.", 9),
    )
    (hit,) = find("parse_obj", page)
    assert (hit.line, hit.next_lines[0]) == (3, 9)


def test_little_text_is_read() -> None:
    """Beyond that, the order of scores is enough."""
    large = document("large.md", "Parse obj", "parse obj " * (_MAX_CHARS // 10 + 1))
    small = document("small.md", "Page", f"{'word ' * 400}, parse_obj.")
    assert find("parse_obj", large, small)[0].key == "large.md"
