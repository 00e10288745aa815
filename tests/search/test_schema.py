"""The indexes as the engine knows them."""

import tantivy
from support.texts import SHELF, document, section

from asdlc_kb.search.policy import POLICY
from asdlc_kb.search.schema import (
    PAGES,
    SECTIONS,
    at_slot,
    cut,
    make_index,
    read_page,
    read_section,
    stem,
    write_page,
    write_section,
)


def test_words_are_cut_as_the_index_does() -> None:
    """Letters and digits, in lower case, without accents; nothing overlong."""
    assert cut("Don't use_it, Café-2! " + "x" * 61) == [
        *("don", "t", "use", "it", "cafe", "2"),
    ]


def test_words_are_stemmed_as_the_index_does() -> None:
    """What has no stem is its own."""
    assert (stem("configured"), stem("configuration"), stem("缓")) == (
        "configur",
        "configur",
        "缓",
    )
    assert stem("_") == "_"


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
    """Return the row that there is."""
    ((_, address),) = searcher.search(tantivy.Query.all_query(), 5).hits
    return searcher.doc(address)


def test_a_page_is_in_the_fields_that_operators_name() -> None:
    """And in one field as a whole; words for the speller are not stemmed."""
    one = document(
        "k.md",
        "Tall Zebras",
        "Striped bodies.",
        section("Heads up", "More lines."),
        tags=("tagged",),
        description="Described.",
        category="Big Cats",
    )
    searcher = add(write_page(7, one, POLICY), PAGES)
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
    assert len(searcher.search(at_slot(PAGES, 7), 5).hits) == 1
    assert not searcher.search(at_slot(PAGES, 8), 5).hits
    row = read_page(only(searcher))
    assert (row.key, row.category, row.tags) == ("k.md", "Big Cats", ("tagged",))


def test_a_section_is_found_by_its_page_and_read_as_it_was() -> None:
    """With its number, which is not its place in the index."""
    searcher = add(write_section(3, SHELF[0], 1, POLICY), SECTIONS)
    assert searcher.doc_freq("all", "cach")
    assert searcher.doc_freq("head", "clear")
    assert searcher.doc_freq("exact", "clear the cach")
    assert read_section(only(searcher)) == (1, SHELF[0].sections[1])
