"""The articles cite sources, and their authors recorded what they read."""

import datetime
from collections import Counter
from typing import Final

import pytest
from support.own_articles import (
    OwnArticle,
    Source,
    read_own_articles,
    read_sources,
    visible_articles,
)

KINDS: Final = set(
    "paper documentation specification post incident book repository".split()
)
WITHOUT_ADDRESS: Final = {"book", "incident"}
"""Kinds of sources that may have no address."""
OURS: Final = "of this program)"
"""How the title of our own documentation ends, which may have no address either."""
KEYS: Final = {"title", "type", "author", "date", "url", "annotation"}
RECORD: Final = {"address", "read", "place", "relied_on", "articles"}
OPTIONAL: Final = {"found"}
MAX_QUOTE_CHARS: Final = 200

RESERVED: Final = ("localhost", "127.0.0.1", "example.com", "example.org", ".example")
"""Hosts of examples, which are no sources."""


def records_of(address: str) -> list[Source]:
    """Return the records of an address."""
    return [source for source in read_sources() if source.address == address]


@pytest.mark.parametrize("article", visible_articles(), ids=lambda each: each.id)
def test_an_article_cites_two_to_five_sources(article: OwnArticle) -> None:
    """Each with its kind, title and what it says."""
    assert 2 <= len(article.references) <= 5
    for reference in article.references:
        assert set(reference) <= KEYS, reference
        assert reference["type"] in KINDS, reference
        assert reference["title"], reference
        assert reference["annotation"], reference
        may_lack_address = reference["type"] in WITHOUT_ADDRESS or reference[
            "title"
        ].endswith(OURS)
        assert "url" in reference or may_lack_address, reference


@pytest.mark.parametrize("article", visible_articles(), ids=lambda each: each.id)
def test_what_is_cited_was_read(article: OwnArticle) -> None:
    """`content/sources` has every address, with this article."""
    cited = {
        address
        for address in article.web_addresses
        if not address.split("/")[2].partition(":")[0].endswith(RESERVED)
    }
    read = {a for a in cited for s in records_of(a) if article.id in s.articles}
    assert cited - read == set()


@pytest.mark.parametrize("source", read_sources(), ids=lambda each: each.address)
def test_a_record_says_what_was_relied_on(source: Source) -> None:
    """Where in the source, on what day, in a short quotation."""
    entry = source.entry
    assert RECORD <= set(entry) <= RECORD | OPTIONAL
    assert source.address.startswith(("https://", "http://"))
    assert type(entry["read"]) is datetime.date
    assert entry["place"]
    assert 0 < len(entry["relied_on"]) <= MAX_QUOTE_CHARS


@pytest.mark.parametrize("source", read_sources(), ids=lambda each: each.address)
def test_a_record_is_used(source: Source) -> None:
    """By every article that it lists."""
    articles = {article.id: article for article in read_own_articles()}
    assert source.articles
    for name in source.articles:
        assert source.address in articles[name].web_addresses, name


def test_no_file_records_an_address_twice() -> None:
    """One record has all articles; authors may have read the same source."""
    counts = Counter((source.file, source.address) for source in read_sources())
    assert [pair for pair, count in counts.items() if count > 1] == []
    assert counts
