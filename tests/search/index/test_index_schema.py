"""The indexes in the engine."""

import tantivy
from support.texts import DOCUMENTS, document, find, index, keys, section

from asdlc_kb.search.analyzer import make_stem
from asdlc_kb.search.index.index_schema import (
    PAGES,
    SECTIONS,
    Rows,
    make_index,
    read_page,
    read_section,
    slot_query,
)
from asdlc_kb.search.languages import ENGLISH
from asdlc_kb.search.policy import INDEX_POLICY

stem = make_stem(ENGLISH)


def add(row: tantivy.Document, schema: tantivy.Schema) -> tantivy.Searcher:
    """Return a searcher over an index of one row."""
    index = make_index(schema, None)
    writer = index.writer(16_000_000, 1)
    writer.add_document(row)
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    return index.searcher()


def only(searcher: tantivy.Searcher) -> tantivy.Document:
    """Return the only row."""
    ((_, address),) = searcher.search(tantivy.Query.all_query(), 5).hits
    return searcher.doc(address)


def test_a_page_is_in_the_fields_that_operators_name() -> None:
    """And in one combined field; words for the speller are not stemmed."""
    one = document(
        "k.md",
        "Tall Zebras",
        "Striped bodies.",
        section("Heads up", "More lines."),
        tags=("tagged",),
        description="Described.",
        category="Big Cats",
    )
    page, _ = Rows(INDEX_POLICY).write(7, one)
    searcher = add(page, PAGES)
    has = searcher.doc_freq
    for word in ("zebra", "stripe", "head", "line", "tag", "describ"):
        assert has("all", stem(word)), word
    assert has("title", "zebra") and not has("title", "head")
    assert has("head", "head") and not has("head", "zebra")
    assert has("body", "line") and not has("body", "zebra")
    assert has("tags", "tag") and not has("tags", "head")
    assert has("words", "bodies") and not has("words", "bodi")
    assert has("category", "big cats")
    assert has("exact", "tall zebra")
    assert len(searcher.search(slot_query(PAGES, 7), 5).hits) == 1
    assert not searcher.search(slot_query(PAGES, 8), 5).hits
    row = read_page(only(searcher))
    assert (row.key, row.category, row.tags) == ("k.md", "Big Cats", ("tagged",))


def test_a_section_is_found_by_its_page_and_read_as_it_was() -> None:
    """With its number, which is not its position in the index."""
    _, rows = Rows(INDEX_POLICY).write(3, DOCUMENTS[0])
    searcher = add(rows[1], SECTIONS)
    assert searcher.doc_freq("all", "cach")
    assert searcher.doc_freq("head", "clear")
    assert searcher.doc_freq("exact", "clear the cach")
    assert read_section(only(searcher)) == (1, DOCUMENTS[0].sections[1])


def test_what_is_too_long_for_a_word_is_in_no_field() -> None:
    """Adjacent words are found."""
    one = document("k.md", "Title", "y" * 60 + " beside " + "ü" * 60)
    page, (row,) = Rows(INDEX_POLICY).write(1, one)
    pages, sections = add(page, PAGES), add(row, SECTIONS)
    assert pages.terms_with_prefix("words", "") == [("beside", 1), ("title", 1)]
    assert pages.doc_freq("body", stem("beside"))
    assert not pages.doc_freq("all", "y" * 60) + sections.doc_freq("all", "y" * 60)


def test_aliases_weigh_as_tags_do_without_being_tags() -> None:
    """In a page and its first section."""
    other = document("b.md", "Other", "About naming.")
    named = document("a.md", "One", "Text.", aliases=("Naming things",))
    tagged = document("c.md", "One", "Text.", tags=("Naming things",))
    hits = find(index(other, named, tagged), "naming").hits
    assert [hit.key for hit in hits][-1] == "b.md"
    assert hits[0].score == hits[1].score
    assert keys(find(index(other, named, tagged), "tags:naming")) == ["c.md"]
    assert find(index(other, named), "namin").hits[0].key == "a.md"
